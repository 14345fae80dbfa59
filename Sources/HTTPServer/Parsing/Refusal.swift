/// A request that the server itself turns down. The connection is closed after it: where the next request would
/// begin is not known, or not worth waiting for.
struct Refusal: Error, Equatable {
  var status: Status
  var detail: String
  /// True if `Retry-After` goes with it.
  var isTemporary = false
  /// `Accept-Encoding: identity` goes with a 415 that is about a content coding (RFC 9110 section 15.5.16).
  var namesCodings = false
  /// The head of the refused request; nil where it could not be read. Its answer has the origin's grant, the client's
  /// `X-Request-ID`, and for `HEAD` no body.
  private(set) var head: RequestHead?

  init(status: Status, detail: String, isTemporary: Bool = false, namesCodings: Bool = false) {
    (self.status, self.detail) = (status, detail)
    (self.isTemporary, self.namesCodings) = (isTemporary, namesCodings)
  }

  /// Returns the same refusal, of a request whose head was read.
  func of(_ head: RequestHead) -> Refusal {
    var refusal = self
    refusal.head = head
    return refusal
  }

  static func == (one: Refusal, other: Refusal) -> Bool {
    one.status == other.status && one.detail == other.detail && one.isTemporary == other.isTemporary
      && one.namesCodings == other.namesCodings && one.head?.bytes == other.head?.bytes
  }

  static func malformed(_ detail: String) -> Refusal { Refusal(status: .badRequest, detail: detail) }

  static func headTooLarge(_ detail: String) -> Refusal {
    Refusal(status: .requestHeaderFieldsTooLarge, detail: detail)
  }

  static func bodyTooLarge(_ limit: Int) -> Refusal {
    Refusal(status: .contentTooLarge, detail: "A body may have \(limit) bytes; this one is longer.")
  }

  static func targetTooLong(_ limit: Int) -> Refusal {
    Refusal(status: .uriTooLong, detail: "A request target may have \(limit) bytes; this one is longer.")
  }

  static let tooSlow = Refusal(status: .requestTimeout, detail: "The request did not arrive in time.")

  /// The response, as a problem (RFC 9457).
  func response(retryAfter: Int) -> Response {
    var headers: [HeaderField] = []
    if isTemporary { headers.append(HeaderField(.retryAfter, String(retryAfter))) }
    if namesCodings { headers.append(HeaderField(.acceptEncoding, "identity")) }
    return .problem(status, detail: detail, headers: headers)
  }
}
