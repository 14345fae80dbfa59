public import FieldValues
public import TableModel

/// A commit: all of it is written, or nothing.
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
  /// The lease that the writer must hold to write: else ``StoreError/fenced``. Nil: none.
  public var fence: Lease?
  /// The version that comes after the one stored last. Nil where the edit changes nothing that is shown.
  public var version: Version?
  /// The layout of the version (``StoredTable/layout``). Without a version: that of the stored one, if it is known only
  /// now; nil: nothing is said of it.
  public var layout: String?
  public var items: ItemChanges?
  /// The inputs that the table is made of from then on. A version that sets one of its inputs back is refused:
  /// ``StoreError/superseded``. Nil: nothing is said of them.
  public var inputs: InputRevisions?
  public var objects: [ObjectChange] = []
  public var toggles: [ToggleChange] = []
  public var reply: StoredReply?
  /// Commits to other records in the same transaction, each on a base of its own: where one of them, or this, is
  /// superseded, nothing is written. They have no answer and no fence, and nothing beside them.
  public var beside: [Commit] = []

  public init(table: String, durability: Durability, version: Version? = nil, items: ItemChanges? = nil) {
    self.table = table
    self.durability = durability
    self.version = version
    self.items = items
  }

  /// The table's revision once this is written; nil where it is not said on what it is built.
  public var revision: Revision? {
    base.map { changesTable ? Revision(number: $0.number + 1, stamp: stamp) : $0 }
  }

  /// Returns whether its version is made of older items than the one before.
  func setsBack(_ stored: InputRevisions?) -> Bool {
    guard version != nil, let inputs, let stored else { return false }
    return inputs.setBack(stored)
  }

  /// Returns whether its record stands elsewhere than where it is built on.
  ///
  /// - Parameters:
  ///   - inputs: those that are stored.
  ///   - last: the version stored last, where it is known.
  func isSuperseded(at revision: Revision, inputs stored: InputRevisions?, last: Version?) -> Bool {
    if base.map({ $0 != revision }) ?? false || setsBack(stored) { return true }
    guard let version, let last else { return false }
    return last.cursor.epoch == version.cursor.epoch && version.number != last.number + 1
  }

  /// All the records that it is about.
  var records: [String] { [table] + beside.map(\.table) }

  /// Those of them that it changes: all, or none where it has but an answer.
  var changedRecords: [String] { parts.filter(\.changesTable).map(\.table) }

  /// The changes of its records, one each.
  var parts: [Commit] { beside.isEmpty ? [self] : beside + [self] }

  /// The same, in this order, with no more copies than there are commits beside it.
  func forEachPart(_ body: (Commit) throws -> Void) rethrows {
    for part in beside { try body(part) }
    try body(self)
  }

  /// True if anything but an answer is in it: then the table has another revision afterwards. Commits beside it count,
  /// so that those built on it know whether they were stored.
  public var changesTable: Bool {
    version != nil || items != nil || inputs != nil || !objects.isEmpty || !toggles.isEmpty || !beside.isEmpty
  }

  /// The events that a commit outlives once it is acknowledged.
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

/// The effect of a tap of everyone's table on a row: toggled, or back at its default.
public struct ToggleChange: Sendable {
  public var row: String
  public var isToggled: Bool

  public init(row: String, isToggled: Bool) {
    self.row = row
    self.isToggled = isToggled
  }
}

/// The versions of a table that a store has kept.
public struct StoredVersions: Sendable {
  public let epoch: Epoch
  /// Oldest first, numbered without gaps, of this epoch; never empty.
  public let all: [Version]

  /// Nil where there is no version, or one is of another epoch or out of line.
  public init?(epoch: Epoch, versions: [Version]) {
    guard let first = versions.first else { return nil }
    for (offset, version) in versions.enumerated() {
      guard version.cursor.epoch == epoch, version.number == first.number &+ UInt64(offset) else { return nil }
    }
    self.epoch = epoch
    all = versions
  }
}

/// All that a store has of a table.
public struct StoredTable: Sendable {
  /// The base of the next commit (``Commit/base``).
  public var revision = Revision.none
  public var versions: StoredVersions?
  /// Nil where no items were ever stored: then the configuration's own are the first ones. Once stored they are
  /// the table's, even when none is left.
  public var items: LocalItems?
  /// The revisions of the service's own items that the last version is made of.
  public var inputs = InputRevisions()
  /// Represented objects, by row identity.
  public var objects: [ByteText: [UInt8]] = [:]
  /// The rows that taps have toggled for everyone, by identity.
  public var toggled: Set<ByteText> = []
  /// The layout of the last version, under its maker's name for it: equal where the same items make the same version.
  /// Nil where nobody has said so.
  public var layout: String?

  public init() {}

  /// The name that items were given whose record this was; nil: they are here, or there are none.
  public var newName: String? { items == nil && versions == nil ? inputs.own : nil }
}
