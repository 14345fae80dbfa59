public import TableModel

/// A client's own state over a table: which rows it has toggled, now and at its recent earlier taps. A value.
///
/// Taps are counted from 1; at tap 0, before the first, every row has its default. A toggled row costs 16
/// bytes. What is over is kept for the last ``memory`` taps, so that a changeset from any of them can be made.
public struct ViewState: Sendable {
  /// Of the view's own cursors; new whenever the view's past is forgotten.
  public let epoch: Epoch
  /// How many changes there were.
  public private(set) var taps: UInt32 = 0
  /// States before this tap are no longer known, but for the one before the first.
  public private(set) var oldestTap: UInt32 = 0
  private var toggles: [Toggle] = []

  /// A row that had not its default from one tap until another.
  private struct Toggle {
    var row: UInt64
    var from: UInt32
    /// `.max`: it still has not.
    var until: UInt32
  }

  /// How many taps back a state is known.
  public static let memory: UInt32 = 64
  /// How many rows may be toggled at once; one more sets back the one that was toggled first.
  public static let maximumToggles = 4096
  /// Taps have 20 bits of a cursor's number, the table's version the rest.
  static let tapBits: UInt64 = 20
  static let lastTap: UInt32 = 1 << 20 - 1

  public init(epoch: Epoch = .random()) { self.epoch = epoch }

  /// Whether a row had been toggled at a tap: shows the opposite of its default. O(toggled rows).
  ///
  /// - Parameter row: The row's ``RowKey/identity``.
  public func isToggled(_ row: Fingerprint, at tap: UInt32) -> Bool {
    toggles.contains { $0.row == row.rawValue && $0.from <= tap && tap < $0.until }
  }

  /// The rows that had been toggled at a tap. O(toggled rows).
  public func toggled(at tap: UInt32) -> Set<Fingerprint> {
    var rows: Set<Fingerprint> = []
    for toggle in toggles where toggle.from <= tap && tap < toggle.until {
      rows.insert(Fingerprint(rawValue: toggle.row))
    }
    return rows
  }

  /// The rows that may show something else at one tap than at another. O(toggled rows).
  public func changed(from first: UInt32, to second: UInt32) -> Set<Fingerprint> {
    toggled(at: first).symmetricDifference(toggled(at: second))
  }

  /// No tap is left to count: the view has to begin a new epoch.
  var isUsedUp: Bool { taps >= Self.lastTap }

  /// Toggles a row. O(toggled rows).
  mutating func tap(_ row: Fingerprint) {
    taps += 1
    if let open = toggles.firstIndex(where: { $0.row == row.rawValue && $0.until == .max }) {
      toggles[open].until = taps
    } else {
      if toggles.count >= Self.maximumToggles, let first = toggles.firstIndex(where: { $0.until == .max }) {
        toggles[first].until = taps
      }
      toggles.reserveCapacity(toggles.count + 1)
      toggles.append(Toggle(row: row.rawValue, from: taps, until: .max))
    }
    forget()
  }

  /// Gives every row its default again. O(toggled rows).
  mutating func reset() {
    guard toggles.contains(where: { $0.until == .max }) else { return }
    taps += 1
    for index in toggles.indices where toggles[index].until == .max { toggles[index].until = taps }
    forget()
  }

  private mutating func forget() {
    guard taps > Self.memory else { return }
    let horizon = taps - Self.memory
    guard let last = toggles.lazy.map(\.until).filter({ $0 <= horizon }).max() else { return }
    oldestTap = max(oldestTap, last)
    toggles.removeAll { $0.until <= horizon }
  }
}

extension ViewState {
  /// The cursor that names a version of the table as this view shows it now.
  public func cursor(for version: UInt64) -> Cursor {
    Cursor(epoch: epoch, version: version << Self.tapBits | UInt64(taps))
  }

  /// What a client's cursor names for this view.
  ///
  /// - Parameter table: The epoch of the table's own cursors. One of them names the table without any tap: it
  ///   is what the view was before its first.
  public func lookup(_ cursor: Cursor, table: Epoch) -> ViewLookup {
    if cursor.epoch == table { return .state(version: cursor.version, tap: 0) }
    guard cursor.epoch == epoch else { return .epoch }
    let tap = UInt32(cursor.version & UInt64(Self.lastTap))
    if tap > taps { return .ahead }
    if tap != 0 && tap < oldestTap { return .expired }
    return .state(version: cursor.version >> Self.tapBits, tap: tap)
  }
}

/// What a cursor finds in a view. The version is then looked up in the table's feed.
public enum ViewLookup: Equatable, Sendable {
  /// The view at a tap, over a version of the table.
  case state(version: UInt64, tap: UInt32)
  /// What the view was at this tap is no longer known.
  case expired
  case ahead
  /// It is neither of this view's epoch nor of the table's.
  case epoch
}
