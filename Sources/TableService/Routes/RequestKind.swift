import HTTPServer

/// The kind of a request in figures: the route and its method; nobody's configuration changes their number.
struct RequestKind: Sendable {
  var route: String
  var method: String

  /// One more of the same does no harm: it reads, or has something fetched.
  var isRepeatable: Bool { method == Method.get.name || route.hasSuffix("/refresh") || route == "other" }

  /// The first is for what is at no route, or can't be asked of it.
  static let all = [RequestKind(route: "other", method: "any")] + named.map(\.kind)

  private static let named = Route.all.flatMap { route in
    route.operations.map { (id: ObjectIdentifier($0), kind: RequestKind(route: route.path, method: $0.method.name)) }
  }

  private static let numbers = Dictionary(
    named.enumerated().map { ($1.id, $0 + 1) },
    uniquingKeysWith: { first, _ in first }
  )

  static func number(of operation: Route.Operation) -> Int { numbers[ObjectIdentifier(operation)] ?? 0 }
}
