import Definitions
import JSON
import TableMapping
import TableModel
import Testing

@Suite struct RowShapeTests {
  @Test func theSmallestTable() throws {
    let result = try Fixture().map(#"[{"id":1,"title":"a"},{"id":"x","title":"b"}]"#)
    #expect(result.outline == ["main: 1 x"])
    #expect(
      result.rows[0].text
        == #"{"id":"1","cellIdentifier":"Title","payload":{"title":"a"},"can":{"edit":false,"move":false,"select":true}}"#
    )
    #expect(result.rows[0].payload() == #"{"title":"a"}"#)
    #expect(result.item("x").map { String(decoding: $0.bytes, as: UTF8.self) } == #"{"id":"x","title":"b"}"#)
  }

  @Test func everyPartOfARow() throws {
    let result = try Fixture {
      $0.table.cell = mapping(
        "Expandable",
        ["title": "#${id} ${title}", "text": "${body ?? ''}", "isExpanded": false],
        select: ["type": "open", "row": "${$id}"]
      )
      $0.table.can.edit = .constant(true)
      $0.table.can.move = .expression(expression("!done"))
    }.map(#"[{"id":7,"title":"q\"\u0001ü","body":null,"done":false}]"#)
    let row = try #require(result.rows.first)
    #expect(
      row.text
        == ##"{"id":"7","cellIdentifier":"Expandable","payload":{"title":"#7 q\"\u0001ü","text":"","isExpanded":false},"##
        + #""can":{"edit":true,"move":true,"select":true},"select":{"type":"open","row":"7"},"#
        + ##""fallback":{"cellIdentifier":"Title","payload":{"title":"#7 q\"\u0001ü"}}}"##
    )
    #expect(row.cells.map(\.cellIdentifier) == ["Expandable", "Title"])
    #expect(row.payload(1) == ##"{"title":"#7 q\"\u0001ü"}"##)
    #expect(row.select.map { String(decoding: row.encoded[$0], as: UTF8.self) } == #"{"type":"open","row":"7"}"#)
    #expect(row.expansion.map { String(decoding: row.encoded[$0], as: UTF8.self) } == "false")
    #expect(row.permissions == [.edit, .move, .select])
    #expect(try JSONValue(parsing: row.encoded) != .null)
  }

  @Test func anExpandableFieldThatNoPayloadFillsIsOff() throws {
    let result = try Fixture { $0.table.cell = mapping("Expandable", ["title": "${title}", "text": ""]) }
      .map(#"[{"id":1,"title":"a"}]"#)
    #expect(result.rows.first?.payload() == #"{"title":"a","text":"","isExpanded":false}"#)
    #expect(result.rows.first?.expansion != nil)
  }

  @Test func selectComesFromTheCellUnlessTheRepresentationHasOne() throws {
    var fixture = Fixture()
    fixture.cells[0].select = template(["open": "${url}"])
    let row = try #require(try fixture.map(#"[{"id":1,"title":"a","url":"/x"}]"#).rows.first)
    #expect(row.text.contains(#""select":{"open":"/x"}"#))
    fixture.table.cell = mapping("Title", ["title": "a"], select: "${nothing}")
    let last = try #require(try fixture.map(#"[{"id":1,"title":"a","url":"/x"}]"#).rows.first)
    #expect(last.select == nil)
  }

  @Test(
    "identities",
    arguments: [
      (#"{"id":1,"title":"a"}"#, "1"), (#"{"id":12.0,"title":"a"}"#, "12"), (#"{"id":-3,"title":"a"}"#, "-3"),
      (#"{"id":18446744073709551615,"title":"a"}"#, "18446744073709551615"), (#"{"id":1.5,"title":"a"}"#, "1.5"),
      (#"{"id":"a/ä b","title":"a"}"#, "a/ä b"), (#"{"id":"","title":"a"}"#, nil),
      (#"{"id":null,"title":"a"}"#, nil), (#"{"title":"a"}"#, nil), (#"{"id":true,"title":"a"}"#, nil),
      (#"{"id":[1],"title":"a"}"#, nil), (#"{"id":{},"title":"a"}"#, nil),
    ] as [(String, String?)]
  )
  func identities(item: String, id: String?) throws {
    let result = try Fixture().map("[\(item)]")
    #expect(result.rows.map(\.id) == [id].compactMap { $0 })
    #expect(result.skippedItems == (id == nil ? 1 : 0))
    if id == nil { #expect(result.reasons.first?.hasPrefix("`row.id` is ") == true) }
  }

  @Test func ofTwoWithOneIdentityTheFirstWins() throws {
    let result = try Fixture().map(#"[{"id":1,"title":"a"},{"id":"1","title":"b"},{"id":2,"title":"c"}]"#)
    #expect(result.rows.map { $0.payload() } == [#"{"title":"a"}"#, #"{"title":"c"}"#])
    #expect(result.skippedItems == 1)
    #expect(result.skipped.first?.id == "1")
    #expect(result.skipped.first?.index == 1)
  }

  @Test func localItemsBringTheirIdentity() throws {
    let items = SourceContent.items([
      SourceItem(id: "g1", bytes: Array(#"{"title":"a"}"#.utf8)),
      SourceItem(id: "g2", bytes: Array(#"{"title":"b","id":9}"#.utf8)),
    ])
    #expect(try Fixture { $0.table.rowID = nil }.mapper().map(["s": items]).rows.map(\.id) == ["g1", "g2"])
    let templated = try Fixture().mapper().map(["s": items])
    #expect(templated.rows.map(\.id) == ["g1", "9"])
    #expect(templated.item("9")?.givenID == "g2")
  }

  @Test func onlyTenSkippedItemsAreKeptAndAllAreCounted() throws {
    let items = (0..<25).map { #"{"id":\#($0)}"# }.joined(separator: ",")
    let result = try Fixture().map("[\(items)]")
    #expect(result.skippedItems == 25)
    #expect(result.skipped.map(\.index) == Array(0..<10))
    #expect(result.reasons.first == "the field “title” of Title is null; a text is expected")
  }

  @Test func scalarsAreItemsToo() throws {
    let result = try Fixture {
      $0.table.rowID = template("${$item}")
      $0.table.cell = mapping("Title", ["title": "no. ${$item} at ${$index}"])
    }.map(#"[ 8863 , "x",true]"#)
    #expect(result.rows.map { $0.payload() } == [#"{"title":"no. 8863 at 0"}"#, #"{"title":"no. x at 1"}"#])
    #expect(result.skippedItems == 1)
  }
}
