public import Expressions
public import JSON

/// A source of items: what `sources.NAME` declares, or a table's own `source: {local: …}`.
public struct SourceDefinition: Sendable {
  public var name: String
  public var kind: Kind

  public init(name: String, kind: Kind) { (self.name, self.kind) = (name, kind) }

  public enum Kind: Sendable {
    case upstream(UpstreamDefinition)
    case local(LocalDefinition)
  }
}

/// Items that the service owns.
public struct LocalDefinition: Sendable {
  /// The objects that the table starts with.
  public var items: [JSONValue]
  /// The item that an added `{}` becomes. Its members are given to added items that lack them.
  public var defaultItem: JSONValue
  /// The same where it reads who adds the item: what of it is constant stands in ``defaultItem``.
  public var defaultTemplate: Template?
  /// The members that edits may write; nil: any.
  public var fields: ItemFields?

  public init(items: [JSONValue] = [], defaultItem: JSONValue = .object([]), fields: ItemFields? = nil) {
    (self.items, self.defaultItem, self.fields) = (items, defaultItem, fields)
  }
}

/// An upstream API over HTTP.
public struct UpstreamDefinition: Sendable {
  public var method = "GET"
  /// Text with `${…}`: parameters and environment values are percent-encoded into it.
  public var url: Template
  public var query: [(name: String, value: Template)] = []
  public var headers: [(name: String, value: Template)] = []
  public var body: Template?
  /// Between two fetches; zero: never by itself, only on refresh.
  public var every = Duration.seconds(60)
  /// Bounds for what the upstream's `Cache-Control: max-age` may lengthen `every` to.
  public var maximumAge = Duration.seconds(3600)
  public var connectTimeout = Duration.seconds(5)
  /// In all, for one request.
  public var timeout = Duration.seconds(10)
  /// Without a byte for so long.
  public var stallTimeout = Duration.seconds(10)
  /// The most bytes of one response body, decompressed.
  public var maxBytes = 32 << 20
  public var maxRedirects = 5
  public var retries = 2
  /// Redirects to loopback, link-local and private addresses are followed.
  public var allowPrivateRedirects = false
  /// The URL itself may lead to such an address.
  public var allowPrivate = true
  /// Nil: by the answer's `Content-Type`, else by a look at it.
  public var format: SourceFormat?
  /// The place of the list in a response; `$response` is the default.
  public var items: Expression?
  /// Tells the items of a paged list from each other: the `row.id` of a table that shows them, where an item alone has it.
  public var identity: Template?
  public var paging: PagingDefinition?
  /// Asks for what has changed; nil: for everything each time.
  public var since: SinceDefinition?
  /// The most items of all pages of one fetch.
  public var maxItems = 100_000
  /// The meaning of a list that has more than `maxItems`, or more pages than `maxPages`.
  public var whenMore = ExcessMeaning.truncate
  /// One request for each element of a list.
  public var each: FanOutDefinition?
  public var emptyMeans = EmptyMeaning.clear
  public var caBundle: String?
  public var clientCertificate: String?
  public var clientKey: String?
  /// The caller's own request headers that this source is sent, beside those that its table sends to all.
  public var forward: [String] = []
  /// How the service logs in; nil: not at all, or by what `headers` say.
  public var auth: UpstreamAuth?
  /// The secret of `POST /v1/hooks/{source}`; nil: no webhook.
  public var webhookSecret: String?
  /// The token that such a request may have in place of a signature.
  public var webhookToken: WebhookToken?

  public init(url: Template) { self.url = url }

  public enum EmptyMeaning: String, Sendable, CaseIterable { case keep, clear }

  /// `truncate`: what came first is there, and the table says that it is cut off. `fail`: the fetch has failed.
  public enum ExcessMeaning: String, Sendable, CaseIterable { case truncate, fail }
}

extension UpstreamDefinition {
  /// Returns whether both ask for one thing and find its items in one place, so that the answer to one may stand in for
  /// the other's.
  ///
  /// - Parameters:
  ///   - environment: for this one's `env`.
  ///   - others: for the other one's.
  public func asksForTheSame(
    as other: UpstreamDefinition,
    _ environment: [String: String],
    _ others: [String: String]
  ) -> Bool {
    asksForTheSame(as: other) && (environment == others || readsTheSame(of: environment, others))
  }

  /// Returns whether what is asked for reads equal values of both environments. Header fields don't count: a renewed
  /// token asks for the same.
  private func readsTheSame(of environment: [String: String], _ others: [String: String]) -> Bool {
    let templates = [url, body, each?.url].compactMap(\.self) + query.map(\.value)
    let expressions = [items, since?.key, since?.deleted].compactMap(\.self)
    let use = ParameterUse(templates.map(\.environmentUse) + expressions.map(\.environmentUse))
    return use.values(of: environment) == use.values(of: others)
  }

  private func asksForTheSame(as other: UpstreamDefinition) -> Bool {
    method == other.method && url == other.url && body == other.body && each?.url == other.each?.url
      && each?.name == other.each?.name && items == other.items
      && query.elementsEqual(other.query) { $0.name == $1.name && $0.value == $1.value }
  }
}

extension UpstreamDefinition {
  /// The parameters that its requests and the expressions of their answers read: where these have equal values, the
  /// same is asked, and the same is found in the answer. O(expressions).
  public var parameterUse: ParameterUse {
    ParameterUse(templates.map(\.parameterUse) + expressions.map(\.parameterUse))
  }

  /// The caller's values that the requests and the expressions of their answers read: callers with equal values share
  /// the answers, and others never do. O(expressions).
  public var callerUse: CallerUse { CallerUse(templates.map(\.callerUse) + expressions.map(\.callerUse)) }
}

extension UpstreamDefinition {
  /// The templates that requests are made of, and that tell items from each other.
  private var templates: [Template] {
    [url, body, each?.url].compactMap(\.self) + query.map(\.value) + headers.map(\.value)
      + (since?.query.map(\.value) ?? []) + [identity].compactMap(\.self)
  }

  /// The expressions that find something in an answer. One that is missing here would let callers share what is not
  /// the same for them.
  private var expressions: [Expression] {
    [items, paging?.style.expression, paging?.total, since?.key, since?.next, since?.deleted].compactMap(\.self)
  }
}

extension PagingDefinition.Style {
  /// Finds the next page in an answer.
  fileprivate var expression: Expression? {
    switch self {
    case .nextURL(let expression), .cursor(let expression, _): expression
    case .link, .header, .page, .offset: nil
    }
  }
}

public struct PagingDefinition: Sendable {
  public var style: Style
  /// An expression of a page: the number of items in all.
  public var total: Expression?
  public var maxPages = 100
  /// The most bytes of all pages.
  public var maxBytes = 128 << 20

  public init(style: Style) { self.style = style }

  public enum Style: Sendable {
    /// `Link: <…>; rel="next"` (RFC 8288).
    case link
    /// The next page's URL stands in the body.
    case nextURL(Expression)
    /// The next page's URL is the value of this header field.
    case header(String)
    /// A cursor stands in the body and goes into a query parameter, or where the request's templates have `$cursor`;
    /// null or missing ends.
    case cursor(Expression, parameter: String?)
    /// `parameter=start`, `start + 1` … until a page has no items, or fewer than `size`, or is not there. Without a
    /// parameter the number goes where the request's templates have `$cursor`.
    case page(parameter: String?, start: Int, size: Int?)
    /// `parameter=0`, `size`, `2 * size` … until a page has fewer than `size` items, or is not there.
    case offset(parameter: String?, size: Int)
  }
}

/// The response is a list; each of its elements, ids or objects, is fetched by a request of its own.
public struct FanOutDefinition: Sendable {
  /// Sees `$item`: the element.
  public var url: Template
  /// The member of the item under which the answer stands, beside the members of the list's element; nil: the answer is
  /// the item.
  public var name: String?
  public var concurrency = 8
  public var limit = 500

  public init(url: Template) { self.url = url }
}

/// A header field with a fixed value, by which a webhook proves itself: `X-Gitlab-Token`, or `Authorization: Bearer …`.
public struct WebhookToken: Hashable, Sendable {
  public var header: String
  public var value: String

  public init(header: String, value: String) { (self.header, self.value) = (header, value) }

  /// RFC 6750 section 2.1.
  public static func bearer(_ token: String) -> WebhookToken {
    WebhookToken(header: "Authorization", value: "Bearer \(token)")
  }
}
