import Digests
import TableModel

/// A client's own state over a table: which rows it has toggled, now and at its recent earlier taps. A value.
///
/// A toggled row costs 16 bytes.
struct ViewState: Sendable {
  /// New whenever the view's past is forgotten: taps that are counted anew are not those of before.
  let incarnation: UInt64
  /// Rows by their identities' fingerprints.
  private var history = TapHistory<UInt64>()

  /// How many taps back a state is known.
  static let memory: UInt32 = 64
  /// How many rows may be toggled at once; one more sets back the one that was toggled first.
  static let maximumToggles = 4096
  /// Taps behind it are not counted: the view then begins anew. A view that was idle takes two at once, and `.max` says
  /// of a toggled row that it still is.
  static let lastTap = UInt32.max - 2

  init(incarnation: UInt64 = .random(in: .min ... .max)) { self.incarnation = incarnation }

  init(incarnation: UInt64, _ history: TapHistory<UInt64>) {
    (self.incarnation, self.history) = (incarnation, history)
  }

  /// How many changes there were.
  var taps: UInt32 { history.taps }
  /// States before this tap are no longer known, but for the one before the first.
  var oldestTap: UInt32 { history.oldestTap }
  /// No tap is left to count: the view has to begin a new epoch.
  var isUsedUp: Bool { history.isUsedUp }

  /// Returns whether a row was toggled at a tap: it shows the opposite of its default. O(toggled rows).
  ///
  /// - Parameter row: The row's ``RowKey/identity``.
  func isToggled(_ row: Fingerprint, at tap: UInt32) -> Bool {
    history.toggled(at: tap).contains(row.rawValue)
  }

  /// The rows that had been toggled at a tap. O(toggled rows).
  func toggled(at tap: UInt32) -> Set<Fingerprint> {
    Set(history.toggled(at: tap).map { Fingerprint(rawValue: $0) })
  }

  /// The rows that may show something else at one tap than at another. O(toggled rows).
  func changed(from first: UInt32, to second: UInt32) -> Set<Fingerprint> {
    toggled(at: first).symmetricDifference(toggled(at: second))
  }

  /// Toggles a row. O(toggled rows).
  mutating func tap(_ row: Fingerprint) { history.tap(row.rawValue) }

  /// Gives every row its default again. O(toggled rows).
  mutating func reset() { history.reset() }
}

extension ViewState {
  /// Names the view in cursors: this one of this name, over rows of which these kinds can be toggled.
  func digest(name: String, over kinds: [RowKind]) -> LensTag.Digest {
    let seed = withUnsafeBytes(of: incarnation.littleEndian, Array.init)
    let toggles = kinds.compactMap { kind in
      kind.toggles.map { Array((kind.cells.first ?? "").utf8) + [0] + $0 + [1] }
    }
    let sorted = toggles.sorted { $0.lexicographicallyPrecedes($1) }
    return LensTag.Digest(prefixOf: SHA256.digest(of: seed + sorted.joined() + [2] + Array(name.utf8)))
  }

  /// Returns the state of the view at a count of taps.
  func lookup(tap: UInt64) -> ViewLookup {
    guard tap <= UInt64(taps) else { return .ahead }
    guard tap == 0 || tap >= UInt64(oldestTap) else { return .expired }
    return .point(ViewPoint(toggled: toggled(at: UInt32(tap))))
  }
}

/// The result of looking a cursor up in a view.
enum ViewLookup: Sendable {
  /// The rows that had been toggled then.
  case point(ViewPoint)
  /// The view's state at that time is no longer known.
  case expired
  case ahead
}
