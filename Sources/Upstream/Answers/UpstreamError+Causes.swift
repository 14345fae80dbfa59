import Definitions

/// The errors of requests that can't be made, and of answers that can't be used.
extension UpstreamError {
  static func unusable(_ why: String) -> UpstreamError {
    UpstreamError(
      .unusableRequest,
      title: "No request can be made",
      detail: "the source's configured request: \(why)",
      mayHaveArrived: false
    )
  }

  /// It is the value that is to blame, and not the configuration.
  static func impossible(_ why: String) -> UpstreamError {
    UpstreamError(
      .unusableValue,
      title: "No request can be made",
      detail: "the source's configured request: \(why)",
      mayHaveArrived: false
    )
  }

  /// The service could not log in.
  static func login(_ why: String) -> UpstreamError {
    UpstreamError(.login, title: "The service can't log in to the upstream", detail: why, mayHaveArrived: false)
  }

  /// An upstream has answered 401 to the service: none of its callers can do anything about it.
  var asRefusedLogin: UpstreamError {
    guard status == 401 else { return self }
    var error = UpstreamError.login("\(detail): the source's `auth` is refused")
    error.mayHaveArrived = mayHaveArrived
    return error
  }

  static let cancelled = UpstreamError(.cancelled, title: "Cancelled", detail: "the request is no longer wanted")

  static let noResources = UpstreamError(
    .refused,
    title: "No request can be made",
    detail: "descriptors or memory are used up",
    mayHaveArrived: false
  )

  /// Returns the error for a source whose host is spared, and that has no failure of its own: nothing of what others
  /// were told.
  static func spared(_ origin: UpstreamURL.Origin) -> UpstreamError {
    UpstreamError(
      .refused,
      title: "The upstream can't be reached",
      detail: "\(origin) failed several times in a row and is asked again in some seconds",
      mayHaveArrived: false
    )
  }

  static func paging(_ why: String, _ url: UpstreamURL) -> UpstreamError {
    UpstreamError(.paging, title: "The upstream's pages can't be followed", detail: "\(url): \(why)")
  }

  static func excess(_ why: String, _ url: UpstreamURL) -> UpstreamError {
    UpstreamError(.excess, title: "The upstream has more than may be taken", detail: "\(url): \(why)")
  }

  static func withoutSince(_ since: SinceDefinition, _ url: UpstreamURL) -> UpstreamError {
    let place = since.next.map { "`since.next`, “\($0)”, is nothing in the answer" } ?? "the answer has no `Date`"
    return UpstreamError(
      .unexpectedShape,
      title: "The upstream's answer is not as configured",
      detail: "\(url): \(place): what has changed since then can't be asked for"
    )
  }

  static func unlaid(_ error: any Error, _ url: UpstreamURL) -> UpstreamError {
    UpstreamError(
      .unexpectedShape,
      title: "The upstream's answer is not as configured",
      detail: "\(url): `since`: \(error)"
    )
  }
}
