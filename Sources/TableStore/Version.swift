import Synchronization
public import TableModel

/// One version of one table: what a cursor names. Immutable, shared by all who read it.
public final class Version: Sendable {
  public let cursor: Cursor
  public let table: Table
  /// Found when they are first asked for.
  private let heldKinds = Mutex<[RowKind]?>(nil)

  /// O(sections), so that whoever reads the version needn't count its rows.
  public init(cursor: Cursor, table: Table) {
    self.cursor = cursor
    var table = table
    table.countRows()
    self.table = table
  }

  /// The version's number in its epoch.
  public var number: UInt64 { cursor.version }

  /// The kinds of its rows. O(1), and what ``TableModel/Table/rowKinds`` takes the first time.
  public var rowKinds: [RowKind] {
    heldKinds.withLock { held in
      let kinds = held ?? table.rowKinds
      held = kinds
      return kinds
    }
  }
}

extension Version {
  /// Returns whether taps toggle the same member of rows of a cell in two versions, as far as both have such rows. A cell
  /// may be defined otherwise meanwhile, while the rows' bytes are the same. O(kinds).
  public func togglesAlike(_ other: Version) -> Bool {
    guard rowKinds != other.rowKinds else { return true }
    func toggles(_ kinds: [RowKind]) -> [String: Set<[UInt8]?>] {
      kinds.reduce(into: [:]) { $0[$1.cells.first ?? "", default: []].insert($1.toggles) }
    }
    let (own, others) = (toggles(rowKinds), toggles(other.rowKinds))
    return own.allSatisfy { cell, members in others[cell].map { $0 == members } ?? true }
  }
}

extension Table {
  /// Returns whether two tables have the same sections to the byte, and rows that are the same in everything that is
  /// stored of them. O(rows).
  public static func areStoredAlike(_ first: Table, _ second: Table) -> Bool {
    first.sections.count == second.sections.count
      && zip(first.sections, second.sections).allSatisfy { first, second in
        Section.sameIdentity(first, second) && Section.sameFrame(first, second)
          && first.rows.count == second.rows.count
          && zip(first.rows, second.rows).allSatisfy(Row.identical)
      }
  }
}

/// The result of looking a cursor up in a list of versions.
public enum CursorLookup: Sendable {
  /// It names the version that is published now.
  case current(Version)
  /// It names an older version that is held: a changeset from it can be given.
  case held(Version)
  /// Its version is no longer held.
  case expired
  /// Its version has not been reached.
  case ahead
  /// It is of another epoch.
  case epoch
}
