import Definitions
import Expressions
import JSON
import TableEncoding
import TableMapping
import TableModel
import Testing

@Suite struct RowVariantTests {
  private func row(_ title: String = "t") throws -> Row {
    let result = try Fixture {
      $0.cells[0].fields.append(.init(name: "isExpanded", type: .boolean, isOptional: true))
      $0.table.cell = mapping(
        "Expandable",
        ["title": "${title}", "text": "x", "isExpanded": false],
        select: ["to": "${$id}"]
      )
    }.map(#"[{"id":1,"title":\#(String(decoding: JSONValue.string(title).bytes, as: UTF8.self))}]"#)
    return try #require(result.rows.first)
  }

  /// The ranges of a row must say where its parts stand, whatever made it.
  private func expectSound(_ row: Row) throws {
    guard case .object = try JSONValue(parsing: row.encoded) else {
      Issue.record("no object: \(row.text)")
      return
    }
    var value = try JSONValue(parsing: row.encoded)
    #expect(value["id"] == .string(row.id))
    #expect(try value["select"] == row.select.map { try JSONValue(parsing: Array(row.encoded[$0])) })
    for (index, part) in row.cells.enumerated() {
      #expect(value["cellIdentifier"] == .string(part.cellIdentifier))
      #expect(try value["payload"] == JSONValue(parsing: Array(row.encoded[part.payload])))
      if index + 1 < row.cells.count { value = try #require(value["fallback"]) }
    }
    #expect(value["fallback"] == nil)
    if let expansion = row.expansion {
      #expect(["true", "false"].contains(String(decoding: row.encoded[expansion], as: UTF8.self)))
    }
  }

  @Test(arguments: ["t", "", "q\"\\", "}],{\"isExpanded\":true", "\"isExpanded\":false,"])
  func aTapFlipsTheFieldAndBack(title: String) throws {
    let row = try row(title)
    try expectSound(row)
    let open = row.toggled()
    try expectSound(open)
    #expect(row.isExpanded == false)
    #expect(open.isExpanded == true)
    #expect(open.payload().hasSuffix(#""isExpanded":true}"#))
    // The fallback took the field over, for clients that show it instead.
    #expect(row.payload(1).hasSuffix(#""isExpanded":false}"#) && open.payload(1).hasSuffix(#""isExpanded":true}"#))
    #expect(open.showing(accepted: { $0 == "Title" }, defaultCell: nil).isExpanded == true)
    #expect(Row.same(open.toggled(), row))
    #expect(row.expanded(false) === row)
  }

  @Test func aCellThatDoesNotExpandStaysAsItIs() throws {
    let row = try #require(try Fixture().map(#"[{"id":1,"title":"a"}]"#).rows.first)
    #expect(row.isExpanded == nil)
    #expect(row.toggled() === row)
  }

  /// Whatever stands beside it in the row, and has the same names.
  @Test(arguments: ["t", "\"can\":{\"edit\":true", "},\"can\":{},\"actions\":[]"], [[], ["\"]}", "b"]])
  func aReaderIsOfferedNoEdit(title: String, actions: [String]) throws {
    for permissions in (0..<8).map({ Permissions(rawValue: $0) }) {
      var builder = RowBuilder()
      let cells = [
        CellLayout(
          identifier: "Expandable",
          fields: [.init(name: "title", slot: 0), .init(name: "can", slot: 1), .init(name: "isExpanded", slot: 2)],
          expands: "isExpanded"
        ),
        CellLayout(identifier: "Plain", fields: [.init(name: "title", slot: 0), .init(name: "actions", slot: 1)]),
      ]
      let row = builder.row(
        id: title,
        cell: cells[0],
        fallbacks: cells[1...],
        values: [.string(title), .object([.init(name: "edit", value: .bool(true))]), .bool(false)],
        permissions: permissions,
        actions: actions.map { RowAction(id: $0, title: title, style: "normal") },
        select: .object([.init(name: "can", value: .string(title))])
      )
      let shown = row.readOnly()
      try expectSound(row)
      try expectSound(shown)
      var expected = try JSONValue(parsing: row.encoded)
      expected["can"] = ["edit": false, "move": false, "select": .bool(permissions.contains(.select))]
      #expect(try JSONValue(parsing: shown.encoded) == expected)
      #expect(shown.permissions == permissions.intersection(.select) && !shown.offersEdits)
      #expect(row.offersEdits == !permissions.isDisjoint(with: [.edit, .move]))
      #expect((shown === row) == !row.offersEdits && shown.readOnly() === shown)
      // In either order with what else is done to it.
      for (one, other) in [
        (shown.toggled(), row.toggled().readOnly()),
        (shown.showing(at: 1, defaultCell: nil), row.showing(at: 1, defaultCell: nil).readOnly()),
      ] {
        try expectSound(one)
        #expect(Row.same(one, other) && one.permissions == other.permissions)
      }
    }
  }

  @Test func theFirstAcceptedCellOfTheChainIsShown() throws {
    let row = try row()
    #expect(row.showing(accepted: { $0 == "Expandable" }, defaultCell: nil) === row)
    let shown = row.showing(accepted: { $0 == "Title" }, defaultCell: nil)
    try expectSound(shown)
    #expect(
      shown.text
        == #"{"id":"1","cellIdentifier":"Title","payload":{"title":"t","isExpanded":false},"#
        + #""can":{"edit":false,"move":false,"select":true},"select":{"to":"1"}}"#
    )
    #expect(shown.toggled().payload() == #"{"title":"t","isExpanded":true}"#)
  }

  @Test func whereNoneIsAcceptedTheDefaultCellTakesWhatFits() throws {
    let cell = CellDefinition(
      identifier: "Default",
      fields: [
        .init(name: "text", type: .string), .init(name: "title", type: .number), .init(name: "tags", type: .list(.any)),
        .init(name: "kind", type: .oneOf(["a", "b"])), .init(name: "more", type: .any, isOptional: true),
      ]
    )
    let shown = try row().showing(accepted: { _ in false }, defaultCell: cell)
    try expectSound(shown)
    #expect(shown.cells.count == 1)
    #expect(shown.payload() == #"{"text":"x","title":0,"tags":[],"kind":"a"}"#)
    #expect(shown.expansion == nil)
    #expect(shown.select != nil)
  }

  /// A required field of each type that nothing fills has a value of its type.
  @Test(
    arguments: [
      (.string, "\"\""), (.url, "\"\""), (.date, "\"1970-01-01T00:00:00Z\""), (.number, "0"), (.integer, "0"),
      (.boolean, "false"), (.object, "{}"), (.any, "null"), (.list(.date), "[]"), (.oneOf(["a"]), "\"a\""),
    ] as [(FieldType, String)]
  )
  func whatIsMissingIsOfItsType(_ type: FieldType, _ expected: String) throws {
    let cell = CellDefinition(identifier: "Default", fields: [.init(name: "missing", type: type)])
    let shown = try row().showing(accepted: { _ in false }, defaultCell: cell)
    #expect(shown.payload() == "{\"missing\":\(expected)}")
  }

  @Test func withoutADefaultTheLastOfTheChainStays() throws {
    #expect(try row().showing(accepted: { _ in false }, defaultCell: nil).cellIdentifier == "Title")
  }

  @Test func aRenamedRowIsTheSameUnderAnotherIdentity() throws {
    let row = try row()
    let renamed = row.renamed("a\"b")
    try expectSound(renamed)
    #expect(Row.same(renamed.renamed("1"), row))
    #expect(renamed.payload() == row.payload())
    #expect(renamed.isExpanded == false)
  }
}
