/// The next step after a redirect (RFC 9110 section 15.4). Pure.
enum RedirectPolicy {
  enum Decision {
    /// No redirect, or none that is to be followed.
    case answer
    case follow(TransferRequest)
    case refuse(UpstreamError)
  }

  /// - Parameters:
  ///   - request: the hop that was answered.
  ///   - hops: redirects followed before it.
  static func decide(_ request: TransferRequest, status: Int, location: String?, hops: Int) -> Decision {
    guard [301, 302, 303, 307, 308].contains(status), let location, request.limits.maxRedirects > 0 else {
      return .answer
    }
    guard hops < request.limits.maxRedirects else {
      return .refuse(
        UpstreamError(
          .tooManyRedirects,
          title: "The upstream redirects in a circle",
          detail: "more than \(request.limits.maxRedirects) redirects, the last from \(request.url)",
          status: status
        )
      )
    }
    guard let url = request.url.resolve(location) else {
      return .refuse(
        UpstreamError(
          .redirectRefused,
          title: "The upstream redirects to no web address",
          detail: "\(request.url) redirects to what is neither http nor https",
          status: status
        )
      )
    }
    var next = request
    next.url = url
    let keepsSecrets = request.url.origin.mayShareSecrets(with: url.origin)
    if !keepsSecrets {
      next.headers = request.headers.filter(isHarmless)
      next.security = request.security.withoutClient
    }
    if status == 303 || ([301, 302].contains(status) && request.method == "POST") {
      next.method = request.method == "HEAD" ? "HEAD" : "GET"
      next.body = nil
      next.headers.removeAll { $0.isNamed("Content-Type") }
    } else if !keepsSecrets, request.body != nil {
      return .refuse(
        UpstreamError(
          .redirectRefused,
          title: "The upstream redirects to another host",
          detail: "\(request.url) wants its request body sent to \(url.origin)",
          status: status
        )
      )
    }
    return .follow(next)
  }

  /// Any configured header may hold a secret; another host gets none but those that can't.
  private static func isHarmless(_ field: TransferField) -> Bool {
    ["Accept", "Accept-Language", "User-Agent", "Content-Type"].contains { field.isNamed($0) }
  }
}
