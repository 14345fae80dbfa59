import HTTPServer

extension Route {
  /// Every resource of the service. A new one is a new entry here, and in `openapi.json`, which a test holds against this.
  static let all: [Route] = [
    Route("/", .get(.nothing) { _, call in .response(Inspector.page.response(to: call.request)) }),
    Route("/healthz", .get(.nothing) { service, _ in .response(service.alive) }),
    Route("/readyz", .get(.nothing) { service, call in .response(service.readiness(call.state)) }),
    Route("/metrics", .get(.nothing) { service, call in .response(Metrics.response(service, call.state)) }),
    Route("/v1/openapi.json", .get(.nothing) { _, call in .response(OpenAPI.document.response(to: call.request)) }),
    Route("/v1/cells", .get(.nothing) { _, call in .response(call.state.cellsListing.response(to: call.request)) }),
    Route("/v1/tables", .get(.capability(.read)) { _, call in .response(TableList.response(call)) }),
    Route("/v1/changes", .get(.each, ["after", "wait", "view", "rows"]) { try $0.multiPoll($1) }),
    Route("/v1/hooks/{source}", .post(.nothing) { try $0.hook($1) }),

    Route("/v1/tables/{table}", .get(ofTable: .capability(.read), ["view", "rows"]) { try $0.snapshot($1) }),
    Route(
      "/v1/tables/{table}/changes",
      .get(ofTable: .capability(.read), ["after", "wait", "view", "rows"]) { try $0.poll($1) }
    ),
    Route(
      "/v1/tables/{table}/stream",
      .get(ofTable: .capability(.read), ["after", "view", "rows"]) { try $0.stream($1) }
    ),
    Route("/v1/tables/{table}/rows", .get(ofTable: .capability(.read), ["at", "view"]) { try $0.rowAtPath($1) }),
    Route("/v1/tables/{table}/rows/{row}", .get(ofTable: .capability(.read), ["view"]) { try $0.row($1) }),
    Route("/v1/tables/{table}/rows/{row}/tap", .post(ofTable: .tap, ["view"]) { try $0.tap($1) }),
    Route(
      "/v1/tables/{table}/items",
      .post(ofTable: .edit, ["section", "at", "after", "before", "view"]) { try $0.add($1) }
    ),
    Route(
      "/v1/tables/{table}/items/{row}",
      .get(ofTable: .capability(.read)) { $0.item($1) },
      .patch(ofTable: .edit, ["view"]) { try $0.patch($1) },
      .delete(ofTable: .edit, ["view"]) { try $0.delete($1) }
    ),
    Route("/v1/tables/{table}/items/{row}/move", .post(ofTable: .edit, ["view"]) { try $0.move($1) }),
    Route("/v1/tables/{table}/edits", .post(ofTable: .edit, ["view"]) { try $0.batch($1) }),
    Route("/v1/tables/{table}/refresh", .post(ofTable: .capability(.edit)) { $0.refresh($1) }),
  ]
}

extension Route.Operation {
  typealias ServiceHandler = @Sendable (TableService, Call) throws(ServiceError) -> Reply
  typealias TableHandler = @Sendable (TableService, TableCall) throws(ServiceError) -> Reply

  static func get(_ need: Route.Need, _ query: [String] = [], _ handler: @escaping ServiceHandler) -> Self {
    Self(method: .get, need: need, query: query, handler: .service(handler))
  }

  static func post(_ need: Route.Need, _ query: [String] = [], _ handler: @escaping ServiceHandler) -> Self {
    Self(method: .post, need: need, query: query, handler: .service(handler))
  }

  static func get(ofTable need: Route.Need, _ query: [String] = [], _ handler: @escaping TableHandler) -> Self {
    Self(method: .get, need: need, query: query, handler: .table(handler))
  }

  static func post(ofTable need: Route.Need, _ query: [String] = [], _ handler: @escaping TableHandler) -> Self {
    Self(method: .post, need: need, query: query, handler: .table(handler))
  }

  static func patch(ofTable need: Route.Need, _ query: [String] = [], _ handler: @escaping TableHandler) -> Self {
    Self(method: .patch, need: need, query: query, handler: .table(handler))
  }

  static func delete(ofTable need: Route.Need, _ query: [String] = [], _ handler: @escaping TableHandler) -> Self {
    Self(method: .delete, need: need, query: query, handler: .table(handler))
  }
}
