import Definitions
import JSON
import TableMapping
import TableModel
import Testing

/// What must be said, refused or told apart.
@Suite struct FaultTests {
  /// Each took as many steps as there are items.
  @Test func identicalItemsAreLinear() throws {
    let count = 15_000
    let page = Array("[\([String](repeating: #"{"id":1,"title":"a"}"#, count: count).joined(separator: ","))]".utf8)
    let mapper = try Fixture().mapper()
    let first = mapper.map(["s": .pages([page])])
    #expect(first.rows.count == 1)
    #expect(first.skippedItems == count - 1)
    let shifted = Array(#"[{"id":2,"title":"b"},"#.utf8) + page.dropFirst()
    #expect(mapper.map(["s": .pages([shifted])], after: first).outline == ["main: 2 1"])
    let own = (0..<count).map { SourceItem(id: "i\($0)", bytes: Array(#"{"title":"a"}"#.utf8)) }
    let owner = try Fixture { $0.table.rowID = nil }.mapper()
    let all = owner.map(["s": .items(own)])
    let later = owner.map(["s": .items(Array(own.reversed()))], after: all)
    #expect(later.rows.count == count)
    #expect(later.rows.first === all.rows.last)
  }

  @Test func aSortThatFailsIsSaid() throws {
    let result = try Fixture {
      var main = section("main")
      main.sort = [SortDefinition(key: expression("title - 1"))]
      $0.table.sections = .single(main)
    }.map(#"[{"id":1,"title":"a"},{"id":2,"title":"b"}]"#)
    #expect(result.outline == ["main: 1 2"])
    #expect(result.skippedItems == 0)
    #expect(result.warnings.first?.hasPrefix("`sort` of the section “main”: “title - 1”: ") == true)
  }

  @Test func aWhenThatFailsIsSaid() throws {
    let result = try Fixture {
      $0.table.rowType = template("x")
      $0.representations["x"] = .cases([
        .init(when: expression("title > 3"), representation: .cell(mapping("Title", ["title": "x"])))
      ])
    }.map(#"[{"id":1,"title":"a"}]"#)
    #expect(result.rows.map { $0.payload() } == [#"{"title":"a"}"#])
    #expect(result.warnings.first?.hasPrefix("`when`: ") == true)
    #expect(result.warnings.first?.hasSuffix("the row 1 is shown by default") == true)
  }

  @Test func aCellThatDoesNotFitIsNoFault() throws {
    let result = try Fixture {
      $0.table.rowType = template("x")
      $0.representations["x"] = .cell(mapping("Title", ["title": "${nothing}"]))
    }.map(#"[{"id":1,"title":"a"}]"#)
    #expect(result.rows.count == 1)
    #expect(result.warnings.isEmpty)
  }

  @Test(
    "keys of groups",
    arguments: [
      ("null", "none"), ("\"\"", "none"), (nil, "none"), ("false", "false"), ("0", "0"), ("\"none\"", "none"),
      ("18446744073709551615", "18446744073709551615"), ("[1]", nil), ("{}", nil), ("[]", nil),
    ] as [(String?, String?)]
  )
  func groupKeys(key: String?, section: String?) throws {
    let member = key.map { #","group":\#($0)"# } ?? ""
    let result = try Fixture {
      $0.table.sections = groups(by: "group") { $0.header = mapping("Title", ["title": "${$key ?? 'none'}"]) }
    }.map(#"[{"id":1,"title":"a"\#(member)},{"id":2,"title":"b"\#(member)}]"#)
    #expect(result.sections.map(\.id) == [section].compactMap(\.self))
    #expect(result.skippedItems == 0)
    if let section {
      #expect(result.sections.first?.header?.text.contains("\"\(section)\"") == true)
      #expect(result.warnings.isEmpty)
    } else {
      #expect(result.warnings.count == 1)
      #expect(result.warnings.first?.contains("which no section takes") == true)
    }
  }

  private let composed = "caf\u{E9}"
  private let decomposed = "cafe\u{301}"

  @Test func textsAreComparedByTheirBytes() throws {
    let items = #"[{"id":"\#(composed)","title":"\#(composed)"},{"id":"\#(decomposed)","title":"\#(decomposed)"}]"#
    var fixture = Fixture()
    // Where an identity stands in a table depends on chance.
    for _ in 0..<50 {
      let result = try fixture.map(items)
      #expect(result.rows.count == 2)
      #expect(result.item(decomposed).map { String(decoding: $0.bytes, as: UTF8.self).utf8.count } == 32)
    }
    fixture.table.sections = groups(by: "title") {
      $0.order = [decomposed]; $0.sortGroups = .ascending
    }
    let grouped = try fixture.map(items)
    #expect(grouped.sections.map { Array($0.id.utf8) } == [Array(decomposed.utf8), Array(composed.utf8)])
    var sorted = section("main")
    sorted.sort = [SortDefinition(key: expression("title"))]
    fixture.table.sections = .single(sorted)
    #expect(try fixture.map(items).rows.map { Array($0.id.utf8) } == [Array(decomposed.utf8), Array(composed.utf8)])
  }

  @Test(
    "identities that no URL can name",
    arguments: [
      (".", "stands for another place"), ("..", "stands for another place"), ("a\\u0000", "a control character"),
      ("a\\nb", "a control character"), ("\\u007f", "a control character"), ("\\u0085", "a control character"),
      (String(repeating: "é", count: 513), "has 1026 bytes; an identity has at most 1024"),
      ("...", nil), ("a/b", nil), ("a b?#%", nil), (String(repeating: "é", count: 512), nil),
    ] as [(String, String?)]
  )
  func identities(id: String, reason: String?) throws {
    let result = try Fixture().map(#"[{"id":"\#(id)","title":"a"}]"#)
    #expect(result.rows.count == (reason == nil ? 1 : 0))
    #expect(result.skippedItems == (reason == nil ? 0 : 1))
    if let reason { #expect(result.reasons.first?.contains(reason) == true) }
  }

  @Test func anItemOfTheServicesOwnKeepsItsAddressWhereItsIdentityIsRefused() throws {
    let items = [SourceItem(id: "own", bytes: Array(#"{"id":"..","title":"a"}"#.utf8))]
    let result = try Fixture().mapper().map(["s": .items(items)])
    #expect(result.skippedItems == 1)
    #expect(result.item("own")?.hasRow == false)
  }

  @Test func integersAboveInt64KeepTheirDigits() throws {
    let numbers = ["18446744073709551615", "9223372036854775807", "18446744073709551614", "9223372036854775808"]
    var fixture = Fixture {
      $0.cells = [CellDefinition(identifier: "Title", fields: [.init(name: "title", type: .integer)])]
      var main = section("main")
      main.sort = [SortDefinition(key: expression("id"))]
      $0.table.sections = .single(main)
      $0.table.cell = mapping("Title", ["title": "${id}"])
    }
    let items = numbers.map { #"{"id":\#($0)}"# }.joined(separator: ",")
    let result = try fixture.map("[\(items)]")
    #expect(result.rows.map(\.id) == [numbers[1], numbers[3], numbers[2], numbers[0]])
    #expect(result.rows.last?.payload() == #"{"title":18446744073709551615}"#)
    fixture.table.sections = groups(by: "id") { $0.sortGroups = .descending }
    #expect(try fixture.map("[\(items)]").sections.map(\.id) == [numbers[0], numbers[2], numbers[3], numbers[1]])
    #expect(try JSONValue(parsing: "[\(items)]").bytes == Array("[\(items)]".utf8))
  }

  @Test func warningsAreSaidOnce() throws {
    let result = try Fixture { $0.table.can.edit = .expression(expression("title - 1")) }
      .map(#"[{"id":1,"title":"a"},{"id":2,"title":"a"}]"#)
    #expect(result.warnings.count == 1)
  }
}
