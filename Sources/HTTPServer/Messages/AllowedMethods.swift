/// The methods that a resource takes. `GET` brings `HEAD` with it, and `OPTIONS` is always there.
public struct AllowedMethods: OptionSet, Sendable, Hashable {
  public let rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }

  private init(_ method: Method) { rawValue = 1 << method.rawValue }

  public static let get: AllowedMethods = [AllowedMethods(.get), AllowedMethods(.head)]
  public static let post = AllowedMethods(.post)
  public static let put = AllowedMethods(.put)
  public static let patch = AllowedMethods(.patch)
  public static let delete = AllowedMethods(.delete)

  /// Returns whether a request with `method` may go on to the resource. `OPTIONS` may not: it is answered for the
  /// resource.
  public func contains(_ method: Method) -> Bool { rawValue & (1 << method.rawValue) != 0 }

  /// The value of `Allow` (RFC 9110 section 10.2.1).
  public var allow: String {
    (Method.allCases.filter { contains($0) && $0 != .options } + [.options]).map(\.name).joined(separator: ", ")
  }
}

extension Request {
  /// Returns the answer to a method that the resource doesn't handle: 204 with `Allow` for `OPTIONS` (RFC 9110 section
  /// 9.3.7), 405 with `Allow` for one that is not in `methods` (section 15.5.6). Nil if the request may go on; `HEAD`
  /// is handled as `GET`, its body is left out on the way.
  public func answer(allowing methods: AllowedMethods) -> Response? {
    if methods.contains(method) { return nil }
    let allow = HeaderField(.allow, methods.allow)
    switch method {
    case .options:
      return Response(status: .noContent, additional: [allow])
    case .get, .head, .post, .put, .patch, .delete, .trace:
      return .problem(
        .methodNotAllowed,
        detail: "\(method.name) is not possible here; \(methods.allow) are.",
        headers: [allow]
      )
    }
  }
}
