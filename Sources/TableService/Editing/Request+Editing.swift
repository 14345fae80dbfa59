import Digests
import FieldValues
import HTTPServer
import JSON
import TableEngine
import TableModel

extension Request {
  /// `If-Match` and `Idempotency-Key`.
  func editTerms() throws(ServiceError) -> EditPreconditions {
    EditPreconditions(condition: ifMatch.map { VersionCondition($0) }, idempotency: try idempotency())
  }

  /// `If-None-Match` of what is added under an identity that the client has chosen.
  func putCondition() throws(ServiceError) -> PutCondition {
    switch ifNoneMatch {
    case nil: .none
    case .any: .absent
    case .tags:
      throw .malformed("`If-None-Match` is `*` here: the item is only added then.", field: "If-None-Match")
    }
  }

  /// `Idempotency-Key`, and what the request was, so that a key is not used for two.
  private func idempotency() throws(ServiceError) -> Idempotency? {
    guard let length = valueBytes(.idempotencyKey)?.count else { return nil }
    guard !isRepeated(.idempotencyKey) else {
      throw .malformed("`Idempotency-Key` stands twice: send it once.", field: "Idempotency-Key")
    }
    guard (1...255).contains(length), let key = header(.idempotencyKey) else {
      throw .malformed("`Idempotency-Key` is 1 to 255 characters.", field: "Idempotency-Key")
    }
    // An edit does the same in any view, a tap does not. Lengths tell parameters apart, whatever characters their values have.
    let items = query.items.filter { $0.name != "view" || path.last == "tap" }.sorted { $0.name < $1.name }
    let query = items.map { "\($0.name.utf8.count):\($0.name)\($0.value.utf8.count):\($0.value)" }.joined()
    return Idempotency(
      key: key,
      route: "\(method.name) \(canonicalPath)",
      content: SHA256.digest(of: Array("\(query)\n".utf8) + body)
    )
  }

  /// The path, each segment written in one way: what stands between client and service may write it in another one (RFC 3986
  /// section 6.2.2.2).
  private var canonicalPath: String {
    path.map { "/" + PercentCoding.encode($0, allowed: "!$&'()*+,;=:@") }.joined()
  }

  /// The body as JSON.
  ///
  /// - Parameters:
  ///   - orEmpty: no body counts as `{}`.
  ///   - isBatch: of edits: what is wrong with one of them is said of that one.
  func json(
    orEmpty: Bool,
    isBatch: Bool = false,
    types: [String] = ["application/json"]
  ) throws(ServiceError) -> JSONValue {
    if body.isEmpty, orEmpty { return .object([]) }
    try checkContentType(types)
    return try asked { () throws(TableError) in
      do throws(TableError) {
        return try JSONValue(sent: body)
      } catch {
        throw isBatch ? JSONValue.faultOfEdit(in: body) ?? error : error
      }
    }
  }

  /// In bytes: a type and its parameters are some dozens.
  private static let longestContentType = 1024

  /// JSON is UTF-8 (RFC 8259 section 8.1), which the type need not say.
  private func checkContentType(_ types: [String]) throws(ServiceError) {
    guard let length = valueBytes(.contentType)?.count else { return }
    guard length <= Self.longestContentType else {
      throw .unsupportedMediaType("`Content-Type` has \(length) bytes: \(Self.longestContentType) are the most.")
    }
    // As nearly all write it.
    guard let text = header(.contentType), !types.contains(text) else { return }
    let contentType = ContentType(text)
    guard types.contains(contentType.mediaType) else {
      throw .unsupportedMediaType("`Content-Type` is \(types.joined(separator: " or ")) here.")
    }
    if let other = contentType["charset"].first(where: { !["utf-8", "utf8"].contains($0.lowercased()) }) {
      throw .unsupportedMediaType("A body is UTF-8 here, and `Content-Type` says `charset=\(other.prefix(80))`.")
    }
  }
}

extension ServiceError {
  fileprivate static func unsupportedMediaType(_ detail: String) -> ServiceError {
    ServiceError(status: .unsupportedMediaType, detail: detail, field: "Content-Type")
  }
}

extension JSONValue {
  private static let maximumDepth = 64

  /// Takes the text that a client has sent.
  ///
  /// - Throws: where it is no JSON, can't be kept as it is, or means two things.
  fileprivate init(sent text: [UInt8], maximumDepth: Int = maximumDepth) throws(TableError) {
    do {
      // A value that can't be kept is refused: another one in its place, or null, which a patch removes by, is worse.
      let limits = JSONLimits(maximumBytes: 16 << 20, maximumDepth: maximumDepth, allowsRepair: false)
      try self.init(parsing: text, limits: limits)
    } catch {
      throw .malformed("The body can't be read as JSON: \(error).")
    }
    // Of two members with one name this service would take one, and the upstream perhaps the other.
    if let name = doubledMember {
      let place = String(name.prefix(200))
      throw .malformed(
        "The member `\(place)` stands twice in one object of the body: which of them is meant?",
        field: place
      )
    }
  }

  /// Returns the error of the first edit of a batch that can't be read by itself; nil where it is none of them.
  /// O(bytes).
  fileprivate static func faultOfEdit(in body: [UInt8]) -> TableError? {
    guard let list = ListedText.edits(of: body) else { return nil }
    for index in list.elements.indices {
      let element = list.withBytes(of: index) { Array($0) }
      // It stands two levels deep.
      do throws(TableError) { _ = try JSONValue(sent: element, maximumDepth: maximumDepth - 2) } catch {
        return error.ofEdit(index)
      }
    }
    return nil
  }
}

extension ListedText {
  /// The edits in the body of a batch; nil where it has no list of them. O(bytes).
  static func edits(of body: [UInt8]) -> ListedText? {
    (try? ListedText(body, at: [.name("edits")])) ?? (try? ListedText(body))
  }
}

extension VersionCondition {
  private static let suffixes = ["-gzip", "-deflate", "-zstd"].map { Array($0.utf8) }
  private static let longestSuffix = 8
  private static let shortestCursor = 14

  /// The cursors among entity tags: a snapshot's tag is its cursor, with the content coding behind it.
  init(_ condition: EntityTagCondition) {
    switch condition {
    case .any: self = .any
    case .tags(let tags):
      self = .oneOf(
        tags.compactMap { tag in
          guard !tag.isWeak else { return nil }
          let text = tag.opaque.utf8
          guard (Self.shortestCursor...Cursor.maximumLength + Self.longestSuffix).contains(text.count) else {
            return nil
          }
          for suffix in Self.suffixes where text.suffix(suffix.count).elementsEqual(suffix) {
            return Cursor(Substring(text.dropLast(suffix.count)))
          }
          return Cursor(tag.opaque)
        }
      )
    }
  }
}

extension EditPlace {
  /// From the query of `POST …/items`.
  init(_ query: Query) throws(ServiceError) {
    var at: Int?
    if let text = query.first("at") {
      guard let index = Int(digits: text) else {
        throw .malformed("`at` is an index in the section, counted from 0.", field: "at")
      }
      at = index
    }
    let position = at
    self = try asked { () throws(TableError) in
      try EditPlace(
        section: query.first("section"),
        at: position,
        before: query.first("before"),
        after: query.first("after")
      )
    }
  }
}

extension HeaderBlock {
  static let jsonNotStored = HeaderBlock([
    HeaderField(.contentType, "application/json"), HeaderField(.cacheControl, "no-store"),
  ])
}
