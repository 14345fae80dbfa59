internal import Definitions
internal import Expressions
internal import FieldValues
internal import JSON

/// The check whether a table can be made of a response. Pure.
struct ResponseCheck {
  var redaction: Redaction
  /// The values of the request that expressions of its answer may read, too.
  var context = FetchContext()

  /// The parts of a page that are needed to go on.
  struct Page: Equatable {
    /// After the list was cut.
    var itemCount: Int
    /// The list had more items than it may.
    var isCut = false
    /// The value that paging reads: a URL or a cursor.
    var next: JSONValue?
    /// The value of `$since` in the next request for changes.
    var since: JSONValue?
    /// How many items there are in all, by its own account.
    var total: Int?
    /// The response has a member `next` that isn't empty.
    var namesNext = false
  }

  /// - Returns: why it is none, for any status that is no success.
  func failure(of response: TransferResponse, request: TransferRequest, now: Int64) -> UpstreamError? {
    guard !(200..<300).contains(response.status) else { return nil }
    let told = ReasonText.reason(in: response.body, type: response.headers.first(named: "Content-Type"))
    let words = told.map { ": \(redaction.clean($0))" } ?? ""
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
      detail: "\(request.method) \(response.url) answered \(response.status)\(words)",
      status: response.status,
      retryAfter: [429, 503].contains(response.status) ? ResponseFreshness.retryAfter(response.headers, now: now) : nil
    )
    if response.status == 401 {
      error.challenge = response.headers.list(named: "WWW-Authenticate").map(redaction.clean)
    }
    return error
  }

  /// A page as it is delivered.
  struct Text {
    /// Cut where it has too many items.
    var body: [UInt8]
    /// The list of its items; nil where an expression finds or makes them.
    var list: ListedText?
  }

  /// Reads a page: the list where `items` says, and where the next page is.
  ///
  /// Of a list, only where its items stand is found out here, and what else the page says is parsed: the items are
  /// whoever's who makes something of them.
  ///
  /// - Parameters:
  ///   - limit: how many items it may have, at least 1. What is over that is cut off.
  ///   - previous: the page as it was the last time.
  ///   - type: its `Content-Type`, for who reads that it is no JSON.
  func read(
    _ body: [UInt8],
    of url: UpstreamURL,
    _ definition: UpstreamDefinition,
    limit: Int,
    after previous: ListedText? = nil,
    type: String? = nil
  ) throws(UpstreamError) -> (page: Page, text: Text) {
    let path = definition.items.map(\.documentPath) ?? []
    var (page, text) = try self.page(body, of: url, definition, at: path, after: previous, limit: limit, type: type)
    guard page.itemCount > limit else { return (page, text) }
    guard let path, let cut = ListCut.cut(body, at: path, to: limit) else {
      throw .excess(
        "there are \(page.itemCount) items, and at most \(limit) are taken (`maxItems`): a list that an expression "
          + "makes can't be cut",
        url
      )
    }
    (page.itemCount, page.isCut) = (limit, true)
    text = try self.page(cut, of: url, definition, at: path, limit: limit).text
    return (page, text)
  }

  /// - Parameter path: where the list stands; nil where an expression finds or makes it.
  private func page(
    _ body: [UInt8],
    of url: UpstreamURL,
    _ definition: UpstreamDefinition,
    at path: JSONPath?,
    after previous: ListedText? = nil,
    limit: Int,
    type: String? = nil
  ) throws(UpstreamError) -> (page: Page, text: Text) {
    do {
      let paging = definition.paging
      let read = [PageWalk.nextExpression(paging), paging?.total, definition.since?.next].compactMap(\.self)
      if let path, read.allSatisfy({ Self.isBeside($0, path) }) {
        let name = redaction.hide("\(url)")
        let list = try ListedText(body, at: path, after: previous, keeping: limit, named: name)
        var page = try Document(list.frame).withRoot { try self.page(around: $0, definition, body.count) }
        page.itemCount = list.count
        return (page, Text(body: body, list: list))
      }
      return try Document(body).withRoot { root in
        let list = try list(in: root, definition.items, body.count)
        guard list.kind == .array else { throw unexpected(list, definition.items, root: root, url: url) }
        var page = try self.page(around: root, definition, body.count)
        page.itemCount = list.count
        return (page, Text(body: body, list: nil))
      }
    } catch let error as UpstreamError {
      throw error
    } catch let error as JSONError {
      if error.kind == .mismatch { throw mismatch(error, in: body, of: url, definition, type: type) }
      throw invalid(error, in: body, of: url, type: type)
    } catch {
      throw UpstreamError(
        .unexpectedShape,
        title: "The upstream's answer is not as configured",
        detail: "\(url): \(redaction.clean("\(error)"))"
      )
    }
  }

  /// Returns the content of a page beside its items.
  private func page(around root: JSONView, _ definition: UpstreamDefinition, _ bytes: Int) throws -> Page {
    var page = Page(itemCount: 0)
    let paging = definition.paging
    if let next = definition.since?.next { page.since = JSONValue(try next.evaluate(in: scope(root, bytes))) }
    if let next = PageWalk.nextExpression(paging) { page.next = JSONValue(try next.evaluate(in: scope(root, bytes))) }
    if let total = paging?.total { page.total = try total.evaluate(in: scope(root, bytes)).wholeNumber }
    if let next = root["next"] { page.namesNext = next.string.map { !$0.isEmpty } ?? (next.kind == .object) }
    return page
  }

  /// Returns whether an expression reads something beside the list, so that it needs no item.
  private static func isBeside(_ expression: Expression, _ list: JSONPath) -> Bool {
    guard let first = list.first, let other = expression.documentPath?.first else { return false }
    return first != other
  }

  /// There is no list where `items` says. The page is parsed to tell what there is instead, if it is JSON at all.
  private func mismatch(
    _ mismatch: JSONError,
    in body: [UInt8],
    of url: UpstreamURL,
    _ definition: UpstreamDefinition,
    type: String?
  ) -> UpstreamError {
    do {
      return try Document(body).withRoot { root in
        unexpected(try list(in: root, definition.items, body.count), definition.items, root: root, url: url)
      }
    } catch let error as JSONError {
      return invalid(error, in: body, of: url, type: type)
    } catch {
      return UpstreamError(
        .unexpectedShape,
        title: "The upstream's answer is not as configured",
        detail: "\(url): \(redaction.clean(mismatch.description))"
      )
    }
  }

  /// - Parameter bytes: how many the body has.
  private func scope(_ root: JSONView, _ bytes: Int) -> Scope {
    var scope = context.scope
    (scope.item, scope.response) = (Value(root), Value(root))
    scope.work = Budget(ofResponse: bytes)
    return scope
  }

  private func list(in root: JSONView, _ items: Expression?, _ bytes: Int) throws -> Value {
    try items.map { try $0.evaluate(in: scope(root, bytes)) } ?? Value(root)
  }

  /// A hash of the identity of each item of a page, in order; nil where one has none, or they can't be told.
  func identities(in text: Text, _ definition: UpstreamDefinition) -> [Int]? {
    guard let identity = definition.identity, let list = text.list, list.elements.count == list.count else {
      return nil
    }
    var identities: [Int] = []
    identities.reserveCapacity(list.count)
    for element in 0..<list.count {
      let hash = list.withBytes(of: element) { bytes -> Int? in
        guard let document = try? Document(bytes) else { return nil }
        return try? document.withRoot { item in
          // It reads the item alone, or it would not have been chosen.
          let text = try identity.text(in: Scope(item: Value(item)))
          return text.flatMap { $0.isEmpty ? nil : ByteText($0).hashValue }
        }
      }
      guard let hash else { return nil }
      identities.append(hash)
    }
    return identities
  }

  /// An item of its own: any JSON.
  func checkItem(_ body: [UInt8], of url: UpstreamURL, type: String?) throws(UpstreamError) {
    do throws(JSONError) { _ = try Document(body).unmanagedRoot() } catch {
      throw invalid(error, in: body, of: url, type: type)
    }
  }

  /// Returns whether an answer is an upstream's form, other than 404, of an item that is gone.
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
      let list = try list(in: root, items, body.count)
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

extension Value {
  /// A number of things, be it a number or a text of digits; nil for anything else.
  fileprivate var wholeNumber: Int? { text.flatMap { Int($0) }.flatMap { $0 >= 0 ? $0 : nil } }
}
