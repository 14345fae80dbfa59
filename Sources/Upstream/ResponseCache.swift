internal import Digests

/// What the last refresh got, by URL: validators for conditional requests (RFC 9110 section 13), and the bodies
/// where a 304 for one of several responses needs them. Belongs to one source, so to one caller at most.
struct ResponseCache {
  struct Entry {
    var entityTag: String?
    var lastModified: String?
    var digest: [UInt8]
    /// Nil where one response is all there is, and 304 then means that nothing changed.
    var body: [UInt8]?
    var page: ResponseCheck.Page
    var link: String?
    /// Where redirects led.
    var url: UpstreamURL
  }

  private var entries: [UpstreamURL: Entry] = [:]

  subscript(url: UpstreamURL) -> Entry? {
    get { entries[url] }
    set { entries[url] = newValue }
  }

  static func digest(_ body: [UInt8]) -> [UInt8] { SHA256.digest(of: body) }

  /// Only a safe request without a body may be conditional.
  func conditions(for request: TransferRequest) -> [HeaderField] {
    guard request.method == "GET", request.body == nil, let entry = entries[request.url] else { return [] }
    return [
      entry.entityTag.flatMap { HeaderField("If-None-Match", $0) },
      entry.lastModified.flatMap { HeaderField("If-Modified-Since", $0) },
    ].compactMap(\.self)
  }
}
