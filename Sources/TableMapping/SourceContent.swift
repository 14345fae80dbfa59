/// What a source has at the moment.
public enum SourceContent: Sendable {
  /// Whole responses, in order; the items stand where the source's `items` says.
  case pages([[UInt8]])
  /// Items one by one: those of a local table, with the identities that the service gave them, and those that
  /// were fetched by a request each.
  case items([SourceItem])
}

/// One item by itself.
public struct SourceItem: Sendable {
  /// The identity that the service gave it; nil: it has only the one that `row.id` makes.
  public var id: String?
  /// One JSON value.
  public var bytes: [UInt8]

  public init(id: String? = nil, bytes: [UInt8]) {
    (self.id, self.bytes) = (id, bytes)
  }
}
