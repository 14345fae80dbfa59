import Definitions
import HTTPServer

extension Route {
  private static let find = Request.findParameters

  /// Every resource of the service. A new one is a new entry here, and in `openapi.json`, which a test holds against this.
  static let all: [Route] = [
    Route("/", .get(.nothing, TableService.console)),
    Route("/console/{file}", .get(.nothing, TableService.consoleFile)),
    Route("/healthz", .get(.nothing, TableService.health)),
    Route("/readyz", .get(.nothing, TableService.readiness)),
    Route("/metrics", .get(.nothing, TableService.metrics)),
    Route("/v1/openapi.json", .get(.nothing, TableService.openAPI)),
    Route("/v1/client.js", .get(.nothing, query: ["v"], TableService.client)),
    Route("/v1/cells", .get(.nothing, TableService.cells)),
    Route("/v1/tables", .get(.capability(.read), TableService.tables)),
    Route(
      "/v1/changes",
      .get(.each, query: ["after", "wait", "view", "rows"] + find, TableService.multiPoll).repeating("after", "filter")
    ),
    Route("/v1/hooks/{source}", .post(.nothing, TableService.hook)),
    Route("/v1/sources", .get(.capability(.admin), TableService.sources)),
    Route("/v1/sources/{source}/refresh", .post(.capability(.admin), TableService.refreshSource)),
    Route("/v1/audit", .get(.capability(.admin), query: ["rows"], TableService.audit)),
    Route("/v1/families/{family}/members", .get(.capability(.admin), TableService.members)),

    Route(
      "/v1/tables/{table}",
      .get(.capability(.read), query: ["view", "rows"] + find, TableService.snapshot).repeating("filter")
    ),
    Route(
      "/v1/tables/{table}/changes",
      .get(.capability(.read), query: ["after", "wait", "view", "rows", "slot"] + find, TableService.poll)
        .repeating("filter")
    ),
    Route(
      "/v1/tables/{table}/stream",
      .get(.capability(.read), query: ["after", "view", "rows"] + find, TableService.stream).repeating("filter")
    ),
    Route(
      "/v1/tables/{table}/rows",
      .get(.capability(.read), query: ["at", "view"] + find, TableService.rowAtPath).repeating("filter")
    ),
    Route(
      "/v1/tables/{table}/rows/{row}",
      .get(.capability(.read), query: ["view"] + find, TableService.row).repeating("filter")
    ),
    Route("/v1/tables/{table}/rows/{row}/placement", .get(.capability(.edit), TableService.placement)),
    Route("/v1/tables/{table}/skipped", .get(.capability(.edit), TableService.skipped)),
    Route("/v1/tables/{table}/rows/{row}/tap", .post(.tap, query: ["view"], TableService.tap)),
    Route("/v1/tables/{table}/rows/{row}/actions/{action}", .post(.edit, query: ["view"], TableService.act)),
    Route(
      "/v1/tables/{table}/items",
      .post(.edit, query: ["section", "at", "after", "before", "view"], TableService.add)
    ),
    Route(
      "/v1/tables/{table}/items/{row}",
      .get(.capability(.read), TableService.item),
      .put(.edit, query: ["section", "at", "after", "before", "view"], TableService.put),
      .patch(.edit, query: ["view"], TableService.patch),
      .delete(.edit, query: ["view"], TableService.delete)
    ),
    Route("/v1/tables/{table}/items/{row}/move", .post(.edit, query: ["view"], TableService.move)),
    Route("/v1/tables/{table}/edits", .post(.edit, query: ["view"], TableService.batch)),
    Route("/v1/tables/{table}/refresh", .post(.capability(.edit), query: ["view"], TableService.refresh)),
  ]
}

extension Route.Operation {
  typealias ServiceHandler = @Sendable (TableService) -> (Call) throws(ServiceError) -> Reply
  typealias TableHandler = @Sendable (TableService) -> (TableCall) throws(ServiceError) -> Reply

  /// With a query parameter that may stand more than once.
  func repeating(_ names: String...) -> Route.Operation {
    Route.Operation(method, requirement, query: query, repeatable: names, handler)
  }

  static func get(_ requirement: Route.Requirement, query: [String] = [], _ handler: @escaping ServiceHandler)
    -> Route.Operation
  {
    Route.Operation(.get, requirement, query: query, .service(handler))
  }

  static func post(_ requirement: Route.Requirement, query: [String] = [], _ handler: @escaping ServiceHandler)
    -> Route.Operation
  {
    Route.Operation(.post, requirement, query: query, .service(handler))
  }

  static func get(_ requirement: Route.Requirement, query: [String] = [], _ handler: @escaping TableHandler)
    -> Route.Operation
  {
    Route.Operation(.get, requirement, query: query, .table(handler))
  }

  static func post(_ requirement: Route.Requirement, query: [String] = [], _ handler: @escaping TableHandler)
    -> Route.Operation
  {
    Route.Operation(.post, requirement, query: query, .table(handler))
  }

  static func put(_ requirement: Route.Requirement, query: [String] = [], _ handler: @escaping TableHandler)
    -> Route.Operation
  {
    Route.Operation(.put, requirement, query: query, .table(handler))
  }

  static func patch(_ requirement: Route.Requirement, query: [String] = [], _ handler: @escaping TableHandler)
    -> Route.Operation
  {
    Route.Operation(.patch, requirement, query: query, .table(handler))
  }

  static func delete(_ requirement: Route.Requirement, query: [String] = [], _ handler: @escaping TableHandler)
    -> Route.Operation
  {
    Route.Operation(.delete, requirement, query: query, .table(handler))
  }
}
