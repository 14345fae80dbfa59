import Definitions
import Expressions
import JSON

/// A source as it is declared: an upstream, or items of the service's own.
struct DeclaredSource: Sendable {
  var kind: SourceDefinition.Kind
  /// Request headers of the caller that its tables send on.
  var forward: [String] = []
}

enum SourceKeys: ObjectKeys {
  static let name = "Source"
  static let noun = "a source"

  private static let standard = UpstreamDefinition(url: Template(constant: .null))

  static let local = Key("local", .object(LocalKeys.self), "Items that the service owns, instead of an upstream.")
  static let url = Key(
    "url",
    .urlTemplate,
    secrecy: .request,
    "The upstream's URL; `${…}` is percent-encoded into it and can't change scheme, host or path depth."
  )
  static let method = Key(
    "method",
    .methodOfSource,
    "The request method: GET or POST. Default: GET, or POST with a `body`."
  )
  static let query = Key(
    "query",
    .map(of: .textTemplate, noun: "the query parameters", names: .any),
    secrecy: .request,
    "Query parameters, added to those of the URL; one that is null is left out."
  )
  static let headers = Key(
    "headers",
    .map(of: .fieldTemplate, noun: "the headers", names: .header),
    secrecy: .credentials,
    "Request headers."
  )
  static let auth = Key(
    "auth",
    .object(UpstreamAuthKeys.self),
    "How the service logs in to the upstream, for fetches and for edits: `oauth2`, `basic` or `bearer`."
  )
  static let body = Key(
    "body",
    .template,
    secrecy: .request,
    "The request's body: JSON in its own shape, or text."
  )
  static let every = Key(
    "every",
    .duration(),
    "How often it is fetched. Default: \(durationText(standard.every)). `0s`: once, then only on refresh."
  )
  static let maxAge = Key(
    "maxAge",
    .duration(),
    "The upstream's `Cache-Control: max-age` may lengthen `every`, up to this. Default: \(durationText(standard.maximumAge))."
  )
  static let connectTimeout = Key(
    "connectTimeout",
    .duration(atLeast: .milliseconds(1)),
    "For the connection to stand. Default: \(durationText(standard.connectTimeout))."
  )
  static let timeout = Key(
    "timeout",
    .duration(atLeast: .milliseconds(1)),
    "For one request in all. Default: \(durationText(standard.timeout))."
  )
  static let stallTimeout = Key(
    "stallTimeout",
    .duration(atLeast: .milliseconds(1)),
    "Without a byte for so long, a request fails. Default: \(durationText(standard.stallTimeout))."
  )
  static let maxBytes = Key(
    "maxBytes",
    .size,
    "Of one response's body, decompressed. Default: \(sizeText(standard.maxBytes))."
  )
  static let maxRedirects = Key(
    "maxRedirects",
    .integer(0...50),
    "Redirects followed. Default: \(standard.maxRedirects)."
  )
  static let allowPrivateRedirects = Key(
    "allowPrivateRedirects",
    .boolean,
    "Follow redirects to loopback, link-local and private addresses. Default: \(standard.allowPrivateRedirects)."
  )
  static let allowPrivate = Key(
    "allowPrivate",
    .boolean,
    "The URL may lead to loopback, link-local and private addresses. Default: \(standard.allowPrivate)."
  )
  static let retries = Key(
    "retries",
    .integer(0...20),
    "How often a fetch is tried again before it counts as failed. Default: \(standard.retries)."
  )
  static let format: Key<SourceFormat> = Key(
    "format",
    .word,
    "The format of answers: `json`, `ndjson` (a value a line), `csv` (the first line has the names, all values are "
      + "texts) or `feed` (RSS, Atom). Default: by `Content-Type`, else by a look at it."
  )
  static let items = Key(
    "items",
    .expression,
    "The list in a response: `${data.members}`. Default: the response itself."
  )
  static let paging = Key("paging", .object(PagingKeys.self), "How the next page is found.")
  static let since = Key(
    "since",
    .object(SinceKeys.self),
    "Asks for changes since the last fetch, and merges them into the present items."
  )
  static let maxItems = Key(
    "maxItems",
    .maxItems,
    "How many items one fetch takes, of all pages. Default: \(standard.maxItems)."
  )
  static let whenMore: Key<UpstreamDefinition.ExcessMeaning> = Key(
    "whenMore",
    .word,
    "When there is more than `maxItems` or `paging.maxPages`: `truncate` (the default) takes the first ones, and tables "
      + "say so; `fail` makes it a failed fetch."
  )
  static let each = Key(
    "each",
    .object(EachKeys.self),
    "The response is a list of ids or objects: each item is a request of its own."
  )
  static let emptyMeans: Key<UpstreamDefinition.EmptyMeaning> = Key(
    "emptyMeans",
    .word,
    "When a list is suddenly empty: `clear` the table (the default) or `keep` its rows."
  )
  static let tls = Key("tls", .object(TLSKeys.self), "Certificates other than the system's.")
  static let webhook = Key(
    "webhook",
    .object(WebhookKeys.self),
    "Lets the upstream say that it changed: POST /v1/hooks/{source}."
  )
  static let forward = Key(
    "forward",
    .list(of: .headerName, noun: "the list of headers"),
    "The caller's own request headers to send upstream, in all tables of this source; each caller then has rows of "
      + "their own."
  )

  static let keys = [
    url.description, local.description, method.description, query.description, headers.description, body.description,
    every.description, maxAge.description, connectTimeout.description, timeout.description, stallTimeout.description,
    maxBytes.description, maxRedirects.description, allowPrivateRedirects.description,
    allowPrivate.description, retries.description, items.description, paging.description, maxItems.description,
    whenMore.description, each.description, emptyMeans.description, tls.description,
    webhook.description, forward.description, auth.description, format.description,
    since.description,
  ]

  static func value(of object: ObjectReader) -> DeclaredSource? {
    if object.has(local) {
      let items = object[local]
      for key in object.present(of: keys.map { $0.name }) where key != local.name {
        object.reading.error(
          at: object.place,
          "a local source has no '\(key)'",
          "keep `local`, or `url` with its keys, not both"
        )
      }
      return items.map { DeclaredSource(kind: .local($0)) }
    }
    if !object.has(url) {
      object.reading.error(
        at: object.place,
        "'url' is missing",
        "write for example `url: https://api.example.com/team`, or `local: {}`"
      )
    }
    let upstream = upstream(object)
    let headers = object[forward] ?? []
    return upstream.map { upstream in
      var upstream = upstream
      upstream.forward = headers
      return DeclaredSource(kind: .upstream(upstream), forward: headers)
    }
  }

  private static func upstream(_ object: ObjectReader) -> UpstreamDefinition? {
    let address = object[url]
    // Where the URL is wrong, the other keys are read all the same: for their own mistakes.
    guard var upstream = (address ?? (try? Template(""))).map(UpstreamDefinition.init(url:)) else { return nil }
    upstream.query = (object[query] ?? []).map { ($0.name.value, $0.value) }
    let fields = object[headers] ?? []
    upstream.headers = fields.map { ($0.name.value, $0.value) }
    object.reading.requests.append(RequestUse(url: object.node(of: url), headers: fields.map(\.name)))
    upstream.auth = object[auth]
    checkAuth(of: object, fields)
    upstream.body = object[body]
    upstream.method = object[method] ?? (object.has(body) ? "POST" : "GET")
    object.set(&upstream.every, from: every)
    object.set(&upstream.maximumAge, from: maxAge)
    object.set(&upstream.connectTimeout, from: connectTimeout)
    object.set(&upstream.timeout, from: timeout)
    object.set(&upstream.stallTimeout, from: stallTimeout)
    object.set(&upstream.maxBytes, from: maxBytes)
    object.set(&upstream.maxRedirects, from: maxRedirects)
    object.set(&upstream.allowPrivateRedirects, from: allowPrivateRedirects)
    object.set(&upstream.allowPrivate, from: allowPrivate)
    object.set(&upstream.retries, from: retries)
    if object.has(format) { upstream.format = object[format] }
    upstream.items = object[items]
    readPaging(of: object, into: &upstream)
    upstream.since = object[since]
    checkSince(of: object, upstream)
    upstream.each = object[each]
    object.set(&upstream.emptyMeans, from: emptyMeans)
    if let files = object[tls] {
      (upstream.caBundle, upstream.clientCertificate, upstream.clientKey) = (
        files.caBundle, files.certificate, files.key
      )
    }
    let proof = object[webhook]
    (upstream.webhookSecret, upstream.webhookToken) = (proof?.secret, proof?.token)
    if upstream.every != .zero, upstream.every < .seconds(1) {
      object.reading.warning(
        at: object.place(of: every),
        "this asks the upstream more than once a second",
        "is that meant?"
      )
    }
    return address == nil ? nil : upstream
  }

  /// How the next page is found, and how many items are taken in all: which may stand in `paging` or beside it.
  private static func readPaging(of object: ObjectReader, into upstream: inout UpstreamDefinition) {
    let pages = object[paging]
    upstream.paging = pages?.definition
    object.set(&upstream.maxItems, from: maxItems)
    object.set(&upstream.whenMore, from: whenMore)
    if let inner = pages?.maxItems {
      upstream.maxItems = inner
      refuseTwice(maxItems, of: object)
    }
    if let inner = pages?.whenMore {
      upstream.whenMore = inner
      refuseTwice(whenMore, of: object)
    }
    checkCursor(of: object, upstream, hasPaging: pages != nil)
  }
}
