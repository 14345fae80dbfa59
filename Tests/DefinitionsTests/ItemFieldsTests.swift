import Definitions
import JSON
import Testing

/// What edits may write of local items.
@Suite struct ItemFieldsTests {
  private static let fields = ItemFields([
    .init(name: "title", type: .string), .init(name: "due", type: .date, isOptional: true),
    .init(name: "tags", type: .list(.string), isOptional: true),
    .init(name: "state", type: .oneOf(["open", "done"]), isOptional: true),
    .init(name: "link", type: .url, isOptional: true), .init(name: "points", type: .integer, isOptional: true),
    .init(name: "address.street", type: .string), .init(name: "address.zip", type: .string, isOptional: true),
    .init(name: "meta", type: .object, isOptional: true), .init(name: "meta.rank", type: .number),
  ])

  private static func value(_ text: String) throws -> JSONValue { try JSONValue(parsing: text) }

  @Test(arguments: [
    (#"{"title": "A", "address": {"street": "B"}}"#, []),
    (#"{"title": "A", "due": "2026-12-24", "address": {"street": "B"}}"#, []),
    (#"{"title": "A", "due": "2026-12-24T10:00:00+01:00", "address": {"street": "B"}}"#, []),
    (#"{"title": "A", "due": null, "tags": ["a"], "state": "done", "address": {"street": "B", "zip": null}}"#, []),
    (#"{"title": "A", "meta": {"rank": 1.5, "other": {}}, "address": {"street": "B"}}"#, []),
    (#"{}"#, ["title", "address.street"]),
    (#"{"title": null, "address": null}"#, ["title", "address.street"]),
    (#"{"title": "A", "address": "B"}"#, ["address"]), (#"{"title": "A", "address": {}}"#, ["address.street"]),
    (#"{"title": 1, "due": "2026-02-30", "address": {"street": ["B"]}}"#, ["title", "due", "address.street"]),
    (#"{"title": "A", "tags": ["a", 1], "state": "shut", "address": {"street": "B"}}"#, ["tags", "state"]),
    (#"{"title": "A", "tags": "a", "points": 1.5, "address": {"street": "B"}}"#, ["tags", "points"]),
    (#"{"title": "A", "meta": {}, "address": {"street": "B"}}"#, ["meta.rank"]),
    (#"{"title": "A", "owner": null, "address": {"street": "B", "lat": 1}}"#, ["owner", "address.lat"]),
    // Two ways to write one letter are two names.
    (#"{"title": "A", "e\u0301": 1, "address": {"street": "B"}}"#, ["e\u{301}"]),
  ])
  func newItems(item: String, faults: [String]) throws {
    let item = try Self.value(item)
    let found = Self.fields.faults(writing: item, making: item, by: .whole)
    #expect(found.map(\.name).sorted() == faults.sorted(), "\(found)")
  }

  /// What a patch doesn't write is not looked at.
  @Test(arguments: [
    (#"{"title": 1}"#, #"{"due": "2026-12-24"}"#, []), (#"{"title": 1}"#, #"{"title": 2}"#, ["title"]),
    (#"{"title": "A"}"#, #"{"title": null}"#, ["title"]), (#"{"old": 1}"#, #"{"old": null}"#, []),
    (#"{"old": 1}"#, #"{"old": 2}"#, ["old"]), (#"{"address": {"street": 1}}"#, #"{"address": {"zip": "1"}}"#, []),
    (#"{"address": {"street": "B"}}"#, #"{"address": {"street": null}}"#, ["address.street"]),
    (#"{"address": {"street": "B"}}"#, #"{"address": null}"#, ["address.street"]),
    // What is made anew is looked at as a whole.
    (#"{}"#, #"{"address": {"zip": "1"}}"#, ["address.street"]),
    (#"{"address": 5}"#, #"{"address": {"zip": "1"}}"#, ["address.street"]),
    (#"{"address": {"lat": 5, "street": "B"}}"#, #"{"address": {"zip": "1"}}"#, []),
    (#"{"meta": {"rank": 1}}"#, #"{"meta": null}"#, []),
  ])
  func patches(old: String, patch: String, faults: [String]) throws {
    let (old, patch) = (try Self.value(old), try Self.value(patch))
    let found = Self.fields.faults(writing: patch, making: old.merging(patch: patch), by: .patch(of: old))
    #expect(found.map(\.name) == faults, "\(found)")
  }

  @Test(arguments: [
    ("https://a.example/x", true), ("HTTP://a.example", true), ("mailto:a@b.example", true), ("tel:+4930", true),
    ("/help", true), ("javascript:alert(1)", false), ("JaVaScRiPt:alert(1)", false), ("data:text/html,x", false),
    ("vbscript:x", false), ("file:///etc/passwd", false), (" javascript:alert(1)", false), ("java\nscript:x", false),
    ("help", false), ("", false), ("https:", false),
  ])
  func links(text: String, isTaken: Bool) {
    let item: JSONValue = ["title": "A", "link": .string(text), "address": ["street": "B"]]
    #expect(Self.fields.faults(writing: item, making: item, by: .whole).isEmpty == isTaken)
  }

  /// However much is wrong, the answer is short.
  @Test func faultsAreBounded() {
    let members = (0..<10_000).map { JSONValue.Member(name: "m\($0)", value: 1) }
    let item = JSONValue.object(members)
    #expect(Self.fields.faults(writing: item, making: item, by: .whole).count == 20)
  }
}
