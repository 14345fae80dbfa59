import HTTPServer

/// What requests are told apart by in figures: the route and its method, of which there are as many as the configuration of no one
/// can change.
struct RequestKind: Sendable {
  var route: String
  var method: String

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
