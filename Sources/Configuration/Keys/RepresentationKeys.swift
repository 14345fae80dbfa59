import Definitions
import Expressions

/// How a type of item is shown: a cell, or cases, or another representation.
enum RepresentationKeys: ObjectKeys {
  static let name = "Representation"
  static let noun = "a representation"

  static let cell = Key("cell", .cellName, "The cell that shows the item.")
  static let payload = Key(
    "payload",
    .payload,
    "The cell's payload, with `${…}` for values of the item."
  )
  static let select = Key("select", .template, "The target of a tap: `{type: open, url: \"${html_url}\"}`.")
  static let cases = Key(
    "cases",
    .list(of: .object(CaseKeys.self), noun: "the cases", atLeast: 1),
    "The first whose `when` holds is taken."
  )
  static let use = Key("use", .representationName, "Another representation, by name.")

  static let keys = [cell.description, payload.description, select.description, cases.description, use.description]

  static func value(of object: ObjectReader) -> RepresentationDefinition? {
    let styles = object.present(of: ["cell", "cases", "use"])
    guard styles.count == 1 else {
      object.reading.error(
        at: object.place,
        styles.isEmpty
          ? "\(noun) without a cell" : "\(noun) with \(styles.map { "'\($0)'" }.joined(separator: " and "))",
        "write `cell` and `payload`, or `cases`, or `use`"
      )
      return nil
    }
    if object.has(cell) { return CellMapping(object, cell, payload, select).map(RepresentationDefinition.cell) }
    for extra in object.present(of: ["payload", "select"]) {
      object.reading.error(at: object.place, "'\(extra)' beside '\(styles[0])'", "it belongs to a `cell`")
    }
    if object.has(use) { return object[use].map { .use($0.value) } }
    return object[cases].map { .cases($0) }
  }
}

/// A representation with a condition.
enum CaseKeys: ObjectKeys {
  static let name = "Case"
  static let noun = "a case"

  static let when = Key("when", .expression, "Whether this case is taken; without it, always.")

  static let keys = [when.description] + RepresentationKeys.keys

  static func value(of object: ObjectReader) -> RepresentationDefinition.Case? {
    let condition = object[when]
    guard let representation = RepresentationKeys.value(of: object) else { return nil }
    if object.has(when), condition == nil { return nil }
    return RepresentationDefinition.Case(when: condition, representation: representation)
  }
}

/// A cell and its payload, of a header or footer.
enum CellMappingKeys: ObjectKeys {
  static let name = "CellMapping"
  static let noun = "a header or footer"

  static let cell = Key(required: "cell", .cellName, example: "SectionTitle", "The cell that shows it.")
  static let payload = Key(
    "payload",
    .payload,
    "The cell's payload; `$key` is the group, `$count` the number of rows."
  )

  static let keys = [cell.description, payload.description]

  static func value(of object: ObjectReader) -> CellMapping? { CellMapping(object, cell, payload, nil) }
}

extension CellMapping {
  /// Reads a cell with its payload, and remembers them to be held together.
  init?(
    _ object: ObjectReader,
    _ cellKey: Key<Located<String>>,
    _ payloadKey: Key<Payload>,
    _ selectKey: Key<Template>?
  ) {
    let cell = object[cellKey]
    let payload = object.has(payloadKey) ? object[payloadKey] : Payload.empty
    let select = selectKey.flatMap { object[$0] }
    guard let cell else { return nil }
    object.reading.mappings.append(
      PayloadUse(cell: cell, fields: payload?.fields ?? [], place: object.place(of: payloadKey), isRead: payload != nil)
    )
    guard let template = payload?.template else { return nil }
    self.init(cell: cell.value, payload: template, select: select)
  }
}
