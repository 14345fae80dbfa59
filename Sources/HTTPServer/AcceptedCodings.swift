/// What a request's `Accept-Encoding` says about the codings known here (RFC 9110 section 12.5.3).
struct AcceptedCodings: Equatable {
  /// Acceptable codings, the preferred one first, at equal quality gzip before deflate before none.
  private(set) var ordered: [ContentCoding] = [.identity]
}
