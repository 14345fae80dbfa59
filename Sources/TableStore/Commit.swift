public import TableModel

/// What is written as one: all of it is there afterwards, or nothing.
public struct Commit: Sendable {
  public var table: String
  public var durability: Durability
  /// The version that comes after the one stored last. Nil where the edit changes nothing that is shown.
  public var version: Version?
  public var items: ItemChanges?
  public var objects: [ObjectChange] = []
  public var toggles: [ToggleChange] = []
  public var reply: StoredReply?

  public init(table: String, durability: Durability, version: Version? = nil, items: ItemChanges? = nil) {
    self.table = table
    self.durability = durability
    self.version = version
    self.items = items
  }

  /// What a commit outlives once it is acknowledged.
  public enum Durability: Sendable {
    /// Power loss: it is on the disk (`synchronous=FULL`). For edits.
    case full
    /// The end of the process, `kill -9` included: the kernel has it. For versions made from an upstream, which
    /// can be fetched again. After a power loss the tables that had such versions start a new epoch.
    case process
  }
}

/// A represented object, as the upstream gave it, by its row's identity.
public struct ObjectChange: Sendable {
  public var row: String
  /// Nil: there is none any more.
  public var bytes: [UInt8]?

  public init(row: String, bytes: [UInt8]?) {
    self.row = row
    self.bytes = bytes
  }
}

/// What a tap of everyone's table did to a row: toggled it, or gave it its default again.
public struct ToggleChange: Sendable {
  public var row: String
  public var isToggled: Bool

  public init(row: String, isToggled: Bool) {
    self.row = row
    self.isToggled = isToggled
  }
}

/// The answer that an `Idempotency-Key` got, to be given again to a repeat.
public struct StoredReply: Equatable, Sendable {
  public var key: String
  /// What was asked, so that another request under the same key is noticed. Not a ``Fingerprint``, whose seed
  /// is new in every process: a digest such as SHA-256.
  public var request: [UInt8]
  public var status: Int
  public var headers: [Header]
  public var body: [UInt8]
  /// Seconds since 1970: forgotten from then on.
  public var expires: Int64

  public init(key: String, request: [UInt8], status: Int, headers: [Header], body: [UInt8], expires: Int64) {
    self.key = key
    self.request = request
    self.status = status
    self.headers = headers
    self.body = body
    self.expires = expires
  }

  public struct Header: Equatable, Sendable {
    public var name: String
    public var value: String

    public init(name: String, value: String) { (self.name, self.value) = (name, value) }
  }
}

/// The versions of a table that a store has kept.
public struct StoredFeed: Sendable {
  public let epoch: Epoch
  /// Oldest first, numbered without gaps, of this epoch; never empty.
  public let versions: [Version]

  /// Nil where there is no version, or one is of another epoch or out of line.
  public init?(epoch: Epoch, versions: [Version]) {
    guard let first = versions.first else { return nil }
    for (offset, version) in versions.enumerated() {
      guard version.cursor.epoch == epoch, version.number == first.number &+ UInt64(offset) else { return nil }
    }
    self.epoch = epoch
    self.versions = versions
  }
}

/// All that a store has of a table.
public struct StoredTable: Sendable {
  public var feed: StoredFeed?
  /// Nil where no items were ever stored: then the configuration's own are the first ones. Once stored they are
  /// the table's, even when none is left.
  public var items: LocalItems?
  /// Represented objects, by row identity.
  public var objects: [String: [UInt8]] = [:]
  /// The rows that taps have toggled for everyone, by identity.
  public var toggled: Set<String> = []

  public init() {}
}
