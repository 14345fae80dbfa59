internal import Definitions
internal import Expressions

/// From page to page: which URL comes next, and whether the way is sound. Pure.
struct PageWalk {
  enum Step: Equatable {
    case next(UpstreamURL)
    case end
    /// There is more, over `maxPages` or `maxItems`.
    case limit
  }

  private let paging: PagingDefinition
  private let origin: UpstreamURL.Origin
  private var visited: Set<UpstreamURL>
  private var pages = 0
  private var items = 0
  private var bytes = 0
  private var lastDigest: [UInt8] = []

  /// The URL of the first page, with the parameter of its style.
  static func first(_ url: UpstreamURL, _ paging: PagingDefinition?) throws(UpstreamError) -> UpstreamURL {
    let first: UpstreamURL? =
      switch paging?.style {
      case .page(let parameter, let start, _): url.replacingQuery(parameter, with: "\(start)")
      case .offset(let parameter, _): url.replacingQuery(parameter, with: "0")
      case .link, .nextURL, .cursor, nil: url
      }
    guard let first else { throw .unusable("the paging parameter makes no valid URL") }
    return first
  }

  /// The expression of the body that says where the next page is.
  static func nextExpression(_ paging: PagingDefinition?) -> Expression? {
    switch paging?.style {
    case .nextURL(let expression), .cursor(let expression, _): expression
    case .link, .page, .offset, nil: nil
    }
  }

  init(_ paging: PagingDefinition, first: UpstreamURL) {
    self.paging = paging
    origin = first.origin
    visited = [first]
  }

  /// - Parameters:
  ///   - url: the page's own, after redirects: relative references start there.
  ///   - digest: of its body.
  mutating func step(
    after requested: UpstreamURL,
    at url: UpstreamURL,
    link: String?,
    page: ResponseCheck.Page,
    byteCount: Int,
    digest: [UInt8]
  ) throws(UpstreamError) -> Step {
    pages += 1
    items += page.itemCount
    bytes += byteCount
    guard bytes <= paging.maxBytes else {
      throw .paging("more than \(paging.maxBytes) bytes in \(pages) pages; `paging.maxBytes` is the limit", url)
    }
    guard let next = try following(requested, url, link, page) else { return .end }
    if pages > 1, page.itemCount > 0, digest == lastDigest {
      throw .paging("pages \(pages - 1) and \(pages) are the same: the upstream does not heed the parameter", url)
    }
    lastDigest = digest
    guard origin.mayShareSecrets(with: next.origin) else {
      throw .paging("page \(pages) says that the next one is at another host, \(next.origin)", url)
    }
    guard visited.insert(next).inserted else { throw .paging("page \(pages) leads back to an earlier one", url) }
    guard pages < paging.maxPages, items < paging.maxItems else { return .limit }
    return .next(next)
  }

  private func following(
    _ requested: UpstreamURL,
    _ url: UpstreamURL,
    _ link: String?,
    _ page: ResponseCheck.Page
  ) throws(UpstreamError) -> UpstreamURL? {
    let next: UpstreamURL?
    switch paging.style {
    case .link:
      guard let target = link.flatMap(LinkHeader.next) else { return nil }
      next = url.resolve(target)
    case .nextURL:
      guard let target = page.next, !target.isEmpty else { return nil }
      next = url.resolve(target)
    case .cursor(_, let parameter):
      guard let cursor = page.next, !cursor.isEmpty else { return nil }
      next = requested.replacingQuery(parameter, with: cursor)
    case .page(let parameter, let start, let size):
      guard page.itemCount > 0, page.itemCount >= size ?? 0 else { return nil }
      next = requested.replacingQuery(parameter, with: "\(start + pages)")
    case .offset(let parameter, let size):
      guard page.itemCount > 0, page.itemCount >= size else { return nil }
      next = requested.replacingQuery(parameter, with: "\(pages * size)")
    }
    guard let next else { throw .paging("the URL of the page after page \(pages) is not valid", url) }
    return next
  }
}

/// `Link` (RFC 8288 section 3).
enum LinkHeader {
  /// The first target whose relation types have `next`.
  static func next(_ value: String) -> String? {
    var rest = Substring(value)
    while let open = rest.firstIndex(of: "<"), let close = rest[open...].firstIndex(of: ">") {
      let target = rest[rest.index(after: open)..<close]
      rest = rest[rest.index(after: close)...]
      let parameters = rest.prefix { $0 != "<" }
      if isNext(parameters) { return String(target) }
      rest = rest[parameters.endIndex...]
    }
    return nil
  }

  private static func isNext(_ parameters: Substring) -> Bool {
    for parameter in parameters.split(whereSeparator: { $0 == ";" || $0 == "," }) {
      let (name, value) = String(parameter).split(at: "=")
      guard name.trimmingWhitespace.lowercased() == "rel", let value else { continue }
      let types = value.trimmingWhitespace.filter { $0 != "\"" }.lowercased().split(separator: " ")
      return types.contains("next")  // later `rel`s of one link do not count
    }
    return false
  }
}

extension UpstreamError {
  static func paging(_ why: String, _ url: UpstreamURL) -> UpstreamError {
    UpstreamError(.paging, title: "The upstream's pages can't be followed", detail: "\(url): \(why)")
  }
}
