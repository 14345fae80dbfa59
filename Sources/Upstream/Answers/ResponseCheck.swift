internal import Definitions
internal import Expressions
internal import JSON

/// Whether a response is what a table can be made of. Pure.
struct ResponseCheck {
  let redaction: Redaction

  /// What is needed of one page to go on.
  struct Page: Equatable {
    /// After the list was cut.
    var itemCount: Int
    /// The list had more items than it may.
    var isCut = false
    /// The value that paging reads: a URL or a cursor.
    var next: JSONValue?
    /// The response has a member `next` that isn't empty.
    var namesNext = false
  }

  /// - Returns: why it is none, for any status that is no success.
  func failure(of response: TransferResponse, request: TransferRequest, now: Int64) -> UpstreamError? {
    guard !(200..<300).contains(response.status) else { return contentFailure(of: response) }
    let told = ReasonText.reason(in: response.body, type: response.headers.first(named: "Content-Type"))
    let said = told.map { ": \(redaction.clean($0))" } ?? ""
    let title =
      switch response.status {
      case 304: "The upstream's answer has no content"
      case 300..<400: "The upstream redirects to where it is not followed"
      case 401: "The upstream asks for other credentials"
      case 403: "The upstream refuses access"
      case 404, 410: "The upstream does not have it"
      case 429: "The upstream limits the rate of requests"
      case 500...: "The upstream fails"
      default: "The upstream refuses the request"
      }
    var error = UpstreamError(
      .status,
      title: title,
      detail: "\(request.method) \(response.url) answered \(response.status)\(said)",
      status: response.status,
      retryAfter: [429, 503].contains(response.status) ? ResponseFreshness.retryAfter(response.headers, now: now) : nil
    )
    if response.status == 401 {
      error.challenge = response.headers.list(named: "WWW-Authenticate").map(redaction.clean)
    }
    return error
  }

  private func contentFailure(of response: TransferResponse) -> UpstreamError? {
    let type = response.headers.first(named: "Content-Type")
    guard !ReasonText.isJSONish(type) || ReasonText.startsLikeMarkup(response.body) else { return nil }
    let titled = ReasonText.htmlTitle(in: response.body).map { " titled “\(redaction.clean($0))”" } ?? ""
    let isPage = ReasonText.startsLikeMarkup(response.body)
    return UpstreamError(
      .contentType,
      title: "The upstream's answer is no JSON",
      detail: isPage
        ? "\(response.url) answered \(response.status) with an HTML page\(titled)"
        : "\(response.url) answered \(response.status) with \(redaction.clean(type ?? "an unknown type"))",
      status: response.status
    )
  }

  /// Reads a page: the list where `items` says, and where the next page is.
  ///
  /// - Parameter limit: how many items it may have, at least 1. What is over that is cut off, and before anything of it is
  ///   parsed where it could be much.
  /// - Returns: with the body, cut.
  func read(
    _ body: [UInt8],
    of url: UpstreamURL,
    _ definition: UpstreamDefinition,
    limit: Int
  ) throws(UpstreamError) -> (page: Page, body: [UInt8]) {
    let path = definition.items.map(\.documentPath) ?? []
    // Parsed, each element takes some 16 bytes and more.
    if let path, ListCut.bound(on: body) / 16 > limit, let cut = ListCut.cut(body, at: path, to: limit) {
      var page = try page(cut, of: url, definition)
      page.isCut = true
      return (page, cut)
    }
    var page = try page(body, of: url, definition)
    guard page.itemCount > limit else { return (page, body) }
    guard let path, let cut = ListCut.cut(body, at: path, to: limit) else {
      throw .paging(
        "there are \(page.itemCount) items, and at most \(limit) are taken (`maxItems`): a list that an expression "
          + "makes can't be cut",
        url
      )
    }
    (page.itemCount, page.isCut) = (limit, true)
    return (page, cut)
  }

  private func page(
    _ body: [UInt8],
    of url: UpstreamURL,
    _ definition: UpstreamDefinition
  ) throws(UpstreamError) -> Page {
    do {
      return try Document(body).withRoot { root in
        let list = try list(in: root, definition.items)
        guard list.kind == .array else { throw unexpected(list, definition.items, root: root, url: url) }
        var page = Page(itemCount: list.count)
        if let next = PageWalk.nextExpression(definition.paging) {
          page.next = JSONValue(try next.evaluate(in: scope(root)))
        }
        if let next = root["next"] { page.namesNext = next.string.map { !$0.isEmpty } ?? (next.kind == .object) }
        return page
      }
    } catch let error as UpstreamError {
      throw error
    } catch let error as JSONError {
      throw UpstreamError(
        .invalidJSON,
        title: "The upstream's answer is not valid JSON",
        detail: "\(url), \(body.count) bytes: \(redaction.clean(error.description))"
      )
    } catch {
      throw UpstreamError(
        .unexpectedShape,
        title: "The upstream's answer is not as configured",
        detail: "\(url): \(redaction.clean("\(error)"))"
      )
    }
  }

  private func scope(_ root: JSONView) -> Scope {
    var scope = Scope(item: root)
    scope.response = Value(root)
    return scope
  }

  private func list(in root: JSONView, _ items: Expression?) throws -> Value {
    try items.map { try $0.evaluate(in: scope(root)) } ?? Value(root)
  }

  /// An item of its own: any JSON.
  func checkItem(_ body: [UInt8], of url: UpstreamURL) throws(UpstreamError) {
    do { try Document(body).withRoot { _ in } } catch {
      throw UpstreamError(
        .invalidJSON,
        title: "The upstream's answer is not valid JSON",
        detail: "\(url), \(body.count) bytes: \(redaction.clean("\(error)"))"
      )
    }
  }

  /// What an upstream answers for an item that is gone, if not by 404.
  static func isNull(_ body: [UInt8]) -> Bool {
    body.count < 16 && String(decoding: body, as: UTF8.self).trimmingWhitespace == "null"
  }

  /// Calls the body with the first elements of the list: for requests that are made of them.
  ///
  /// - Returns: whether there are more.
  func forEachItem(
    of body: [UInt8],
    items: Expression?,
    atMost limit: Int,
    _ visit: (Value) throws -> Void
  ) throws -> Bool {
    try Document(body).withRoot { root in
      let list = try list(in: root, items)
      for element in (list.elements ?? []).prefix(limit) { try visit(element) }
      return list.count > limit
    }
  }

  private func unexpected(_ value: Value, _ items: Expression?, root: JSONView, url: UpstreamURL) -> UpstreamError {
    let place = items.map { "`\($0.text)`" } ?? "the response"
    let told = ReasonText.reason(in: root).map { "; it says: \(redaction.clean($0))" } ?? ""
    let found =
      switch value.kind {
      case .object:
        "an object with the members \(redaction.clean((value.members ?? []).prefix(8).map(\.name).joined(separator: ", ")))"
      case .null: "nothing"
      case .array, .boolean, .number, .string: "a \(value.kind.rawValue)"
      }
    return UpstreamError(
      .unexpectedShape,
      title: "The upstream's answer is not as configured",
      detail: "\(url): \(place) should be the list of items, but there is \(found)\(told)"
    )
  }
}
