import Definitions
import JSON
import TableMapping
import TableModel

/// A mapping's result for people, and for machines.
enum RenderedTable {
  /// Sections and cells, drawn with lines; then what has no row, and why.
  static func text(_ result: MappingResult, _ definition: TableDefinition, inColor: Bool) -> String {
    let (bold, dim, warn, plain) = inColor ? ("\u{1B}[1m", "\u{1B}[2m", "\u{1B}[33m", "\u{1B}[0m") : ("", "", "", "")
    var lines: [String] = []
    for section in result.sections {
      let title = payload(section.header?.encoded)?["title"].flatMap(text) ?? section.id
      lines.append("\(bold)┌ \(title)\(plain)  \(dim)\(section.id) · \(section.rows.count) rows\(plain)")
      for row in section.rows {
        let payload = (try? JSONValue(parsing: Array(row.encoded[row.cells[0].payload]))) ?? .null
        lines.append("│ \(summary(payload))")
        lines.append("│   \(dim)\(row.id) · \(row.cells.map(\.cellIdentifier).joined(separator: " → "))\(plain)")
      }
      lines.append("└")
    }
    if result.sections.isEmpty { lines.append("\(dim)no rows\(plain)") }
    if result.omittedSections > 0 { lines.append("\(dim)\(result.omittedSections) empty sections left out\(plain)") }
    for warning in result.warnings { lines.append("\(warn)! \(warning)\(plain)") }
    for problem in result.problems { lines.append("\(warn)! source \(problem.source): \(problem.detail)\(plain)") }
    for item in result.skipped {
      lines.append("\(warn)✗ item \(item.index)\(item.id.map { " (\($0))" } ?? ""): \(item.reason)\(plain)")
    }
    let more = result.skippedItems - result.skipped.count
    if more > 0 { lines.append("\(warn)✗ … and \(more) more\(plain)") }
    return lines.joined(separator: "\n") + "\n"
  }

  static func json(_ result: MappingResult, _ definition: TableDefinition) -> String {
    let sections: [JSONValue] = result.sections.map { section in
      [
        "id": .string(section.id), "header": value(section.header?.encoded), "footer": value(section.footer?.encoded),
        "rows": .array(section.rows.map { value($0.encoded) }),
      ]
    }
    let skipped: [JSONValue] = result.skipped.map { item in
      [
        "source": .string(item.source), "index": .integer(Int64(item.index)),
        "id": item.id.map(JSONValue.string) ?? .null, "reason": .string(item.reason),
      ]
    }
    let document: JSONValue = [
      "table": .string(definition.name), "sections": .array(sections), "skipped": .array(skipped),
      "skippedItems": .integer(Int64(result.skippedItems)), "omittedSections": .integer(Int64(result.omittedSections)),
      "warnings": .array(result.warnings.map(JSONValue.string)),
    ]
    return String(decoding: document.bytes, as: UTF8.self) + "\n"
  }

  private static func value(_ bytes: [UInt8]?) -> JSONValue { bytes.flatMap { try? JSONValue(parsing: $0) } ?? .null }

  private static func payload(_ model: [UInt8]?) -> JSONValue? { model.flatMap { value($0)["payload"] } }

  private static func text(_ value: JSONValue) -> String? {
    if case .string(let text) = value { text } else { nil }
  }

  /// The title, then the other fields.
  private static func summary(_ payload: JSONValue) -> String {
    guard case .object(let members) = payload else { return "" }
    let title = members.first { $0.name == "title" }.flatMap { text($0.value) }
    let rest = members.filter { title == nil || $0.name != "title" }
      .map { "\($0.name): \(text($0.value) ?? String(decoding: $0.value.bytes, as: UTF8.self))" }
    return ([title].compactMap { $0 } + rest).joined(separator: "   ")
  }
}
