import Definitions
import HTTPServer

/// Web pages of which origins may change anything here: the service's own, and those that `cors.writes` allows.
///
/// Without this, every page that a person opens could edit on a service that is open to that person, as one on loopback
/// is: browsers send a POST without a body to wherever a page wants it, and keep only the reply from it (Fetch Standard,
/// section 3.3.4). Whoever is no browser sends neither field, and is not concerned.
struct WriteOrigins: Sendable {
  private let allowed: Set<String>

  init(_ definition: CORSDefinition) { allowed = Set(definition.writes) }

  /// Refuses what may change something for the page that it comes from.
  func authorize(_ request: Request) throws(ServiceError) {
    switch request.method {
    case .get, .head, .options, .trace: return
    case .post, .put, .patch, .delete: break
    }
    guard isForeign(request) else { return }
    throw ServiceError(
      status: .forbidden,
      detail:
        "Pages of this origin may not change anything here: `cors.writes` of the configuration names those that may.",
      field: "Origin"
    )
  }

  private func isForeign(_ request: Request) -> Bool {
    let origin = request.header(.origin)
    if allowed.contains("*") || origin.map(allowed.contains) ?? false { return false }
    // What a browser says of the page itself (Fetch Metadata): true behind a proxy that changes `Host`, too.
    if let site = request.header(.secFetchSite) { return site != "same-origin" && site != "none" }
    guard let origin else { return false }
    return origin.split(separator: "/").last.map(String.init) != request.header(.host)
  }
}
