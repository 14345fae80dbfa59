/// `Configuration.CrossOrigin` as lines of header sections, made once (Fetch Standard section 3.3).
struct CrossOriginPolicy: Sendable {
  /// For every response: `Access-Control-Allow-Origin: *`, or `Vary: Origin` where it depends on who asks.
  let always: [UInt8]
  /// For responses to each of the listed origins.
  private let perOrigin: [[UInt8]]
  private let origins: [[UInt8]]
  private let allowsAny: Bool
  private let methods: String
  private let maxAge: Int

  init(_ configuration: Configuration.CrossOrigin) {
    var exposed: [UInt8] = []
    if !configuration.exposed.isEmpty, let name = HeaderName("Access-Control-Expose-Headers") {
      HeaderField(name, configuration.exposed.joined(separator: ", ")).append(to: &exposed)
    }
    switch configuration.origins {
    case .any:
      allowsAny = true
      origins = []
      perOrigin = []
      always = Array("Access-Control-Allow-Origin: *\r\n".utf8) + exposed
    case .list(let list):
      allowsAny = false
      let fields = list.compactMap { origin in
        HeaderName("Access-Control-Allow-Origin").map { HeaderField($0, origin) }
      }
      origins = fields.map { Array($0.value.utf8) }
      perOrigin = fields.map { field in
        var line: [UInt8] = []
        field.append(to: &line)
        return line + exposed
      }
      always = Array("Vary: Origin\r\n".utf8)
    }
    methods = configuration.methods.joined(separator: ", ")
    maxAge = configuration.maxAge.milliseconds / 1000
  }

  /// The lines for a response to `origin`, an index that `origin(of:)` gave.
  func lines(for origin: Int?) -> [UInt8] {
    guard let origin, perOrigin.indices.contains(origin) else { return [] }
    return perOrigin[origin]
  }

  /// Which of the listed origins a request comes from.
  func origin(of head: RequestHead) -> Int? {
    guard !origins.isEmpty, let index = head.firstIndex(of: HeaderName.origin.folded) else { return nil }
    let value = head.valueBytes(at: index)
    return origins.firstIndex { $0.elementsEqual(value) }
  }

  /// The answer to a preflight; nil for a request that is none. For an origin that is not allowed it grants nothing.
  func preflight(_ head: RequestHead) -> Response? {
    guard head.method == .options, head.firstIndex(of: HeaderName.origin.folded) != nil,
      head.firstIndex(of: CrossOriginPolicy.requestMethod.folded) != nil
    else { return nil }
    guard allowsAny || origin(of: head) != nil else { return Response(status: .noContent) }
    var fields: [HeaderField] = []
    let requested = head.firstIndex(of: CrossOriginPolicy.requestHeaders.folded).map { head.value(at: $0) } ?? ""
    let names = FieldList.members(of: requested).compactMap { HeaderName($0)?.description }
    for (name, value) in [
      ("Access-Control-Allow-Methods", methods), ("Access-Control-Allow-Headers", names.joined(separator: ", ")),
      ("Access-Control-Max-Age", String(maxAge)),
      ("Vary", "Access-Control-Request-Method, Access-Control-Request-Headers"),
    ] where !value.isEmpty {
      if let name = HeaderName(name) { fields.append(HeaderField(name, value)) }
    }
    return Response(status: .noContent, additional: fields)
  }

  private static let requestMethod = HeaderName(lowercase: "access-control-request-method")
  private static let requestHeaders = HeaderName(lowercase: "access-control-request-headers")
}
