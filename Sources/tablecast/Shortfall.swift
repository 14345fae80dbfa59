import Definitions
import Discovery
import Expressions
import JSON
import Upstream

/// A source that has more items than were read, by its own account.
struct Shortfall {
  let source: String
  let items: Int
  let total: Int
  /// The member of the answer that says so.
  let place: String

  /// Nil where nothing says that there are more.
  init?(_ source: String, _ content: FetchedContent, _ upstream: UpstreamDefinition, _ context: FetchContext) {
    guard case .pages(let pages) = content.form, let page = pages.first, upstream.each == nil, upstream.since == nil,
      let body = try? JSONValue(parsing: page)
    else { return nil }
    let configured = upstream.paging?.total.flatMap { total in
      try? Document(page).withRoot { root in
        var scope = Scope(item: Value(root))
        scope.response = Value(root)
        (scope.parameters, scope.environment) = (context.parameters, context.environment)
        return try total.evaluate(in: scope).text
      }
    }
    let found = upstream.hasItemsOfMap ? nil : StatedTotal.find(in: body)
    let stated: (place: String, count: Int)? =
      configured.flatMap { Int($0) }.map { ("`paging.total`", $0) } ?? found
    guard let stated, stated.count > content.itemCount else { return nil }
    (self.source, items, total, place) = (source, content.itemCount, stated.count, stated.place)
  }

  var description: String {
    "source \(source): \(TableDrawing.grouped(items)) of \(TableDrawing.grouped(total)) items were read, as \(place) says"
  }

  var json: JSONValue {
    ["source": .string(source), "items": .integer(Int64(items)), "of": .integer(Int64(total))]
  }
}

extension UpstreamDefinition {
  /// The items are the members of an object, by `items: ${… | entries}`: a `count` in it is an item's own.
  fileprivate var hasItemsOfMap: Bool {
    guard let items, items.documentPath == nil else { return false }
    return items.text.hasSuffix("entries") || items.text.hasSuffix("values")
  }
}
