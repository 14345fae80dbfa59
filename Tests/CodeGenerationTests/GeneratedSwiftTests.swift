import Foundation
import Testing

@testable import TablecastClient

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

/// What the generated code gives a client.
@Suite struct GeneratedCellModelTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    var row: String
    var content: CellContent<Cell>
    var testDescription: String { name }
  }

  static let cases: [Case] = [
    Case(
      name: "a cell that is known",
      row: #"{"cellIdentifier": "SectionTitle", "payload": {"title": "A"}}"#,
      content: .known(.sectionTitle(SectionTitle(title: "A")))
    ),
    Case(
      name: "an unknown one with a fallback of a fallback",
      row: """
        {"cellIdentifier": "New", "payload": {}, "fallback": {"cellIdentifier": "Newer", "payload": {},
         "fallback": {"cellIdentifier": "SectionTitle", "payload": {"title": "A"}}}}
        """,
      content: .fallback(.sectionTitle(SectionTitle(title: "A")))
    ),
    Case(
      name: "an unknown one",
      row: #"{"cellIdentifier": "New", "payload": {}}"#,
      content: .unknown(cellIdentifier: "New")
    ),
    Case(
      name: "a payload of another shape",
      row: #"{"cellIdentifier": "SectionTitle", "payload": {"title": 3}}"#,
      content: .malformed(reason: "SectionTitle: `payload.title` is no String")
    ),
    Case(
      name: "a payload of another shape, with a fallback",
      row: """
        {"cellIdentifier": "TableViewExpandableCell", "payload": {"title": 3},
         "fallback": {"cellIdentifier": "SectionTitle", "payload": {"title": "A"}}}
        """,
      content: .fallback(.sectionTitle(SectionTitle(title: "A")))
    ),
  ]

  @Test(arguments: cases) func aRowIsNeverLost(_ test: Case) throws {
    #expect(try CellContent(JSONText(test.row), as: Cell.self) == test.content)
  }

  static let selections: [(select: String, selection: Selection?)] = [
    (#"{"type":"open","url":"u"}"#, .open(Selection.Open(url: .string("u"), inApp: nil, place: nil))),
    (
      #"{"type":"open","url":null,"inApp":true,"place":{"first name":"A!","n":2}}"#,
      .open(Selection.Open(url: nil, inApp: true, place: Selection.Open.Place(firstName: "A!", n: 2)))
    ),
    (
      #"{"type":"call number","number":"tel:1","times":2}"#,
      .callNumber(Selection.CallNumber(number: "tel:1", times: .number(2), class: nil))
    ),
    (#"{"type":"self"}"#, .self2(Selection.Self2())),
    (#"{"type":"newer","x":1}"#, .unknown("newer")),
    // Of another shape.
    (#"{"type":"call number"}"#, nil), (#"{"kind":"open"}"#, nil), (#""open""#, nil), ("null", nil),
  ]

  @Test(arguments: selections) func selectIsTypedAsConfigured(_ test: (select: String, selection: Selection?)) throws {
    let row = try TableRow(JSONText(#"{"id":"1","cellIdentifier":"Cell","payload":{},"select":\#(test.select)}"#))
    #expect(row.selection == test.selection)
    guard let selection = row.selection else { return }
    #expect(try JSONDecoder().decode(Selection.self, from: JSONEncoder().encode(selection)) == selection)
  }

  @Test func aRowWithoutSelectLeadsNowhere() throws {
    #expect(try TableRow(JSONText(#"{"id":"1","cellIdentifier":"Cell","payload":{}}"#)).selection == nil)
  }

  @Test func theClientAsksForTheseCells() {
    #expect(Cell.acceptedCells == Cell.accepted)
    #expect(Cell.decodes(cellIdentifier: "product-cell"))
    #expect(!Cell.decodes(cellIdentifier: "New"))
  }
}

/// What the generated tables send.
@Suite struct GeneratedTableTests {
  @Test func namesThatAreHardOnALanguageStayWhatTheyAreOnTheWire() {
    #expect(Tables.ToDo.name == "to-do")
    #expect(Tables.ToDo.Section.self2.rawValue == "self" && Tables.ToDo.Section.nextWeek.rawValue == "next week")
    #expect(Tables.ToDo.Action.init2.rawValue == "init" && Tables.ToDo.Action.archiveIt.rawValue == "archive-it")
    #expect(Tables.ToDo.Filter.default.rawValue == "default" && Tables.ToDo.Sort.newest.rawValue == "newest")
    let member = Tables.String2(dir: .ascending, name2: "ada")
    #expect(Tables.String2.name == "String")
    #expect(member.parameters == ["dir": "ascending", "name": "ada", "q": ""])
    // Without a value the service takes the caller's.
    let full = Tables.String2(name2: "ada", team: .ours, owner: "bob")
    #expect(
      full.parameters == ["dir": "descending", "name": "ada", "q": "", "team": "ours", "owner": "bob"]
    )
  }

  @Test func everyMemberOfAnItemHasItsPath() {
    #expect(ToDoItem.path(of: \.title) == ["title"])
    #expect(ToDoItem.path(of: \.address.street) == ["address", "street"])
    #expect(ToDoItem.path(of: \.class) == ["class"])
    #expect(ToDoItem.path(of: \.new) == ["new"])
    #expect(ToDoItem.path(of: \.self2) == ["self"])
  }
}
