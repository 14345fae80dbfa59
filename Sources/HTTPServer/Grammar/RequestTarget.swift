/// The target of a request (RFC 9112 section 3.2): a path in segments and a query, both percent-decoded.
struct RequestTarget: Sendable {
  let segments: [String]
  let rawPath: String
  let query: Query

  /// `*`, the target of an `OPTIONS` for the server as a whole.
  var isAsterisk: Bool { rawPath == "*" }

  /// Parses any of the four forms. The authority of an absolute form is given with it, not yet validated.
  static func parse(
    _ bytes: ArraySlice<UInt8>,
    method: Method?
  ) throws(Refusal) -> (RequestTarget, authority: ArraySlice<UInt8>?) {
    if bytes.first == UInt8(ascii: "/") { return (try RequestTarget(origin: bytes), nil) }
    if bytes.count == 1, bytes.first == UInt8(ascii: "*") {
      // RFC 9112 section 3.2.4: for OPTIONS only.
      guard method == .options else { throw .malformed("The target * is for OPTIONS alone.") }
      return (RequestTarget(segments: [], rawPath: "*", query: Query()), nil)
    }
    guard let scheme = schemeEnd(of: bytes) else {
      if method == nil, bytes.allSatisfy({ ByteClass.has($0, ByteClass.registeredName) || $0 == UInt8(ascii: ":") }) {
        // CONNECT's authority form, and any other unknown method: that is the better thing to say.
        return (RequestTarget(segments: [], rawPath: "", query: Query()), nil)
      }
      throw .malformed("A request target is a path that begins with /, or an http URI.")
    }
    // RFC 9112 section 3.2.2: a server must accept the absolute form.
    let rest = bytes[scheme...]
    let authorityEnd = rest.firstIndex { "/?#".utf8.contains($0) } ?? rest.endIndex
    let path = rest[authorityEnd...]
    let origin = path.first == UInt8(ascii: "/") ? Array(path)[...] : [UInt8(ascii: "/")] + path
    return (try RequestTarget(origin: origin), rest[..<authorityEnd])
  }

  /// Returns the place of the authority in an absolute form; nil if this is no http or https URI.
  private static func schemeEnd(of bytes: ArraySlice<UInt8>) -> Int? {
    for scheme in ["http://", "https://"] where bytes.count >= scheme.utf8.count {
      let end = bytes.startIndex + scheme.utf8.count
      if bytes[..<end].lazy.map(ByteClass.lowercased).elementsEqual(scheme.utf8) { return end }
    }
    return nil
  }

  private init(segments: [String], rawPath: String, query: Query) {
    self.segments = segments
    self.rawPath = rawPath
    self.query = query
  }

  /// Parses the origin form: a path that begins with a slash, and perhaps a query.
  private init(origin bytes: ArraySlice<UInt8>) throws(Refusal) {
    let mark = bytes.firstIndex(of: UInt8(ascii: "?"))
    let path = bytes[..<(mark ?? bytes.endIndex)]
    guard path.allSatisfy({ ByteClass.has($0, ByteClass.path) }) else {
      throw .malformed("The path has a character that must be percent-encoded.")
    }
    segments = try RequestTarget.segments(of: path)
    rawPath = String(decoding: path, as: UTF8.self)
    guard let mark else {
      query = Query()
      return
    }
    let queryBytes = bytes[(mark + 1)...]
    guard queryBytes.allSatisfy({ ByteClass.has($0, ByteClass.query) }) else {
      throw .malformed("The query has a character that must be percent-encoded.")
    }
    query = try RequestTarget.query(of: queryBytes)
  }

  private static func segments(of path: ArraySlice<UInt8>) throws(Refusal) -> [String] {
    guard path.count > 1 else { return [] }
    var segments: [String] = []
    var start = path.startIndex + 1
    for end in start..<path.endIndex where path[end] == UInt8(ascii: "/") {
      segments.append(try segment(path[start..<end]))
      start = end + 1
    }
    segments.append(try segment(path[start...]))
    return segments
  }

  /// One segment. Dot segments are refused, encoded or not: clients resolve them before they ask (RFC 3986 section
  /// 5.2.4), and what comes here with them means to climb. So are control characters.
  private static func segment(_ bytes: ArraySlice<UInt8>) throws(Refusal) -> String {
    // Most have nothing to decode; the path's characters are ASCII, and none of them controls anything.
    if bytes.first != UInt8(ascii: "."), !bytes.contains(UInt8(ascii: "%")) {
      return String(decoding: bytes, as: UTF8.self)
    }
    let decoded = try PercentDecoding.decode(bytes)
    guard let text = String(validating: decoded, as: UTF8.self) else {
      throw .malformed("The path is not UTF-8.")
    }
    guard text != ".", text != ".." else { throw .malformed("The path has a segment of dots alone.") }
    guard decoded.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }) else {
      throw .malformed("The path has a control character.")
    }
    return text
  }

  private static func query(of bytes: ArraySlice<UInt8>) throws(Refusal) -> Query {
    var items: [Query.Item] = []
    var start = bytes.startIndex
    while start < bytes.endIndex {
      let end = bytes[start...].firstIndex(of: UInt8(ascii: "&")) ?? bytes.endIndex
      if end > start {
        let equals = bytes[start..<end].firstIndex(of: UInt8(ascii: "=")) ?? end
        guard items.count < Query.maximum else {
          throw .malformed("A query may have \(Query.maximum) parameters; this one has more.")
        }
        let name = try PercentDecoding.queryText(bytes[start..<equals])
        let value = equals < end ? try PercentDecoding.queryText(bytes[(equals + 1)..<end]) : ""
        items.append(Query.Item(name: name, value: value))
      }
      start = end + 1
    }
    return Query(items)
  }
}
