import Configuration
import Definitions
import Foundation
import JSON
import TableEncoding
import TableMapping
import TableModel
import Testing

/// The generated Swift against what the service makes of items, byte for byte as clients get it.
@Suite struct SnapshotDecodingTests {
  private struct Snapshot: Decodable {
    struct Section: Decodable {
      var header: Cell?
      var rows: [Cell]
    }
    var sections: [Section]
  }

  /// Goes on after the file's own representations.
  private let tables = """
      product:
        cell: product-cell
        payload:
          default: ${name}
          class: ${count}
          1st price: ${price}
          in-stock: ${count > 0}
          in_stock: false
          seen: ${seen | date}
          size: ${size}
          colours: {$each: "${colours}", $value: "${$item | upper}"}
          details: {unit: "${unit}", list: [1, null]}
          more: ${colours}
      $default: {cell: TableViewExpandableCell, payload: {title: "${name}", description: "«${name}»"}}
    tables:
      t:
        source: {local: {}}
        row: {id: "${id ?? name}", type: "${price ? 'product' : 'other'}"}
        sections: [{id: all, header: {cell: SectionTitle, payload: {title: "${$count} things"}}}]
    """

  private func snapshot(of items: [JSON.JSONValue]) throws -> Snapshot {
    let file = CodeGeneratorTests.folder.appending(path: "../Fixtures/cells.yaml").standardizedFileURL
    let cells = try String(contentsOf: file, encoding: .utf8).replacingOccurrences(of: "tables: {}\n", with: "")
    let (read, diagnostics) = ConfigurationReader.read(text: cells + tables, file: "cells.yaml", environment: [:])
    let definition = try #require(read, "\(diagnostics)")
    let table = try #require(definition.tables.first)
    let mapper = try TableMapper(
      table: table,
      cells: definition.cells,
      representations: definition.representations,
      sources: definition.sources
    )
    let result = mapper.map([table.source: .items(items.map { SourceItem(bytes: $0.bytes) })])
    #expect(result.skippedItems == 0, "\(result.skipped)")
    var writer = JSONWriter()
    writer.write(snapshot: result.table(table), cursor: Cursor(epoch: Epoch.random(), version: 1))
    return try JSONDecoder().decode(Snapshot.self, from: Data(writer.bytes))
  }

  @Test func generatedSwiftDecodesSnapshots() throws {
    let snapshot = try snapshot(of: [
      [
        "name": "Lamp \"☀\"", "price": 9.5, "count": 3, "seen": 1_714_602_600, "size": "extra large",
        "colours": ["red", "grün"], "unit": nil,
      ],
      ["id": "note", "name": "Note\n"],
    ])
    #expect(snapshot.sections.count == 1)
    #expect(snapshot.sections.first?.header == .sectionTitle(SectionTitle(title: "2 things")))
    let product = ProductCell(
      default: "Lamp \"☀\"",
      class: 3,
      _1stPrice: 9.5,
      inStock: true,
      inStock2: false,
      seen: "2024-05-01T22:30:00Z",
      size: .extraLarge,
      colours: ["RED", "GRÜN"],
      details: ["unit": .null, "list": .array([.number(1), .null])],
      more: .array([.string("red"), .string("grün")])
    )
    let other = TableViewExpandableCell(title: "Note\n", description: "«Note\n»", isExpanded: false)
    #expect(snapshot.sections.first?.rows == [.productCell(product), .tableViewExpandableCell(other)])
  }
}
