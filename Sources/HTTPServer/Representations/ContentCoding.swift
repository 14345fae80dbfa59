/// How a representation's bytes are coded (RFC 9110 section 8.4.1).
public enum ContentCoding: UInt8, Sendable, CaseIterable {
  case identity
  case gzip
  case deflate
  case zstd

  /// The coding's registered name.
  public var name: String {
    switch self {
    case .identity: "identity"
    case .gzip: "gzip"
    case .deflate: "deflate"
    case .zstd: "zstd"
    }
  }

  /// The suffix that tells the entity tag of this form from those of the others.
  var tagSuffix: String { self == .identity ? "" : "-\(name)" }
}
