import HTTPServer
import Upstream

extension ServiceError {
  /// What an upstream said, in its own words: with its challenge where the status is 401 (RFC 9110 §11.6.1), and when it
  /// wants to be asked again.
  init(_ error: UpstreamError, status: Status) {
    self.init(status: status, title: error.title, detail: error.detail)
    if status == .unauthorized { headers.append(HTTPServer.HeaderField(.wwwAuthenticate, error.challenge ?? "Bearer")) }
    if let pause = error.retryAfter {
      headers.append(HTTPServer.HeaderField(.retryAfter, "\(pause.components.seconds)"))
    }
  }
}
