import Definitions
import HTTPServer

/// Web pages of which origins may change anything here: the service's own, and those that `cors.writes` allows.
///
/// Without this, every page that a person opens could edit on a service that is open to that person, as one on loopback
/// is: browsers send a POST without a body to wherever a page wants it, and keep only the reply from it (Fetch Standard,
/// section 3.3.4). Whoever is no browser sends neither field, and is not concerned.
struct WriteOrigins: Sendable {
  private let allowed: Set<[UInt8]>
  private let allowsAll: Bool

  init(_ definition: CORSDefinition) {
    allowed = Set(definition.writes.map { Array($0.utf8) })
    allowsAll = definition.writes.contains("*")
  }

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
    let origin = request.valueBytes(.origin)
    if allowsAll || origin.map({ allowed.contains(Array($0)) }) ?? false { return false }
    // The browser's own statement about the page (Fetch Metadata) is true behind a proxy that changes `Host`, too.
    if let site = request.valueBytes(.secFetchSite) {
      return !site.elementsEqual("same-origin".utf8) && !site.elementsEqual("none".utf8)
    }
    guard let origin, let host = request.valueBytes(.host) else { return origin != nil }
    let end = origin.lastIndex { $0 != UInt8(ascii: "/") }.map { $0 + 1 } ?? origin.startIndex
    let start = origin[..<end].lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? origin.startIndex
    return !origin[start..<end].elementsEqual(host)
  }
}
