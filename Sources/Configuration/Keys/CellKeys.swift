import Definitions
import FieldValues

enum CellKeys: ObjectKeys {
  static let name = "Cell"
  static let noun = "a cell"

  static let fields = Key(
    "fields",
    .map(of: .field, noun: "the fields", names: .any),
    "The payload's fields with their types: `string number integer boolean url date object any`, `list of TYPE`, "
      + "`{oneOf: [a, b]}`, each with `optional` before it."
  )
  static let nib = Key(
    "nib",
    .plainText("a nib's name", example: "TableViewCellWithLabel"),
    "The nib that an iOS client registers."
  )
  static let `class` = Key(
    "class",
    .plainText("a class's name", example: "TableViewExpandableCell"),
    "The class that an iOS client registers."
  )
  static let version = Key(
    "version",
    .integer(1...1_000_000),
    "Counts up when the fields change, for `Accept-Cells`. Default: 1."
  )
  static let expands = Key(
    "expands",
    .plainText("a field's name", example: "isExpanded"),
    "The boolean field that a tap toggles."
  )
  static let fallback = Key(
    "fallback",
    .cellName,
    "The cell for clients that can't show this one; fields of the same names are taken over."
  )
  static let select = Key("select", .template, "The target of a tap, unless the representation has one.")

  static let keys = [
    fields.description, nib.description, `class`.description, version.description, expands.description,
    fallback.description, select.description,
  ]

  static func value(of object: ObjectReader) -> CellDefinition? {
    var cell = CellDefinition(identifier: object.reading.path.last ?? "")
    cell.fields = (object[fields] ?? []).map { name, field in
      CellDefinition.Field(name: name.value, type: field.type, isOptional: field.isOptional)
    }
    if object.has(nib), object.has(`class`) {
      object.reading.error(at: object.place(of: nib), "a cell with 'nib' and 'class'", "keep one of them")
    }
    cell.registration = object[nib].map(CellDefinition.Registration.nib) ?? object[`class`].map { .class($0) }
    object.set(&cell.version, from: version)
    cell.expands = object[expands]
    if let name = cell.expands, let node = object.node(of: expands) {
      checkToggle(name, of: cell, at: node.place, object.reading)
    }
    cell.fallback = object[fallback]?.value
    cell.select = object[select]
    return cell
  }

  private static func checkToggle(_ name: String, of cell: CellDefinition, at place: TextPosition, _ reading: Reading) {
    guard let field = cell.fields.first(where: { $0.name == name }) else {
      let near = Nearest.name(to: name, among: cell.fields.map(\.name))
      reading.error(
        at: place,
        "'expands' names no field of this cell: \(excerpt(name))",
        near.map { "did you mean '\($0)'?" } ?? "declare it: `\(name): boolean`"
      )
      return
    }
    if field.type != .boolean {
      reading.error(
        at: place,
        "'expands' names the field '\(name)', which is \(field.type.noun)",
        "it must be a boolean"
      )
    }
  }
}
