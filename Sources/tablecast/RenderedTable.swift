import Definitions
import JSON
import TableEncoding
import TableMapping
import TableModel

/// A mapping's result for people, and for machines.
enum RenderedTable {
  /// - Parameters:
  ///   - total: how many rows there are, where not all are shown.
  ///   - shortfalls: sources that say that they have more.
  static func text(
    _ result: MappingResult,
    of total: Int,
    _ shortfalls: [Shortfall] = [],
    inColor: Bool
  ) -> String {
    var drawing = TableDrawing(width: TableDrawing.terminalWidth, inColor: inColor)
    return drawing.draw(result, of: total, shortfalls)
  }

  /// - Parameter total: how many rows there are, where not all are shown.
  static func json(
    _ result: MappingResult,
    of total: Int,
    _ definition: TableDefinition,
    _ find: FindMenu?,
    _ shortfalls: [Shortfall] = []
  ) -> String {
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
    var document: JSONValue = [
      "table": .string(definition.name), "title": .string(result.title ?? definition.title),
      "sections": .array(sections), "skipped": .array(skipped),
      "skippedItems": .integer(Int64(result.skippedItems)), "omittedSections": .integer(Int64(result.omittedSections)),
      "warnings": .array(result.warnings.map(JSONValue.string)),
      "problems": .array(result.problems.map { ["source": .string($0.source), "detail": .string($0.detail)] }),
    ]
    if let find {
      var writer = JSONWriter()
      writer.write(find)
      document["find"] = value(writer.bytes)
    }
    if result.isTruncated { document["truncated"] = true }
    if !shortfalls.isEmpty { document["read"] = .array(shortfalls.map(\.json)) }
    let shown = result.sections.reduce(0) { $0 + $1.rows.count }
    if shown < total { document["window"] = ["rows": .integer(Int64(shown)), "of": .integer(Int64(total))] }
    return String(decoding: document.bytes, as: UTF8.self) + "\n"
  }

  private static func value(_ bytes: [UInt8]?) -> JSONValue { bytes.flatMap { try? JSONValue(parsing: $0) } ?? .null }
}
