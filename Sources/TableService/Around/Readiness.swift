import Definitions
import HTTPServer
import TableEngine
import TableModel
import TableStore

/// The health of the process: liveness and readiness.
struct Readiness: Resource {
  let service: TableService

  /// `GET /healthz`: the process answers.
  func health(_: Call) -> Reply { .response(alive) }

  private var alive: Response {
    Response(
      status: .ok,
      headers: HeaderBlock([HeaderField(.contentType, "application/json"), HeaderField(.cacheControl, "no-store")]),
      body: Array("{\"status\":\"ok\"}".utf8)
    )
  }

  /// `GET /readyz`: every table is past `loading`, and the service isn't ending.
  func readiness(_ call: Call) -> Reply { .response(readiness(call.state)) }

  private func readiness(_ state: ServiceState) -> Response {
    if service.isDraining {
      return .problem(
        .serviceUnavailable,
        detail: "The service is shutting down.",
        headers: [HeaderField(.retryAfter, "5")]
      )
    }
    if let reason = service.engine.unreadiness {
      return .problem(
        .serviceUnavailable,
        detail: "This replica is not ready: \(reason).",
        headers: [HeaderField(.retryAfter, "5")]
      )
    }
    let loading = state.catalog.tables.filter { $0.current.table.state == .loading }.map(\.name)
    guard loading.isEmpty else {
      // The check is open to all: where reading takes a token, so do the tables' names.
      let which = state.authorizer.isRestricted(.read) ? "\(loading.count) tables" : loading.joined(separator: ", ")
      return .problem(
        .serviceUnavailable,
        detail: "Not loaded yet: \(which).",
        headers: [HeaderField(.retryAfter, "1")]
      )
    }
    return alive
  }
}
