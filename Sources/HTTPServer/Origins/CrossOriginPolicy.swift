/// `Configuration.CrossOrigin` as lines of header sections, made once (Fetch Standard section 3.3).
struct CrossOriginPolicy: Sendable {
  /// For every response: `Vary: Origin`, where what it grants depends on who asks.
  let always: [UInt8]
  /// The grant to everyone, with or without an origin; empty where there is none.
  private let publicGrant: [UInt8]
  /// For responses to each of ``origins``: empty where it may no longer read.
  private let grants: [[UInt8]]
  private let readers: Configuration.CrossOrigin.Origins
  private let writers: Configuration.CrossOrigin.Origins
  /// The origins that may read, or might by a policy before, as bytes: their places stay what they are.
  private let origins: [[UInt8]]
  private let methods: String
  private let maxAge: Int

  /// - Parameter before: what this one takes the place of: requests that wait have been granted something by it, which
  ///   this one decides anew when they are answered.
  init(_ configuration: Configuration.CrossOrigin, after before: CrossOriginPolicy? = nil) {
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
    let known = before?.origins ?? []
    switch readers {
    case .any:
      origins = known
      publicGrant = grant(HeaderField(.allowOrigin, "*"))
      grants = known.map { [publicGrant] _ in publicGrant }
      always = []
    case .list(let list):
      let fields = list.map { HeaderField(.allowOrigin, $0) }
      let listed = fields.map { Array($0.value.utf8) }
      let lines = Dictionary(zip(listed, fields.map(grant)), uniquingKeysWith: { first, _ in first })
      origins = known + listed.filter { !known.contains($0) }
      publicGrant = []
      grants = origins.map { lines[$0] ?? [] }
      always = Array("Vary: Origin\r\n".utf8)
    }
    methods = configuration.methods.joined(separator: ", ")
    maxAge = configuration.maxAge.milliseconds / 1000
  }

  /// The grant that everyone has, with or without an origin; nil where there is none.
  var everyones: Int? { readers == .any ? Self.anybody : nil }

  private static let anybody = -1

  /// The lines for a response with a grant, a number that `grant(to:)` gave, of this policy or of one before it.
  func lines(for grant: Int?) -> [UInt8] {
    guard let grant else { return [] }
    return grants.indices.contains(grant) ? grants[grant] : publicGrant
  }

  /// Returns the index of the grant to a request's origin: nil for none.
  func grant(to head: RequestHead) -> Int? {
    if let everyones { return everyones }
    guard !origins.isEmpty, let index = head.firstIndex(of: HeaderName.origin.folded) else { return nil }
    let value = head.valueBytes(at: index)
    guard let place = origins.firstIndex(where: { $0.elementsEqual(value) }), !grants[place].isEmpty else { return nil }
    return place
  }

  /// The answer to a preflight; nil for a request that is none. It grants nothing, not even that the answer may be read,
  /// to an origin that may not do what it asks for: whoever may read alone is granted reading alone.
  func preflight(_ head: RequestHead) -> (response: Response, grant: Int?)? {
    guard head.method == .options, let origin = head.firstIndex(of: HeaderName.origin.folded),
      let method = head.firstIndex(of: CrossOriginPolicy.requestMethod.folded)
    else { return nil }
    let asked = head.valueBytes(at: method)
    let mayWrite = writers.contains(head.valueBytes(at: origin))
    let grant = grant(to: head)
    var fields: [HeaderField] = []
    if mayWrite || (grant != nil && CrossOriginPolicy.reading.contains { $0.utf8.elementsEqual(asked) }) {
      let requested = head.firstIndex(of: CrossOriginPolicy.requestHeaders.folded).map { head.valueBytes(at: $0) } ?? []
      let names = CrossOriginPolicy.names(in: requested)
      fields.append(
        HeaderField(.allowMethods, mayWrite ? methods : CrossOriginPolicy.reading.joined(separator: ", "))
      )
      if !names.isEmpty { fields.append(HeaderField(.allowHeaders, names)) }
      fields.append(HeaderField(.maxAge, String(maxAge)))
    }
    let vary = "Access-Control-Request-Method, Access-Control-Request-Headers"
    let response = Response(
      status: .noContent,
      additional: fields + [HeaderField(.vary, always.isEmpty ? "Origin, \(vary)" : vary)]
    )
    return (response, fields.isEmpty ? nil : grant)
  }

  /// The members of a list that are names of fields, as such a list.
  private static func names(in list: ArraySlice<UInt8>) -> String {
    var names: [UInt8] = []
    names.reserveCapacity(2 * list.count)
    FieldList.forEach(of: list, quoted: true) { name in
      guard name.allSatisfy(ByteClass.isToken) else { return true }
      if !names.isEmpty {
        names.append(UInt8(ascii: ","))
        names.append(UInt8(ascii: " "))
      }
      for byte in name { names.append(byte) }
      return true
    }
    return String(decoding: names, as: UTF8.self)
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
