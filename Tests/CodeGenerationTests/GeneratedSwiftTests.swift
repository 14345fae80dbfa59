import Foundation
import Testing

/// The generated Swift, compiled into these tests.
@Suite struct GeneratedSwiftTests {
  /// Rows as a snapshot has them.
  @Test func generatedSwiftDecodesRows() throws {
    let rows = """
      [{"id": "1", "cellIdentifier": "SectionTitle", "payload": {"title": "A"}, "can": {"edit": false}},
       {"id": "2", "cellIdentifier": "TableViewCellWithImageAndLabel",
        "payload": {"title": "B", "imageName": "https://x.example/b.png"}},
       {"id": "3", "cellIdentifier": "TableViewCellWithImageAndLabel", "payload": {"title": "C", "imageName": null}},
       {"id": "4", "cellIdentifier": "TableViewExpandableCell",
        "payload": {"title": "D", "description": "d", "isExpanded": true},
        "fallback": {"cellIdentifier": "SectionTitle", "payload": {"title": "D"}}},
       {"id": "5", "cellIdentifier": "product-cell",
        "payload": {"default": "E", "class": 3, "1st price": 9.5, "in-stock": true, "in_stock": false,
                    "size": "extra large", "colours": ["red"], "details": {"a": [1, null]}, "more": false}},
       {"id": "6", "cellIdentifier": "PollCell", "payload": {"votes": 3}},
       {"id": "7", "cellIdentifier": "Cell", "payload": {}}]
      """
    let cells = try JSONDecoder().decode([Cell].self, from: Data(rows.utf8))
    #expect(
      cells == [
        .sectionTitle(SectionTitle(title: "A")),
        .tableViewCellWithImageAndLabel(
          TableViewCellWithImageAndLabel(title: "B", imageName: URL(string: "https://x.example/b.png"))
        ),
        .tableViewCellWithImageAndLabel(TableViewCellWithImageAndLabel(title: "C")),
        .tableViewExpandableCell(TableViewExpandableCell(title: "D", description: "d", isExpanded: true)),
        .productCell(
          ProductCell(
            default: "E",
            class: 3,
            _1stPrice: 9.5,
            inStock: true,
            inStock2: false,
            size: .extraLarge,
            colours: ["red"],
            details: ["a": .array([.number(1), .null])],
            more: .bool(false)
          )
        ),
        .unknown(cellIdentifier: "PollCell"),
        .cell(Cell2()),
      ]
    )
    let known = cells.filter { if case .unknown = $0 { false } else { true } }
    #expect(try JSONDecoder().decode([Cell].self, from: JSONEncoder().encode(known)) == known)
    #expect(
      Cell.accepted
        == "SectionTitle, TableViewCellWithImageAndLabel, TableViewExpandableCell;v=2, product-cell, Cell"
    )
  }

  @Test func aPayloadOfAnotherShapeIsRefused() {
    let row = #"{"cellIdentifier": "SectionTitle", "payload": {"title": 3}}"#
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(Cell.self, from: Data(row.utf8)) }
  }
}
