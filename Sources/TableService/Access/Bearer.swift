import Digests
import HTTPServer
import Identity
import Synchronization

/// The credentials in a request's `Authorization` (RFC 6750 section 2.1): a digest, so that nobody who waits long keeps a
/// secret, and what is known of them. Shared by all requests whose heads have the same bytes.
final class Bearer: Sendable {
  /// The digest of the whole token.
  let digest: [UInt8]
  private let known = Mutex(Standing.unjudged)

  /// The verdict of an issuer's keys.
  enum Standing: Sendable {
    /// They are no issuer's token, as far as anybody has looked.
    case unjudged
    case verified(VerifiedToken)
    case refused(TokenRefusal)
    /// Its issuer's keys have never come; in how many seconds they are asked for again.
    case unavailable(retryAfter: Int)
  }

  /// Nil where the request has none.
  init?(_ request: Request) {
    guard let token = request.bearerToken else { return nil }
    digest = SHA256.digest(of: Array(token))
  }

  var standing: Standing { known.withLock { $0 } }

  func note(_ standing: Standing) { known.withLock { $0 = standing } }
}
