internal import Definitions
internal import Expressions
internal import JSON
internal import TableModel

/// The key of a request for a page: with a cursor in the body or a header, all pages have one URL.
struct PageKey: Hashable {
  var url: UpstreamURL
  var headers: [TransferField]
  var body: [UInt8]?

  init(_ request: TransferRequest) { (url, headers, body) = (request.url, request.headers, request.body) }
}

/// From page to page: which request comes next, and whether the way is sound. Pure.
struct PageWalk {
  enum Step: Equatable {
    /// The next page has a URL of its own; all else is as in the request before.
    case next(UpstreamURL)
    /// The next page's request is made of the templates, with this `$cursor`.
    case cursor(JSONValue)
    case end
    /// The list has ended with the page before, which this one repeats.
    case repeated
    /// There is more: over what was asked for.
    case limit(Limit)
  }

  /// The bound that lets no more in, by its key of the configuration.
  enum Limit: String {
    case maxPages, maxItems
    /// The bound of a fan-out: meant to leave something out.
    case each = "each.limit"
  }

  /// A page as the walk sees it.
  struct Page {
    /// The request's, and that of the answer, after redirects: relative references start there.
    var requested: UpstreamURL
    var url: UpstreamURL
    /// The value of the header that names the next page.
    var header: String?
    var read: ResponseCheck.Page
    var byteCount: Int
    /// Nil where it was not read here.
    var digest: ContentDigest?
  }

  /// The number of items that a list has by its own account, and the number that was met.
  struct Shortage: Hashable {
    var items: Int
    var total: Int
  }

  private let paging: PagingDefinition
  private let origin: UpstreamURL.Origin
  private let maxItems: Int
  private var visited: Set<UpstreamURL>
  private var cursors: Set<[UInt8]> = []
  private var pages = 0
  private var items = 0
  private var bytes = 0
  private var lastDigest: ContentDigest?
  /// The limit that the next page is beyond: it is asked for as nothing else tells whether it has an item.
  private(set) var passed: Limit?

  init(_ paging: PagingDefinition, first: UpstreamURL, maxItems: Int) {
    self.paging = paging
    self.maxItems = maxItems
    origin = first.origin
    visited = [first]
  }

  mutating func step(after page: Page) throws(UpstreamError) -> Step {
    if let passed { return page.read.itemCount > 0 && !repeatsEnd(page) ? .limit(passed) : .end }
    if repeatsEnd(page) { return .repeated }
    pages += 1
    items += page.read.itemCount
    bytes += page.byteCount
    guard bytes <= paging.maxBytes else {
      throw .excess("more than \(paging.maxBytes) bytes in \(pages) pages; `paging.maxBytes` is the limit", page.url)
    }
    let following = try following(page)
    if page.read.isCut { return .limit(.maxItems) }
    guard let following else { return .end }
    if pages > 1, page.read.itemCount > 0, let digest = page.digest, digest == lastDigest {
      throw .paging(
        "pages \(pages - 1) and \(pages) are the same: the upstream does not heed the parameter",
        page.url
      )
    }
    lastDigest = page.digest
    guard try isNew(following, after: page) else { return .end }
    guard pages < paging.maxPages else { return beyond(.maxPages, following) }
    guard items < maxItems else { return beyond(.maxItems, following) }
    return following
  }

  /// Returns whether a page is the one before it once more, as some upstreams answer for a number behind the last page.
  /// Where the first two pages are the same, the number may be one that is not heeded, unless the total says that there
  /// is no more.
  private func repeatsEnd(_ page: Page) -> Bool {
    switch paging.style {
    case .page, .offset:
      guard pages > 0, page.read.itemCount > 0, let digest = page.digest, digest == lastDigest else { return false }
      return page.read.total.map { items >= $0 } ?? (pages > 1)
    case .link, .header, .nextURL, .cursor: return false
    }
  }

  /// Returns whether an answer with this status, to the request for the next page, says that the list has ended: where
  /// pages are counted, the one behind a full last page is asked for, too, and need not be there.
  func isEnd(_ status: Int) -> Bool {
    switch paging.style {
    case .page, .offset:
      // Behind the limit no item is lost by that: it may be said in more ways there.
      passed != nil ? [400, 404, 410, 416, 422].contains(status) : pages > 0 && (status == 404 || status == 400)
    case .link, .header, .nextURL, .cursor: false
    }
  }

  /// Where pages are counted a full one may be the last.
  private mutating func beyond(_ limit: Limit, _ following: Step) -> Step {
    switch paging.style {
    case .page, .offset:
      passed = limit
      return following
    case .link, .header, .nextURL, .cursor: return .limit(limit)
    }
  }

  /// - Returns: false where an empty page leads back to where the walk has been: that is how some lists end.
  private mutating func isNew(_ step: Step, after page: Page) throws(UpstreamError) -> Bool {
    let isNew: Bool
    switch step {
    case .next(let url):
      guard origin.mayShareSecrets(with: url.origin) else {
        throw .paging("page \(pages) says that the next one is at another host, \(url.origin)", page.url)
      }
      isNew = visited.insert(url).inserted
    case .cursor(let cursor): isNew = cursors.insert(cursor.bytes).inserted
    case .end, .repeated, .limit: return false
    }
    guard isNew || page.read.itemCount == 0 else {
      throw .paging("page \(pages) leads back to an earlier one", page.url)
    }
    return isNew
  }

  /// Returns the next page, as the page itself names it, or its number tells.
  private func following(_ page: Page) throws(UpstreamError) -> Step? {
    let next: UpstreamURL?
    switch paging.style {
    case .link:
      guard let target = page.header.flatMap(LinkHeader.next) else { return nil }
      next = page.url.resolve(target)
    case .header:
      guard let target = page.header, !target.isEmpty else { return nil }
      next = page.url.resolve(target)
    case .nextURL:
      guard let target = page.read.next?.cursorText, !target.isEmpty else { return nil }
      next = page.url.resolve(target)
    case .cursor(_, let parameter):
      guard let cursor = page.read.next, cursor.isCursor else { return nil }
      guard let parameter else { return .cursor(cursor) }
      next = cursor.cursorText.flatMap { page.requested.replacingQuery(parameter, with: $0) }
    case .page(let parameter, let start, let size):
      guard page.read.itemCount > 0, page.read.itemCount >= size ?? 0 else { return nil }
      guard let parameter else { return .cursor(.integer(Int64(start + pages))) }
      next = page.requested.replacingQuery(parameter, with: "\(start + pages)")
    case .offset(let parameter, let size):
      guard page.read.itemCount > 0, page.read.itemCount >= size else { return nil }
      guard let parameter else { return .cursor(.integer(Int64(pages * size))) }
      next = page.requested.replacingQuery(parameter, with: "\(pages * size)")
    }
    guard let next else { throw .paging("the URL of the page after page \(pages) is not valid", page.url) }
    return .next(next)
  }
}

extension PageWalk {
  /// The URL of the first page, with the parameter of its style.
  static func first(_ url: UpstreamURL, _ paging: PagingDefinition?) throws(UpstreamError) -> UpstreamURL {
    let first: UpstreamURL? =
      switch paging?.style {
      case .page(let parameter?, let start, _): url.replacingQuery(parameter, with: "\(start)")
      case .offset(let parameter?, _): url.replacingQuery(parameter, with: "0")
      case .link, .header, .nextURL, .cursor, .page, .offset, nil: url
      }
    guard let first else { throw .unusable("the paging parameter makes no valid URL") }
    return first
  }

  /// `$cursor` of the first page.
  static func firstCursor(_ paging: PagingDefinition?) -> JSONValue {
    switch paging?.style {
    case .page(nil, let start, _): .integer(Int64(start))
    case .offset(nil, _): 0
    case .link, .header, .nextURL, .cursor, .page, .offset, nil: .null
    }
  }

  /// The expression of the body that says where the next page is.
  static func nextExpression(_ paging: PagingDefinition?) -> Expression? {
    switch paging?.style {
    case .nextURL(let expression), .cursor(let expression, _): expression
    case .link, .header, .page, .offset, nil: nil
    }
  }

  /// The header field that says where the next page is.
  static func nextHeader(_ paging: PagingDefinition?) -> String? {
    switch paging?.style {
    case .link: "Link"
    case .header(let name): name
    case .nextURL, .cursor, .page, .offset, nil: nil
    }
  }
}

extension JSONValue {
  /// Null, false and the empty text stand on the last page.
  fileprivate var isCursor: Bool {
    switch self {
    case .null, .bool(false): false
    case .string(let text): !text.isEmpty
    case .bool(true), .integer, .unsigned, .double, .array, .object: true
    }
  }

  /// As it stands in a URL; nil for lists and objects.
  fileprivate var cursorText: String? {
    switch self {
    case .string(let text): text
    case .integer, .unsigned, .double: String(decoding: bytes, as: UTF8.self)
    case .null, .bool, .array, .object: nil
    }
  }
}
