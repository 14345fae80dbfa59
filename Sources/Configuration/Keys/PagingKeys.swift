import Definitions
import Expressions

enum PagingKeys: ObjectKeys {
  static let name = "Paging"
  static let noun = "the paging"

  static let link = Key("link", .boolean, "`true`: the next page is named by `Link: <…>; rel=\"next\"` (RFC 8288).")
  static let nextURL = Key("nextUrl", .expression, "The next page's URL in the response.")
  static let header = Key(
    "header",
    .headerName,
    "The response header that has the next page's URL: `Next-Page`; missing on the last page."
  )
  static let cursor = Key(
    "cursor",
    .expression,
    "The cursor in the response; null or missing on the last page."
  )
  static let parameter = Key(
    "parameter",
    .plainText("a query parameter", example: "after"),
    "With `cursor`: the query parameter it goes into. Default: it goes where the source's `url`, `query`, `headers` or "
      + "`body` have `$cursor`."
  )
  static let page = Key("page", .object(PageNumberKeys.self), "Pages have numbers.")
  static let offset = Key("offset", .object(OffsetKeys.self), "Pages are named by the number of items before them.")
  static let total = Key(
    "total",
    .expression,
    "The number of all items, in the response: pages that don't add up to it are read once more; then the table is truncated."
  )
  static let maxPages = Key(
    "maxPages",
    .integer(1...1_000_000),
    "The number of pages to read; `whenMore` decides what happens with more. Default: \(defaults.maxPages)."
  )
  static let maxItems = Key("maxItems", .maxItems, "As `maxItems` of the source: one of them.")
  static let whenMore: Key<ExcessMeaning> = Key("whenMore", .word, "As `whenMore` of the source: one of them.")
  static let maxBytes = Key(
    "maxBytes",
    .size,
    "Of all pages; more is a failed fetch. Default: \(sizeText(defaults.maxBytes))."
  )

  static let keys = [
    link.description, header.description, nextURL.description, cursor.description, parameter.description,
    page.description, offset.description, total.description, maxPages.description, maxItems.description,
    whenMore.description,
    maxBytes.description,
  ]
  private static let styles = ["link", "header", "nextUrl", "cursor", "page", "offset"]
  private static let defaults = PagingDefinition(style: .link)
  typealias ExcessMeaning = UpstreamDefinition.ExcessMeaning

  /// The paging, and what it says of the source as a whole.
  struct Paging: Sendable {
    var definition: PagingDefinition
    var maxItems: Int?
    var whenMore: ExcessMeaning?
  }

  static func value(of object: ObjectReader) -> Paging? {
    let present = object.present(of: styles)
    guard present.count == 1 else {
      object.reading.error(
        at: object.place,
        present.isEmpty ? "the paging does not say how" : "the paging has \(together(present)) at once",
        "write one of \(alternatives(styles))"
      )
      return nil
    }
    guard let style = style(of: object) else { return nil }
    var paging = PagingDefinition(style: style)
    paging.total = object[total]
    object.set(&paging.maxPages, from: maxPages)
    object.set(&paging.maxBytes, from: maxBytes)
    return Paging(
      definition: paging,
      maxItems: object.has(maxItems) ? object[maxItems] : nil,
      whenMore: object.has(whenMore) ? object[whenMore] : nil
    )
  }

  private static func style(of object: ObjectReader) -> PagingDefinition.Style? {
    if object.has(parameter), !object.has(cursor) {
      object.reading.error(at: object.place(of: parameter), "'parameter' belongs to 'cursor'", "leave it out")
    }
    if object.has(link) {
      guard let follows = object[link] else { return nil }
      if follows { return .link }
      object.reading.error(at: object.place(of: link), "`link: false` says nothing", "leave `paging` out")
      return nil
    }
    if object.has(nextURL) { return object[nextURL].map(PagingDefinition.Style.nextURL) }
    if object.has(header) { return object[header].map(PagingDefinition.Style.header) }
    if object.has(page) { return object[page] }
    if object.has(offset) { return object[offset] }
    let name = object.has(parameter) ? object[parameter] : nil
    guard let expression = object[cursor], name != nil || !object.has(parameter) else { return nil }
    return .cursor(expression, parameter: name)
  }
}

extension ValueReader where Value == Int {
  /// The most items in a source's list.
  static let maxItems = integer(1...100_000_000)
}

enum PageNumberKeys: ObjectKeys {
  static let name = "PageNumber"
  static let noun = "the paging by number"

  static let parameter = Key(
    "parameter",
    .plainText("a query parameter", example: "page"),
    "The query parameter that the number goes into. Default: it goes where the source's `url`, `query`, `headers` or "
      + "`body` have `$cursor`."
  )
  static let start = Key("start", .integer(0...1_000_000), "The first page's number. Default: 1.")
  static let size = Key(
    "size",
    .integer(1...1_000_000),
    "Items of a full page: fewer end the list, and so does a 404 or 400 after a full one. Default: an empty page ends it, "
      + "or one that is not there."
  )

  static let keys = [parameter.description, start.description, size.description]

  static func value(of object: ObjectReader) -> PagingDefinition.Style? {
    let (first, full) = (object[start] ?? 1, object[size])
    let name = object[parameter]
    return name == nil && object.has(parameter) ? nil : .page(parameter: name, start: first, size: full)
  }
}

enum OffsetKeys: ObjectKeys {
  static let name = "Offset"
  static let noun = "the paging by offset"

  static let parameter = Key(
    "parameter",
    .plainText("a query parameter", example: "offset"),
    "The query parameter that the offset goes into. Default: it goes where the source's `url`, `query`, `headers` or "
      + "`body` have `$cursor`."
  )
  static let size = Key(
    required: "size",
    .integer(1...1_000_000),
    example: "100",
    "Items of a full page: fewer end the list, and so does a 404 or 400 after a full one."
  )

  static let keys = [parameter.description, size.description]

  static func value(of object: ObjectReader) -> PagingDefinition.Style? {
    let (name, full) = (object[parameter], object[size])
    guard let full, name != nil || !object.has(parameter) else { return nil }
    return .offset(parameter: name, size: full)
  }
}
