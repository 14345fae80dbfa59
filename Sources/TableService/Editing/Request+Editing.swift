import Digests
import HTTPServer
import JSON
import TableEngine
import TableModel

extension Request {
  /// `If-Match` and `Idempotency-Key`.
  func editTerms() throws(ServiceError) -> EditPreconditions {
    EditPreconditions(condition: ifMatch.map { VersionCondition($0) }, idempotency: try idempotency())
  }

  /// `Idempotency-Key`, and what the request was, so that a key is not used for two.
  private func idempotency() throws(ServiceError) -> Idempotency? {
    guard let key = header(.idempotencyKey) else { return nil }
    guard (1...255).contains(key.utf8.count) else {
      throw .malformed("`Idempotency-Key` is 1 to 255 characters.", field: "Idempotency-Key")
    }
    let query = query.items.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
    return Idempotency(
      key: key,
      route: "\(method.name) \(rawPath)",
      content: SHA256.digest(of: Array("\(query)\n".utf8) + body)
    )
  }

  /// The body as JSON.
  ///
  /// - Parameter orEmpty: no body counts as `{}`.
  func json(orEmpty: Bool, types: [String] = ["application/json"]) throws(ServiceError) -> JSONValue {
    if body.isEmpty, orEmpty { return .object([]) }
    let mediaType = (header(.contentType) ?? "application/json").split(separator: ";").first.map {
      String($0).trimmingSpaces.lowercased()
    }
    guard let mediaType, types.contains(mediaType) else {
      throw ServiceError(
        status: .unsupportedMediaType,
        detail: "`Content-Type` is \(types.joined(separator: " or ")) here.",
        field: "Content-Type"
      )
    }
    let value: JSONValue
    do {
      // What can't be kept is refused: something else in its place, or null, which a patch removes by, is worse.
      let limits = JSONLimits(maximumBytes: 16 << 20, maximumDepth: 64, allowsRepair: false)
      value = try JSONValue(parsing: body, limits: limits)
    } catch {
      throw .malformed("The body is no JSON: \(error).")
    }
    // Of two members with one name this service would take one, and the upstream perhaps the other.
    if let name = value.doubledMember {
      let place = String(name.prefix(200))
      throw .malformed(
        "The member `\(place)` stands twice in one object of the body: which of them is meant?",
        field: place
      )
    }
    return value
  }
}

extension VersionCondition {
  /// The cursors among entity tags: a snapshot's tag is its cursor, with the content coding behind it.
  init(_ condition: EntityTagCondition) {
    switch condition {
    case .any: self = .any
    case .tags(let tags):
      self = .oneOf(
        tags.compactMap { tag in
          guard !tag.isWeak else { return nil }
          for coding in ["-gzip", "-deflate"] where tag.opaque.hasSuffix(coding) {
            return Cursor(tag.opaque.dropLast(coding.count))
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
