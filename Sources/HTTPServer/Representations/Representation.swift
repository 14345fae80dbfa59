internal import Synchronization

/// A representation (RFC 9110 section 3.2) that many requests are answered with: bytes, their type, an entity tag,
/// and what caches may do with it. Its compressed forms are made once, when first asked for.
///
/// The heads of its responses are serialised once too; answering with a form that is there allocates nothing.
public final class Representation: Sendable {
  /// One form of the representation, with the heads that go with it.
  final class Variant: Sendable {
    let body: [UInt8]
    /// The rest, behind `body`.
    let pieces: [BodyPiece]
    let byteCount: Int
    let coding: ContentCoding
    /// As in `ETag`, with the quotes; empty where there is none.
    let tag: [UInt8]
    let head: HeaderBlock
    /// How many of the head's fields, the first ones, a 304 leaves out: those about the body.
    private let bodyFields: Int
    private let keptNotModified = AtomicLazyReference<HeaderBlock>()

    init(
      body: [UInt8],
      pieces: [BodyPiece],
      coding: ContentCoding,
      tag: [UInt8],
      fields: [HeaderField],
      bodyFields: Int
    ) {
      let count = body.count + pieces.byteCount
      self.body = body
      self.pieces = pieces
      byteCount = count
      self.coding = coding
      self.tag = tag
      head = HeaderBlock(status: .ok, fields, contentLength: count)
      self.bodyFields = bodyFields
    }

    /// The body in one piece; a copy where there are several.
    var wholeBody: [UInt8] {
      guard !pieces.isEmpty else { return body }
      var whole: [UInt8] = []
      whole.reserveCapacity(byteCount)
      whole.append(contentsOf: body)
      for piece in pieces { whole.append(contentsOf: piece.bytes[piece.start...]) }
      return whole
    }

    /// The head of a 304, made when first asked for: what is sent once, such as one row, mostly has none.
    var notModified: HeaderBlock {
      if let known = keptNotModified.load() { return known }
      let fields = Array(head.fields.dropFirst(bodyFields))
      return keptNotModified.storeIfNil(HeaderBlock(status: .notModified, fields, contentLength: nil))
    }
  }

  /// Bodies under this size are sent as they are, unless the client takes nothing but a compressed one: they fit
  /// into one packet anyway.
  static let compressionThreshold = 1024

  /// The bytes without a content coding; a copy where they are in several pieces.
  public var body: [UInt8] { identity.wholeBody }
  /// How many these are. O(1).
  public var byteCount: Int { identity.byteCount }
  /// The text between the quotes of the entity tag; nil without one.
  public let entityTag: String?
  /// The tag is for `If-None-Match` alone (RFC 9110 section 8.8.1).
  let hasWeakTag: Bool

  private let contentType: String
  private let sharedFields: [HeaderField]
  private let identity: Variant
  private let gzip = AtomicLazyReference<Variant>()
  private let deflate = AtomicLazyReference<Variant>()
  private let zstd = AtomicLazyReference<Variant>()
  /// Held while a form is made, so that it is made once.
  private let making = Mutex(())

  /// - Parameters:
  ///   - pieces: the rest of the body, which is sent as it is where no coding is asked for, and shared with whoever has it.
  ///   - entityTag: what stands between the quotes; compressed forms get `-gzip`, `-deflate` and `-zstd` behind it. Nil, or
  ///     with a character that no tag can have: no `ETag`, and no 304.
  ///   - hasWeakTag: for a tag that no `If-Match` of an edit can name.
  ///   - vary: names of request fields that the representation depends on; `Accept-Encoding` is added.
  ///   - fields: further fields, such as `Link`. Those that 304 must have too (RFC 9110 section 15.4.5) are in it.
  public init(
    body: [UInt8],
    pieces: [BodyPiece] = [],
    contentType: String,
    entityTag: String? = nil,
    hasWeakTag: Bool = false,
    cacheControl: String? = nil,
    vary: [String] = [],
    fields: [HeaderField] = []
  ) {
    (self.contentType, self.hasWeakTag) = (contentType, hasWeakTag)
    self.entityTag = entityTag.flatMap { EntityTag($0) }?.opaque
    var shared: [HeaderField] = []
    if let cacheControl { shared.append(HeaderField(.cacheControl, cacheControl)) }
    shared.append(HeaderField(.vary, (["Accept-Encoding"] + vary).joined(separator: ", ")))
    sharedFields = shared + fields
    identity = Representation.variant(body, pieces, .identity, self.entityTag, hasWeakTag, contentType, sharedFields)
  }

  /// Makes compressed forms ahead of the first request. From any queue, best not on an event loop: compressing
  /// takes some 20 ms for a megabyte.
  public func prepare(_ codings: [ContentCoding]) {
    for coding in codings where byteCount >= Representation.compressionThreshold { _ = variant(coding) }
  }

  /// Returns whether `response(to:)` can answer without compressing first.
  public func isPrepared(for request: Request) -> Bool { isPrepared(for: request.acceptedCodings) }

  /// Returns whether `response(accepting:)` can answer without compressing first.
  public func isPrepared(for accepted: AcceptedCodings) -> Bool {
    guard let coding = selectedCoding(accepted) else { return true }
    return existing(coding) != nil
  }

  /// The response to a `GET` or `HEAD`, with the content coding that the client prefers: 412 where `If-Match` has none of
  /// the representation's tags (RFC 9110 section 13.1.1), 304 where `If-None-Match` has the one that would be sent
  /// (section 13.1.2), 406 where no coding is acceptable, not even none (12.5.3).
  public func response(to request: Request) -> Response {
    response(to: request, status: .ok)
  }

  /// The same for other answers that a representation is of, such as 404 pages. 304 and 412 are for 200 alone.
  public func response(to request: Request, status: Status) -> Response {
    guard let coding = selectedCoding(request.head.codings) else { return Representation.notAcceptable }
    let variant = existing(coding) ?? variant(coding)
    if status == .ok {
      // RFC 9110 section 13.2.2: in this order.
      if request.head.hasIfMatch, !isMatched(request.head) { return preconditionFailed(variant) }
      if isNotModified(request.head, variant) { return Response(status: .notModified, headers: variant.notModified) }
    }
    return Response(status: status, headers: variant.head, body: variant.body, pieces: variant.pieces)
  }

  /// The response to a request without conditions, of which only the codings are left.
  public func response(accepting accepted: AcceptedCodings) -> Response {
    guard let coding = selectedCoding(accepted) else { return Representation.notAcceptable }
    let variant = existing(coding) ?? variant(coding)
    return Response(status: .ok, headers: variant.head, body: variant.body, pieces: variant.pieces)
  }

  private static let notAcceptable = Response.problem(
    .notAcceptable,
    detail: "Accept-Encoding leaves no content coding; identity, gzip, deflate and zstd are possible.",
    headers: [HeaderField(.vary, "Accept-Encoding")]
  )

  /// The coding to answer with; nil where none is acceptable.
  private func selectedCoding(_ accepted: AcceptedCodings) -> ContentCoding? {
    if byteCount < Representation.compressionThreshold, accepted.ordered.contains(.identity) { return .identity }
    return accepted.ordered.first
  }

  private func existing(_ coding: ContentCoding) -> Variant? {
    switch coding {
    case .identity: identity
    case .gzip: gzip.load()
    case .deflate: deflate.load()
    case .zstd: zstd.load()
    }
  }

  private func variant(_ coding: ContentCoding) -> Variant {
    if let variant = existing(coding) { return variant }
    return making.withLock { _ in
      if let variant = existing(coding) { return variant }
      // A body that doesn't get smaller is sent as it is; a client that asked for a coding must take that as well.
      let made = Compressor.compress(identity.wholeBody, coding).map {
        Representation.variant($0, [], coding, entityTag, hasWeakTag, contentType, sharedFields)
      }
      switch coding {
      case .identity: return identity
      case .gzip: return gzip.storeIfNil(made ?? identity)
      case .deflate: return deflate.storeIfNil(made ?? identity)
      case .zstd: return zstd.storeIfNil(made ?? identity)
      }
    }
  }

  private static func variant(
    _ body: [UInt8],
    _ pieces: [BodyPiece],
    _ coding: ContentCoding,
    _ entityTag: String?,
    _ isWeak: Bool,
    _ contentType: String,
    _ shared: [HeaderField]
  ) -> Variant {
    let tag = entityTag.map { "\(isWeak ? "W/" : "")\"\($0)\(coding.tagSuffix)\"" } ?? ""
    let tagField = tag.isEmpty ? [] : [HeaderField(.etag, tag)]
    var bodyFields = [HeaderField(.contentType, contentType)]
    if coding != .identity { bodyFields.append(HeaderField(.contentEncoding, coding.name)) }
    return Variant(
      body: body,
      pieces: pieces,
      coding: coding,
      tag: Array(tag.utf8),
      fields: bodyFields + tagField + shared,
      bodyFields: bodyFields.count
    )
  }
}
