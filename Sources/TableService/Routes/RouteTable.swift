import Definitions
import HTTPServer

extension Route {
  private static let find = Request.findParameters

  /// Every resource of the service. A new one is a new entry here, and in `openapi.json`, which a test holds against this.
  static let all: [Route] = [
    Route("/", .get(.nothing, ConsoleFiles.console)),
    Route("/console/{file}", .get(.nothing, ConsoleFiles.consoleFile)),
    Route("/healthz", .get(.nothing, Readiness.health)),
    Route("/readyz", .get(.nothing, Readiness.readiness)),
    Route("/metrics", .get(.nothing, Metrics.metrics)),
    Route("/v1/openapi.json", .get(.nothing, OpenAPI.answer)),
    Route("/v1/client.js", .get(.nothing, query: ["v"], ConsoleFiles.client)),
    Route("/v1/cells", .get(.nothing, TableList.cells)),
    Route("/v1/tables", .get(.capability(.read), TableList.tables)),
    Route(
      "/v1/changes",
      .get(.each, query: ["after", "wait", "view", "rows"] + find, TableService.multiPoll).repeating("after", "filter")
    ),
    Route("/v1/hooks/{source}", .post(.nothing, TableService.hook)),
    Route("/v1/sources", .get(.capability(.admin), SourceList.sources)),
    Route("/v1/sources/{source}/refresh", .post(.capability(.admin), SourceList.refreshSource)),
    Route("/v1/audit", .get(.capability(.admin), query: ["rows"], AuditList.audit)),
    Route("/v1/families/{family}/members", .get(.capability(.admin), MemberList.members)),

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
    Route("/v1/tables/{table}/rows/{row}/placement", .get(.inspection, TableService.placement)),
    Route("/v1/tables/{table}/skipped", .get(.inspection, TableService.skipped)),
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

/// Resources that belong together: one value for each request.
protocol Resource: Sendable {
  init(service: TableService)
}

extension Route.Operation {
  typealias ServiceHandler = @Sendable (TableService) -> (Call) throws(ServiceError) -> Reply
  typealias TableHandler = @Sendable (TableService) -> (TableCall) throws(ServiceError) -> Reply

  /// With a query parameter that may stand more than once.
  func repeating(_ names: String...) -> Route.Operation {
    Route.Operation(method, requirement, query: query, repeatable: names, handler)
  }

  static func get<R: Resource>(
    _ requirement: Route.Requirement,
    query: [String] = [],
    _ handler: @escaping @Sendable (R) -> (Call) throws(ServiceError) -> Reply
  ) -> Route.Operation {
    Route.Operation(.get, requirement, query: query, .service { handler(R(service: $0)) })
  }

  static func post<R: Resource>(
    _ requirement: Route.Requirement,
    query: [String] = [],
    _ handler: @escaping @Sendable (R) -> (Call) throws(ServiceError) -> Reply
  ) -> Route.Operation {
    Route.Operation(.post, requirement, query: query, .service { handler(R(service: $0)) })
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
