public import Definitions
public import Expressions

/// Typed cell models for apps, made from the cells that a configuration declares.
public struct CodeGenerator {
  public enum Language: String, CaseIterable, Sendable { case swift, typescript, kotlin }

  /// Source text of one file. Deterministic: in the order of the cells; ends with a line break. O(fields).
  ///
  /// What is generated decodes a row, a header or a footer by its `cellIdentifier`, and has a case for cells that it
  /// does not know. Names that the language reserves or can't have are changed; on the wire they stay what they are.
  ///
  /// - Parameter selections: every `select` of the configuration. They have types where a constant text in a member of all of
  ///   them tells them apart.
  /// - Parameter items: local sources whose `fields` say what edits may write.
  /// - Parameter tables: whose names, parameters, sections, actions, filters and sorts get types.
  public static func generate(
    _ language: Language,
    cells: [CellDefinition],
    selections: [Template] = [],
    items: [(name: String, fields: ItemFields)] = [],
    tables: [TableDefinition] = []
  ) -> String {
    switch language {
    case .swift: SwiftGenerator(cells: cells, selections: selections, items: items, tables: tables).text
    case .typescript: TypeScriptGenerator(cells: cells, selections: selections, items: items, tables: tables).text
    case .kotlin: KotlinGenerator(cells: cells, selections: selections, items: items, tables: tables).text
    }
  }

  /// Everything that a configuration has types for.
  public static func generate(_ language: Language, of definition: ServiceDefinition) -> String {
    generate(
      language,
      cells: definition.cells,
      selections: definition.selections,
      items: definition.writableItems,
      tables: definition.tables
    )
  }
}

/// A cell with names that fit the language.
struct NamedCell {
  struct Field {
    /// On the wire.
    var key: String
    /// In the language.
    var name: String
    /// The name of a type that belongs to the field: `Size` for a `oneOf`.
    var typeName: String
    var type: FieldType
    var isOptional: Bool
    /// The type of its own that an object with members of its own has.
    var reference: String?
  }

  var identifier: String
  var version: Int
  var typeName: String
  var caseName: String
  var fields: [Field]

  /// - Parameters:
  ///   - typeNames: names of types that cells can't have: those that the generated code uses itself.
  ///   - caseNames: likewise for the names of the union's cases.
  ///   - fieldNames: likewise for the names of fields.
  ///   - reserved: further names that one cell's type can't have.
  static func all(
    _ cells: [CellDefinition],
    typeNames: Set<String>,
    caseNames: Set<String> = [],
    fieldNames: Set<String> = [],
    reserved: (CellDefinition) -> Set<String> = { _ in [] }
  ) -> [NamedCell] {
    var types = Names(taken: typeNames)
    var cases = Names(taken: caseNames)
    return cells.map { cell in
      let typeName = types.unique(Names.upperCamel(cell.identifier), besides: reserved(cell))
      var fields = Names(taken: fieldNames)
      var fieldTypes = Names(taken: typeNames.union([typeName]))
      return NamedCell(
        identifier: cell.identifier,
        version: cell.version,
        typeName: typeName,
        caseName: cases.unique(Names.lowerCamel(cell.identifier)),
        fields: cell.fields.map { field in
          Field(
            key: field.name,
            name: fields.unique(Names.lowerCamel(field.name)),
            typeName: fieldTypes.unique(Names.upperCamel(field.name)),
            type: field.type,
            isOptional: field.isOptional
          )
        }
      )
    }
  }
}

extension [NamedCell] {
  /// The value of `Accept-Cells` for them.
  var accepted: String {
    map { $0.version > 1 ? "\($0.identifier);v=\($0.version)" : $0.identifier }.joined(separator: ", ")
  }
}

extension FieldType {
  /// A URL, or a list of them.
  var isLink: Bool {
    switch self {
    case .url: true
    case .list(let element): element.isLink
    case .string, .number, .integer, .boolean, .date, .object, .any, .oneOf: false
    }
  }

  /// The words of a `oneOf`, be it in a list.
  var words: [String]? {
    switch self {
    case .oneOf(let words): words
    case .list(let element): element.words
    case .string, .number, .integer, .boolean, .url, .date, .object, .any: nil
    }
  }
}
