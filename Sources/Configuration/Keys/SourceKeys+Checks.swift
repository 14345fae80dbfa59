import Definitions
import Expressions

/// Checks of a source's keys against each other.
extension SourceKeys {
  /// A request has one `Authorization`.
  static func checkAuth(of object: ObjectReader, _ headers: [(name: Located<String>, value: Template)]) {
    guard object.has(auth) else { return }
    let name = "authorization"
    if let other = headers.first(where: { $0.name.value.lowercased() == name }) {
      object.reading.error(
        at: other.name.place,
        "the requests of this source have an `Authorization` here, and another by 'auth'",
        "keep one of them"
      )
    }
    if (object[forward] ?? []).contains(where: { $0.lowercased() == name }) {
      object.reading.error(
        at: object.place(of: forward),
        "the caller's own `Authorization` is sent on, and 'auth' is the service's",
        "keep one of them"
      )
    }
  }

  static func refuseTwice<Value>(_ key: Key<Value>, of object: ObjectReader) {
    guard object.has(key) else { return }
    object.reading.error(
      at: object.place(of: key),
      "'\(key.name)' stands here and in 'paging'",
      "keep one of them: both are of the source as a whole"
    )
  }

  /// Changes are asked for by a query parameter, or wherever `$since` stands.
  static func checkSince(of object: ObjectReader, _ upstream: UpstreamDefinition) {
    let templates = [upstream.url, upstream.body].compactMap(\.self) + (upstream.query + upstream.headers).map(\.value)
    let isUsed = templates.contains { $0.dependencies.contains(.since) }
    guard object.has(since) else {
      guard isUsed else { return }
      return object.reading.error(
        at: object.place,
        "`$since` without a 'since'",
        "write `since: {query: {updated_since: \"${$since}\"}, next: \"${meta.now}\"}`"
      )
    }
    if object.has(each) {
      object.reading.error(
        at: object.place(of: since),
        "a source has 'since' or 'each', not both",
        "keep one of them: each item of a fan-out is asked for anew"
      )
    }
    if let asked = upstream.since, asked.query.isEmpty, !isUsed {
      object.reading.error(
        at: object.place(of: since),
        "nothing asks for changes",
        "write for example `query: {updated_since: \"${$since}\"}`"
      )
    }
  }

  /// A cursor that goes nowhere would fetch the first page for ever; one that comes from nowhere is always null.
  static func checkCursor(of object: ObjectReader, _ upstream: UpstreamDefinition, hasPaging: Bool) {
    let templates = [upstream.url, upstream.body].compactMap(\.self) + (upstream.query + upstream.headers).map(\.value)
    let isUsed = templates.contains { $0.dependencies.contains(.cursor) }
    if upstream.paging?.style.goesIntoTemplates ?? false {
      guard !isUsed else { return }
      object.reading.error(
        at: object.place(of: paging),
        "the paging's cursor goes nowhere",
        "write `parameter: after`, or `${$cursor}` where the request takes it: in `body`, `query`, `url` or `headers`"
      )
    } else if isUsed, hasPaging || !object.has(paging) {
      object.reading.error(
        at: object.place,
        "`$cursor` without a paging that reads one",
        "write `paging: {cursor: \"${…}\"}`, without `parameter`"
      )
    }
  }
}

extension PagingDefinition.Style {
  /// No query parameter takes what names the next page.
  fileprivate var goesIntoTemplates: Bool {
    switch self {
    case .cursor(_, parameter: nil), .page(nil, _, _), .offset(nil, _): true
    case .link, .nextURL, .header, .cursor, .page, .offset: false
    }
  }
}
