internal import LongWork

/// Bounds on what a peer may cost. Nil: the server's default, or no bound of its own.
public struct LimitsDefinition: Equatable, Sendable {
  public var connections: Int?
  public var connectionsPerAddress: Int?
  public var waiters: Int?
  public var waitersPerAddress: Int?
  /// The most waiters of one caller (the token's name, issuer and subject, else the address). Nil: no bound.
  public var waitersPerCaller: Int?
  /// Bytes.
  public var requestBody: Int?
  /// Bytes of JSON of one item that the service owns.
  public var itemBytes = 256 << 10
  /// Bytes of JSON of all items of one table that the service owns.
  public var tableBytes = 1 << 30
  /// Bytes that mapping one table may take; and the versions before the current one together.
  public var mappingBytes = 1 << 30
  /// Steps (about a nanosecond) that mapping one table may take for each item, and for 10,000 more, beyond 50 for each of
  /// their bytes.
  public var mappingWork = 50_000
  /// Bytes that the members of all families may hold together. Readers make them: where there is little memory, they may not
  /// take it.
  public var membersBytes = min(512 << 20, AvailableMemory.bytes / 4)
  /// Bytes that searches of all tables may keep together, to go on from: what was used least recently goes first.
  public var lensBytes = 256 << 20
  /// The most requests of one caller, else of one address, in a minute. Nil: no bound.
  public var requestsPerMinute: Int?
  /// The most edits of one caller, else of one address, in a minute. Nil: no bound.
  public var editsPerMinute: Int?

  public init() {}
}
