import Definitions
import Expressions
import JSON
import Testing

@testable import Upstream

/// Expressions of an answer read the values that the request was made with.
@Suite struct AnswerScopeTests {
  private static func check() -> ResponseCheck {
    let context = FetchContext(
      parameters: ["kind": "a"],
      environment: ["SPACE": "w1"],
      caller: ["name": "Ann"]
    )
    return ResponseCheck(redaction: Redaction(hiding: []), context: context)
  }

  private static func page(_ text: String, _ definition: UpstreamDefinition) throws
    -> (page: ResponseCheck.Page, text: ResponseCheck.Text)
  {
    let url = try #require(UpstreamURL("http://a.test/"))
    return try check().read(Array(text.utf8), of: url, definition, limit: 10)
  }

  @Test(arguments: ["kind == $params.kind", "space == env.SPACE", "owner == $caller.name"])
  func items(_ condition: String) throws {
    var definition = try UpstreamDefinition(quick: "http://a.test/")
    definition.items = try Expression("data | where(\(condition))")
    let body = #"{"data":[{"kind":"a","space":"w1","owner":"Ann"},{"kind":"b","space":"w2","owner":"Bob"}]}"#
    #expect(try Self.page(body, definition).page.itemCount == 1)
  }

  /// Beside the items, too: of a list in its place, and of one that an expression makes.
  @Test(arguments: ["data", "data | where($item != null)"]) func restOfThePage(_ items: String) throws {
    var definition = try UpstreamDefinition(quick: "http://a.test/")
    definition.items = try Expression(items)
    definition.paging = PagingDefinition(style: .cursor(try Expression("cursors[$params.kind]"), parameter: "after"))
    definition.paging?.total = try Expression("totals[env.SPACE]")
    definition.since = SinceDefinition(key: try Expression("id"))
    definition.since?.next = try Expression("marks[$caller.name]")
    let body = #"{"data":[{"id":1}],"cursors":{"a":"c1"},"totals":{"w1":7},"marks":{"Ann":"m1"}}"#
    let page = try Self.page(body, definition).page
    #expect(page.next == "c1" && page.total == 7 && page.since == "m1")
  }

  /// The key and the deletion of an item: a variable that were null would delete all of them.
  @Test(arguments: ["data", "data | where($item != null)"]) func changes(_ items: String) throws {
    var definition = try UpstreamDefinition(quick: "http://a.test/")
    definition.items = try Expression(items)
    var since = SinceDefinition(key: try Expression("ids[$params.kind]"))
    since.deleted = try Expression("space != env.SPACE || owner != $caller.name")
    definition.since = since
    let reading = ChangedItems.Reading(definition: definition, since: since, check: Self.check())
    let whole = #"""
      {"data":[{"ids":{"a":1,"b":1},"space":"w1","owner":"Ann","n":1},{"ids":{"a":2},"space":"w2","owner":"Ann"},
      {"ids":{"a":3},"space":"w1","owner":"Bob"}]}
      """#
    let all = try Self.page(whole, definition).text
    let everything = try ChangedItems.everything([all], next: 1, isTruncated: false, reading)
    #expect(everything.1?.count == 1)
    var content = everything.0
    let other = #"{"data":[{"ids":{"a":1,"b":2},"space":"w1","owner":"Ann","n":2}]}"#
    let laid = try content.lay([Self.page(other, definition).text], next: 2, atMost: 10, reading)
    #expect(laid.delivery?.count == 1 && laid.unnamed == 0, "it takes the place of the one with its key")
  }
}
