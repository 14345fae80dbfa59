public import TableModel

/// What is written as one: all of it is there afterwards, or nothing.
public struct Commit: Sendable {
  /// The record that it changes: a table's (``StoredName``), or the items' of a source (``ItemRecord``).
  public var table: String
  public var durability: Durability
  /// The revision of the table that this is built on: what the owner was told of last (``StoredTable/revision``,
  /// ``TableChanges/revision``), or what its last commit makes, which may be under way (``revision``). Where the table
  /// stands elsewhere the commit fails with ``StoreError/superseded``. Nil: whatever is stored, as long as `version`
  /// follows.
  public var base: Revision?
  /// Its own among all commits; random.
  public let stamp = UInt64.random(in: 1...UInt64(Int64.max))
  /// Where the writer may write only as long as it holds a lease, the lease: else ``StoreError/fenced``.
  public var fence: Lease?
  /// The version that comes after the one stored last. Nil where the edit changes nothing that is shown.
  public var version: Version?
  /// What the version was laid out by (``StoredTable/layout``). Without a version: what the stored one was, if that is known
  /// only now; nil: nothing is said of it.
  public var layout: String?
  public var items: ItemChanges?
  /// What the table is made of from then on. A version that sets one of its inputs back is refused: ``StoreError/superseded``. Nil:
  /// nothing is said of it.
  public var inputs: InputRevisions?
  public var objects: [ObjectChange] = []
  public var toggles: [ToggleChange] = []
  public var reply: StoredReply?
  /// What is written to other records in the same transaction, each on a base of its own: where one of them, or this, is
  /// superseded, nothing is written. They have no answer and no fence, and nothing beside them.
  public var beside: [Commit] = []

  public init(table: String, durability: Durability, version: Version? = nil, items: ItemChanges? = nil) {
    self.table = table
    self.durability = durability
    self.version = version
    self.items = items
  }

  /// Where the table stands once this is written; nil where it is not said on what it is built.
  public var revision: Revision? {
    base.map { changesTable ? Revision(number: $0.number + 1, stamp: stamp) : $0 }
  }

  /// Whether its version is made of older items than the one before.
  func setsBack(_ stored: InputRevisions?) -> Bool {
    guard version != nil, let inputs, let stored else { return false }
    return inputs.setBack(stored)
  }

  /// All the records that it is about.
  var records: [String] { [table] + beside.map(\.table) }

  /// The changes of its records, one each.
  var parts: [Commit] { beside.isEmpty ? [self] : beside + [self] }

  /// Whether anything but an answer is in it: then the table has another revision afterwards. What is written beside it counts, so
  /// that those built on it know whether that was stored.
  public var changesTable: Bool {
    version != nil || items != nil || inputs != nil || !objects.isEmpty || !toggles.isEmpty || !beside.isEmpty
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
  /// What the next commit is built on (``Commit/base``).
  public var revision = Revision.none
  public var feed: StoredFeed?
  /// Nil where no items were ever stored: then the configuration's own are the first ones. Once stored they are
  /// the table's, even when none is left.
  public var items: LocalItems?
  /// What the last version is made of, of the service's own items.
  public var inputs = InputRevisions()
  /// Represented objects, by row identity.
  public var objects: [String: [UInt8]] = [:]
  /// The rows that taps have toggled for everyone, by identity.
  public var toggled: Set<String> = []
  /// What the last version was laid out by, as whoever made it calls that: the same where the same items make the same
  /// version. Nil where nobody has said so.
  public var layout: String?

  public init() {}
}
