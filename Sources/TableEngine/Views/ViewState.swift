import Digests
import TableModel

/// A client's own state over a table: which rows it has toggled, now and at its recent earlier taps. A value.
///
/// Taps are counted from 1; at tap 0, before the first, every row has its default. A toggled row costs 16
/// bytes. What is over is kept for the last ``memory`` taps, so that a changeset from any of them can be made.
struct ViewState: Sendable {
  /// New whenever the view's past is forgotten: taps that are counted anew are not those of before.
  let incarnation: UInt64
  /// How many changes there were.
  private(set) var taps: UInt32 = 0
  /// States before this tap are no longer known, but for the one before the first.
  private(set) var oldestTap: UInt32 = 0
  private var toggles: [Toggle] = []

  /// A row that had not its default from one tap until another.
  private struct Toggle {
    var row: UInt64
    var from: UInt32
    /// `.max`: it still has not.
    var until: UInt32
  }

  /// How many taps back a state is known.
  static let memory: UInt32 = 64
  /// How many rows may be toggled at once; one more sets back the one that was toggled first.
  static let maximumToggles = 4096
  /// One more is not counted: the view then begins anew.
  static let lastTap = UInt32.max

  init(incarnation: UInt64 = .random(in: .min ... .max)) { self.incarnation = incarnation }

  /// A view as another replica has it; its past is not known.
  init(incarnation: UInt64, taps: UInt32, toggled: [Fingerprint]) {
    self.incarnation = incarnation
    (self.taps, oldestTap) = (taps, taps)
    toggles = toggled.suffix(Self.maximumToggles).map { Toggle(row: $0.rawValue, from: taps, until: .max) }
  }

  /// The view with a tap that another replica has counted at the same time as this one counted its own: both come to the
  /// same, under a name that neither had before, as one count has meant two things.
  func merging(_ row: Fingerprint) -> ViewState {
    var merged = self
    merged.tap(row)
    return ViewState(
      incarnation: (incarnation &+ UInt64(merged.taps)) &* 0x9e37_79b9_7f4a_7c15,
      taps: merged.taps,
      toggled: merged.toggled(at: merged.taps).map { $0 }
    )
  }

  /// Whether a row had been toggled at a tap: shows the opposite of its default. O(toggled rows).
  ///
  /// - Parameter row: The row's ``RowKey/identity``.
  func isToggled(_ row: Fingerprint, at tap: UInt32) -> Bool {
    toggles.contains { $0.row == row.rawValue && $0.from <= tap && tap < $0.until }
  }

  /// The rows that had been toggled at a tap. O(toggled rows).
  func toggled(at tap: UInt32) -> Set<Fingerprint> {
    var rows: Set<Fingerprint> = []
    for toggle in toggles where toggle.from <= tap && tap < toggle.until {
      rows.insert(Fingerprint(rawValue: toggle.row))
    }
    return rows
  }

  /// The rows that may show something else at one tap than at another. O(toggled rows).
  func changed(from first: UInt32, to second: UInt32) -> Set<Fingerprint> {
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
  /// Names the view in cursors: this one of this name, drawn with these cells.
  func digest(name: String, registry: [UInt8]) -> LensTag.Digest {
    let seed = withUnsafeBytes(of: incarnation.littleEndian, Array.init)
    return LensTag.Digest(prefixOf: SHA256.digest(of: seed + registry + Array(name.utf8)))
  }

  /// What a count of taps finds in the view.
  func lookup(tap: UInt64) -> ViewLookup {
    guard tap <= UInt64(taps) else { return .ahead }
    guard tap == 0 || tap >= UInt64(oldestTap) else { return .expired }
    return .point(ViewPoint(toggled: toggled(at: UInt32(tap))))
  }
}

/// What a cursor finds in a view.
enum ViewLookup: Sendable {
  /// The rows that had been toggled then.
  case point(ViewPoint)
  /// What the view was then is no longer known.
  case expired
  case ahead
}
