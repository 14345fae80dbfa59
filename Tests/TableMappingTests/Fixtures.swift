import Definitions
import Expressions
import JSON
import TableMapping
import TableModel

/// A mapper from what a configuration would say, in few words.
struct Fixture {
  var table: TableDefinition
  var cells: [CellDefinition] = [
    CellDefinition(identifier: "Title", fields: [.init(name: "title", type: .string)]),
    CellDefinition(
      identifier: "Image",
      fields: [
        .init(name: "title", type: .string), .init(name: "image", type: .url, isOptional: true),
      ],
      fallback: "Title"
    ),
    CellDefinition(
      identifier: "Expandable",
      version: 2,
      fields: [
        .init(name: "title", type: .string), .init(name: "text", type: .string),
        .init(name: "isExpanded", type: .boolean),
      ],
      expands: "isExpanded",
      fallback: "Title"
    ),
  ]
  var representations: [String: RepresentationDefinition] = [:]
  var sources: [SourceDefinition] = []

  /// Rows by `id`, all shown as `Title` unless the edit says otherwise.
  init() {
    table = TableDefinition(name: "t", title: "T", source: "s")
    table.rowID = template("${id}")
    table.cell = mapping("Title", ["title": "${title}"])
  }

  init(_ edit: (inout Fixture) -> Void) {
    self.init()
    edit(&self)
  }

  func mapper() throws(DefinitionError) -> TableMapper {
    try TableMapper(table: table, cells: cells, representations: representations, sources: sources)
  }

  /// Maps one response of source `s`.
  func map(_ response: String, after last: MappingResult? = nil) throws -> MappingResult {
    try mapper().map(["s": .pages([Array(response.utf8)])], after: last)
  }
}

/// What must compile in a test; a failure shows as a null value and a recorded issue in the test that uses it.
func template(_ value: JSONValue) -> Template {
  (try? Template(value)) ?? Template(constant: .string("template that does not compile"))
}

func expression(_ text: String) -> Expression {
  guard let expression = try? Expression(text) else { preconditionFailure("not an expression: \(text)") }
  return expression
}

func mapping(_ cell: String, _ payload: JSONValue, select: JSONValue? = nil) -> CellMapping {
  CellMapping(cell: cell, payload: template(payload), select: select.map { template($0) })
}

func section(_ id: String, where predicate: String? = nil) -> SectionDefinition {
  var section = SectionDefinition(id: id)
  section.predicate = predicate.map { expression($0) }
  return section
}

func groups(by key: String, _ edit: (inout GroupsDefinition) -> Void = { _ in }) -> SectionsDefinition {
  var groups = GroupsDefinition(key: expression(key))
  edit(&groups)
  return .groups(groups)
}

extension MappingResult {
  var rows: [Row] { sections.flatMap(\.rows) }

  /// `main: 1 2` — the sections and the identities in them.
  var outline: [String] {
    sections.map { section in
      section.rows.isEmpty ? "\(section.id):" : "\(section.id): \(section.rows.map(\.id).joined(separator: " "))"
    }
  }

  var reasons: [String] { skipped.map(\.reason) }
}

extension Row {
  var text: String { String(decoding: encoded, as: UTF8.self) }

  func payload(_ part: Int = 0) -> String { String(decoding: encoded[cells[part].payload], as: UTF8.self) }
}

extension CellModel {
  var text: String { String(decoding: encoded, as: UTF8.self) }
}
