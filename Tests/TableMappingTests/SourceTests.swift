import Definitions
import JSON
import TableMapping
import TableModel
import Testing

@Suite struct SourceTests {
  private func fixture(items: String?) -> Fixture {
    Fixture {
      var upstream = UpstreamDefinition(url: template("https://a.example/"))
      upstream.items = items.map { expression($0) }
      $0.sources = [SourceDefinition(name: "s", kind: .upstream(upstream))]
    }
  }

  @Test(
    "where the list stands",
    arguments: [
      (nil, #"[{"id":1,"title":"a"}]"#), ("$response", #" [ {"id":1,"title":"a"} ] "#),
      ("data.members", #"{"data":{"x":[],"members":[{"id":1,"title":"a"}]},"z":1}"#),
      ("$response['a b'][-1]", #"{"a b":[[],[{"id":1,"title":"a"}]]}"#),
      ("data | where(ok)", #"{"data":[{"id":1,"title":"a","ok":true},{"id":2,"ok":false}]}"#),
    ] as [(String?, String)]
  )
  func lists(items: String?, response: String) throws {
    let result = try fixture(items: items).map(response)
    #expect(result.problems.isEmpty)
    #expect(result.outline == ["main: 1"])
    #expect(result.rows.first?.payload() == #"{"title":"a"}"#)
  }

  @Test(
    "answers without a list are problems of the source",
    arguments: [
      (nil, #"{"message":"rate limit"}"#), ("data", "{}"), ("data", #"{"data":{}}"#), ("data", "[]"),
      ("data | where(ok)", #"{"data":5}"#), (nil, ""), (nil, "[1,"), (nil, "<html>"), (nil, "[1,]"),
    ] as [(String?, String)]
  )
  func problems(items: String?, response: String) throws {
    let result = try fixture(items: items).map(response)
    #expect(result.problems.map(\.source) == ["s"])
    #expect(result.problems.first?.detail.isEmpty == false)
    #expect(result.sections.isEmpty)
    #expect(result.skippedItems == 0)
  }

  @Test func pagesFollowEachOther() throws {
    let pages = [#"[{"id":1,"title":"a"}]"#, "[]", #"[{"id":2,"title":"b"},{"id":1,"title":"again"}]"#]
    let result = try Fixture().mapper().map(["s": .pages(pages.map { Array($0.utf8) })])
    #expect(result.outline == ["main: 1 2"])
    #expect(result.skipped.map(\.index) == [2])
  }

  @Test func eachSectionHasItsSource() throws {
    let fixture = Fixture {
      var second = section("second")
      second.source = "other"
      $0.table.sections = .list([section("first", where: "id < 9"), second], firstMatch: true)
    }
    let mapper = try fixture.mapper()
    #expect(mapper.sources == ["s", "other"])
    let own = SourceContent.pages([Array(#"[{"id":1,"title":"a"},{"id":9,"title":"b"}]"#.utf8)])
    let other = SourceContent.items([SourceItem(bytes: Array(#"{"id":9,"title":"c"}"#.utf8))])
    #expect(mapper.map(["s": own, "other": other]).outline == ["first: 1", "second: 9"])
    let down = mapper.map(["s": own])
    #expect(down.outline == ["first: 1"])
    #expect(down.omittedSections == 1)
    #expect(mapper.map([:]).sections.isEmpty)
  }

  @Test func aMalformedItemMakesTheWholeNoJSON() throws {
    let result = try Fixture().map(#"[{"id":1,"title":"a"},{"id":2,"title":tru},{"id":3,"title":"c"}]"#)
    #expect(result.outline.isEmpty)
    #expect(result.problems.map(\.kind) == [.malformed])
    #expect(result.problems.first?.detail.hasPrefix("item 2 is not JSON: ") == true)
  }

  @Test func aMalformedItemIsNamedByItsPlace() throws {
    let pages = [#"[{"id":1,"title":"a"}]"#, #"[{"id":2,"title":"b"},{"id":3,"title":NaN}]"#].map { Array($0.utf8) }
    let lists = try pages.map { page in try ListedText(page, named: "https://x.example/items") }
    let result = try Fixture().mapper().map(["s": .pages(pages, lists: lists)])
    let detail = try #require(result.problems.first?.detail)
    #expect(detail.hasPrefix("https://x.example/items, page 2: item 2 is not JSON: "), "\(detail)")
  }

  @Test func parametersEnvironmentAndResponseAreSeen() throws {
    let fixture = Fixture {
      $0.table.cell = mapping("Title", ["title": "${$params.a} ${env.B} ${$response | length} ${$index}"])
    }
    let content = ["s": SourceContent.pages([Array(#"[{"id":1},{"id":2}]"#.utf8)])]
    let result = try fixture.mapper().map(content, parameters: ["a": "x"], environment: ["B": "y"])
    #expect(result.rows.map { $0.payload() } == [#"{"title":"x y 2 0"}"#, #"{"title":"x y 2 1"}"#])
  }

  @Test func theRefusalOfAnItemSaysWhy() throws {
    let items = [#"{"title":"a"}"#, #"{"title":1}"#].enumerated().map {
      SourceItem(id: "\($0)", bytes: Array($1.utf8))
    }
    let result = try Fixture().mapper().map(["s": .items(items)])
    #expect(result.refusal(ofItemAt: 0, of: "s") == nil)
    let refusal = result.refusal(ofItemAt: 1, of: "s")
    #expect(refusal?.reason == "the field “title” of Title is the number 1; a text is expected")
    #expect(refusal?.field == "title")
    #expect(result.refusal(ofItemAt: 2, of: "s") == nil)
  }

  @Test func theTableOfAResultIsReadyOrEmpty() throws {
    let fixture = Fixture()
    #expect(try fixture.map(#"[{"id":1,"title":"a"},{"id":2}]"#).table(fixture.table).state == .ready)
    let empty = try fixture.map(#"[{"id":2}]"#).table(fixture.table)
    #expect(empty.state == .empty)
    #expect(empty.counts == Counts(sections: 0, rows: 0, omittedSections: 1, skippedItems: 1))
  }
}
