internal import Glibc
internal import JSON
internal import TableModel

/// The results of the last refresh, by request: validators for conditional requests (RFC 9110 section 13), and the
/// bodies where a 304 for one of several responses needs them. Belongs to one source, so to one caller at most.
struct ResponseCache {
  struct Entry {
    var entityTag: String?
    var lastModified: String?
    /// Nil where another process has read the response.
    var digest: ContentDigest?
    /// Whole; nil where one response is all there is, and 304 then means that nothing changed.
    var body: [UInt8]?
    /// The list of its items: the next answer is compared with them. Shares its bytes with the receiver of the answer.
    var list: ListedText?
    var page: ResponseCheck.Page
    /// A hash of each item's identity, in order; nil where they are not known.
    var identities: [Int]?
    /// The value of the header that names the next page.
    var header: String?
    /// The address of a feed's next page.
    var feedNext: String?
    /// The address that redirects led to.
    var url: UpstreamURL
  }

  private var entries: [PageKey: Entry] = [:]

  subscript(page: PageKey) -> Entry? {
    get { entries[page] }
    set { entries[page] = newValue }
  }

  /// Only a safe request without a body may be conditional.
  func conditions(for request: TransferRequest) -> [TransferField] {
    guard request.method == "GET", request.body == nil, let entry = entries[PageKey(request)] else { return [] }
    return [
      entry.entityTag.flatMap { TransferField("If-None-Match", $0) },
      entry.lastModified.flatMap { TransferField("If-Modified-Since", $0) },
    ].compactMap(\.self)
  }
}

extension ResponseCache.Entry {
  /// Takes the validators of an answer. A 304 without any leaves those that there are.
  ///
  /// A date alone is taken only if its second was over when the upstream answered (RFC 9110 section 8.8.2.2): another
  /// change in that second has the same date. Beside an entity tag it does no harm: the tag decides.
  mutating func takeValidators(of response: TransferResponse) {
    entityTag = response.headers.first(named: "ETag") ?? entityTag
    guard let date = response.headers.first(named: "Last-Modified") else { return }
    if entityTag != nil || Self.isOver(date, response.headers) { lastModified = date }
  }

  private static func isOver(_ date: String, _ headers: [TransferField]) -> Bool {
    guard let modified = ResponseDate.parse(date) else { return false }
    // Without a `Date` this machine's clock tells. It may be ahead of the upstream's, and the answer may be old.
    let answered = headers.first(named: "Date").flatMap(ResponseDate.parse) ?? Int64(time(nil)) - 60
    return modified < answered
  }
}
