import Definitions
import Expressions
import JSON

enum LocalKeys: ObjectKeys {
  static let name = "Local"
  static let noun = "a local source"

  static let items = Key(
    "items",
    .list(of: .item, noun: "the list of items"),
    "What the table starts with: JSON objects."
  )
  static let defaultItem = Key(
    "default",
    .item,
    "What an added `{}` becomes; an added item gets its members from here where it lacks them."
  )

  static let keys = [items.description, defaultItem.description]

  static func value(of object: ObjectReader) -> LocalDefinition? {
    var local = LocalDefinition()
    object.set(&local.items, from: items)
    object.set(&local.defaultItem, from: defaultItem)
    return local
  }
}

enum PagingKeys: ObjectKeys {
  static let name = "Paging"
  static let noun = "the paging"

  static let link = Key("link", .boolean, "`true`: the next page is named by `Link: <…>; rel=\"next\"` (RFC 8288).")
  static let nextURL = Key("nextUrl", .expression, "The next page's URL stands in the response, here.")
  static let cursor = Key(
    "cursor",
    .expression,
    "A cursor stands in the response, here; null or missing on the last page."
  )
  static let parameter = Key(
    "parameter",
    .plainText("a query parameter", example: "after"),
    "With `cursor`: the query parameter it goes into."
  )
  static let page = Key("page", .object(PageNumberKeys.self), "Pages have numbers.")
  static let offset = Key("offset", .object(OffsetKeys.self), "Pages are named by the number of items before them.")
  static let maxPages = Key("maxPages", .integer(1...1_000_000), "More is a failed fetch. Default: 100.")
  static let maxItems = Key("maxItems", .integer(1...100_000_000), "Of all pages. Default: 100000.")
  static let maxBytes = Key("maxBytes", .size, "Of all pages. Default: 128MB.")

  static let keys = [
    link.description, nextURL.description, cursor.description, parameter.description, page.description,
    offset.description, maxPages.description, maxItems.description, maxBytes.description,
  ]
  private static let styles = ["link", "nextUrl", "cursor", "page", "offset"]

  static func value(of object: ObjectReader) -> PagingDefinition? {
    let present = object.present(of: styles)
    guard present.count == 1 else {
      object.reading.error(
        at: object.place,
        present.isEmpty ? "the paging does not say how" : "the paging has \(alternatives(present)) at once",
        "write one of \(alternatives(styles))"
      )
      return nil
    }
    guard let style = style(of: object) else { return nil }
    var paging = PagingDefinition(style: style)
    object.set(&paging.maxPages, from: maxPages)
    object.set(&paging.maxItems, from: maxItems)
    object.set(&paging.maxBytes, from: maxBytes)
    return paging
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
    if object.has(page) { return object[page] }
    if object.has(offset) { return object[offset] }
    guard object.has(parameter) else {
      object.reading.error(at: object.place, "'parameter' is missing", "write for example `parameter: after`")
      return nil
    }
    guard let expression = object[cursor], let name = object[parameter] else { return nil }
    return .cursor(expression, parameter: name)
  }
}

enum PageNumberKeys: ObjectKeys {
  static let name = "PageNumber"
  static let noun = "the paging by number"

  static let parameter = Key(
    required: "parameter",
    .plainText("a query parameter", example: "page"),
    example: "page",
    "The query parameter that the number goes into."
  )
  static let start = Key("start", .integer(0...1_000_000), "The first page's number. Default: 1.")
  static let size = Key(
    "size",
    .integer(1...1_000_000),
    "Items of a full page: fewer end the list. Default: an empty page ends it."
  )

  static let keys = [parameter.description, start.description, size.description]

  static func value(of object: ObjectReader) -> PagingDefinition.Style? {
    let (first, full) = (object[start] ?? 1, object[size])
    return object[parameter].map { .page(parameter: $0, start: first, size: full) }
  }
}

enum OffsetKeys: ObjectKeys {
  static let name = "Offset"
  static let noun = "the paging by offset"

  static let parameter = Key(
    required: "parameter",
    .plainText("a query parameter", example: "offset"),
    example: "offset",
    "The query parameter that the offset goes into."
  )
  static let size = Key(
    required: "size",
    .integer(1...1_000_000),
    example: "100",
    "Items of a full page: fewer end the list."
  )

  static let keys = [parameter.description, size.description]

  static func value(of object: ObjectReader) -> PagingDefinition.Style? {
    let (name, full) = (object[parameter], object[size])
    guard let name, let full else { return nil }
    return .offset(parameter: name, size: full)
  }
}

enum EachKeys: ObjectKeys {
  static let name = "Each"
  static let noun = "the fan-out"

  static let url = Key(
    required: "url",
    .urlTemplate,
    example: "\"https://api.example.com/items/${$item}\"",
    "An item's URL; `$item` is its id."
  )
  static let concurrency = Key("concurrency", .integer(1...256), "Requests at once. Default: 8.")
  static let limit = Key("limit", .integer(1...1_000_000), "At most so many items, the first ones. Default: 500.")

  static let keys = [url.description, concurrency.description, limit.description]

  static func value(of object: ObjectReader) -> FanOutDefinition? {
    var fanOut = object[url].map { FanOutDefinition(url: $0) }
    let (atOnce, most) = (object[concurrency], object[limit])
    if let atOnce { fanOut?.concurrency = atOnce }
    if let most { fanOut?.limit = most }
    return fanOut
  }
}

enum TLSKeys: ObjectKeys {
  static let name = "TLS"
  static let noun = "the TLS settings"

  struct Files: Sendable {
    var caBundle: String?
    var certificate: String?
    var key: String?
  }

  static let caBundle = Key(
    "caBundle",
    .text("a file's path", example: "/etc/ssl/ca.pem"),
    "Certificates to trust: PEM."
  )
  static let certificate = Key(
    "certificate",
    .text("a file's path", example: "/etc/ssl/client.pem"),
    "The client's certificate: PEM."
  )
  static let key = Key("key", .text("a file's path", example: "/etc/ssl/client.key"), "The client's private key: PEM.")

  static let keys = [caBundle.description, certificate.description, key.description]

  static func value(of object: ObjectReader) -> Files? {
    if object.has(key), !object.has(certificate) {
      object.reading.error(at: object.place, "'key' without 'certificate'", "write both")
    }
    return Files(caBundle: object[caBundle], certificate: object[certificate], key: object[key])
  }
}

enum WebhookKeys: ObjectKeys {
  static let name = "Webhook"
  static let noun = "the webhook"

  static let secret = Key(
    required: "secret",
    .text("a secret", example: "${env.HOOK_SECRET}"),
    example: "${env.HOOK_SECRET}",
    "The key of the HMAC-SHA256 over the body that a call must carry."
  )

  static let keys = [secret.description]

  static func value(of object: ObjectReader) -> String? { object[secret] }
}
