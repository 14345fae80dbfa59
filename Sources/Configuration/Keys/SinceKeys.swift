import Definitions
import Expressions

enum SinceKeys: ObjectKeys {
  static let name = "Since"
  static let noun = "'since'"

  static let key = Key("key", .expression, "The value that identifies an item. Default: `id`.")
  static let query = Key(
    "query",
    .map(of: .textTemplate, noun: "the query parameters", names: .any),
    secrecy: .request,
    "Query parameters that ask for changes: `{updated_since: \"${$since}\"}`. Not sent when everything is asked for."
  )
  static let next = Key(
    "next",
    .expression,
    "The next value of `$since`, in the answer: `${meta.now}`. Of several pages the first that has it counts. "
      + "Default: the answer's `Date`, less two seconds, as `2026-11-24T01:02:03Z`."
  )
  static let deleted = Key(
    "deleted",
    .expression,
    "True for a deleted item: `${deleted_at != null}`. Default: none is."
  )
  static let whole = Key(
    "whole",
    .duration(atLeast: .seconds(1)),
    "How often everything is asked for, as well as at a client's refresh and after an edit. Default: "
      + "\(durationText(SinceDefinition.standardWhole))."
  )

  static let keys = [key.description, query.description, next.description, deleted.description, whole.description]

  private static let id = try? Expression("id")

  static func value(of object: ObjectReader) -> SinceDefinition? {
    let found = object.has(key) ? object[key] : id
    guard var since = found.map({ SinceDefinition(key: $0) }) else { return nil }
    since.query = (object[query] ?? []).map { ($0.name.value, $0.value) }
    since.next = object[next]
    since.deleted = object[deleted]
    object.set(&since.whole, from: whole)
    return since
  }
}
