/// `Configuration.CrossOrigin` as lines of header sections, made once (Fetch Standard section 3.3).
struct CrossOriginPolicy: Sendable {
  /// For every response: `Vary: Origin`, where what it grants depends on who asks.
  let always: [UInt8]
  /// For responses to each of the origins that may read; one for all where any may.
  private let grants: [[UInt8]]
  private let readers: Configuration.CrossOrigin.Origins
  private let writers: Configuration.CrossOrigin.Origins
  /// The readers' origins, as bytes.
  private let origins: [[UInt8]]
  private let methods: String
  private let maxAge: Int

  init(_ configuration: Configuration.CrossOrigin) {
    writers = configuration.writes
    readers = configuration.origins.union(configuration.writes)
    var exposed: [UInt8] = []
    if !configuration.exposed.isEmpty {
      HeaderField(.exposeHeaders, configuration.exposed.joined(separator: ", ")).append(to: &exposed)
    }
    func grant(_ field: HeaderField) -> [UInt8] {
      var lines: [UInt8] = []
      field.append(to: &lines)
      return lines + exposed
    }
    switch readers {
    case .any:
      origins = []
      grants = [grant(HeaderField(.allowOrigin, "*"))]
      always = []
    case .list(let list):
      let fields = list.map { HeaderField(.allowOrigin, $0) }
      origins = fields.map { Array($0.value.utf8) }
      grants = fields.map(grant)
      always = Array("Vary: Origin\r\n".utf8)
    }
    methods = configuration.methods.joined(separator: ", ")
    maxAge = configuration.maxAge.milliseconds / 1000
  }

  /// The grant that everyone has, with or without an origin; nil where there is none.
  var everyones: Int? { readers == .any ? 0 : nil }

  /// The lines for a response with a grant, an index that `grant(to:)` gave.
  func lines(for grant: Int?) -> [UInt8] {
    guard let grant, grants.indices.contains(grant) else { return [] }
    return grants[grant]
  }

  /// What a request's origin is granted: nil for none.
  func grant(to head: RequestHead) -> Int? {
    if let everyones { return everyones }
    guard !origins.isEmpty, let index = head.firstIndex(of: HeaderName.origin.folded) else { return nil }
    let value = head.valueBytes(at: index)
    return origins.firstIndex { $0.elementsEqual(value) }
  }

  /// The answer to a preflight; nil for a request that is none. It grants nothing, not even that the answer may be read,
  /// to an origin that may not do what it asks for: whoever may read alone is granted reading alone.
  func preflight(_ head: RequestHead) -> (response: Response, grant: Int?)? {
    guard head.method == .options, let origin = head.firstIndex(of: HeaderName.origin.folded),
      let method = head.firstIndex(of: CrossOriginPolicy.requestMethod.folded)
    else { return nil }
    let asked = head.value(at: method)
    let mayWrite = writers.contains(head.value(at: origin))
    let grant = grant(to: head)
    var fields: [HeaderField] = []
    if mayWrite || (grant != nil && CrossOriginPolicy.reading.contains(asked)) {
      let requested = head.firstIndex(of: CrossOriginPolicy.requestHeaders.folded).map { head.value(at: $0) } ?? ""
      let names = FieldList.members(of: requested).compactMap { HeaderName($0)?.description }
      fields.append(
        HeaderField(.allowMethods, mayWrite ? methods : CrossOriginPolicy.reading.joined(separator: ", "))
      )
      if !names.isEmpty { fields.append(HeaderField(.allowHeaders, names.joined(separator: ", "))) }
      fields.append(HeaderField(.maxAge, String(maxAge)))
    }
    let vary = "Access-Control-Request-Method, Access-Control-Request-Headers"
    let response = Response(
      status: .noContent,
      additional: fields + [HeaderField(.vary, always.isEmpty ? "Origin, \(vary)" : vary)]
    )
    return (response, fields.isEmpty ? nil : grant)
  }

  private static let reading = ["GET", "HEAD"]
  private static let requestMethod = HeaderName(known: "access-control-request-method")
  private static let requestHeaders = HeaderName(known: "access-control-request-headers")
}

extension HeaderName {
  fileprivate static let allowHeaders = HeaderName(known: "Access-Control-Allow-Headers")
  fileprivate static let allowMethods = HeaderName(known: "Access-Control-Allow-Methods")
  fileprivate static let allowOrigin = HeaderName(known: "Access-Control-Allow-Origin")
  fileprivate static let exposeHeaders = HeaderName(known: "Access-Control-Expose-Headers")
  fileprivate static let maxAge = HeaderName(known: "Access-Control-Max-Age")
}
