/// The rows that are toggled, now and at the recent earlier taps. A value; rows are keys that tell them apart.
///
/// Taps are counted from 1; at tap 0, before the first, every row has its default. Former states are kept for the last
/// ``memory`` taps, so that a changeset from any of them can be made.
struct TapHistory<Row: Hashable & Sendable>: Sendable {
  /// How many changes there were.
  private(set) var taps: UInt32 = 0
  /// States before this tap are no longer known, but for the one before the first.
  private(set) var oldestTap: UInt32 = 0
  private(set) var toggles: [Toggle] = []

  /// A row that had not its default from one tap until another.
  struct Toggle: Sendable {
    var row: Row
    var from: UInt32
    /// `.max`: it still has not.
    var until: UInt32
  }

  init() {}

  /// As it was written down elsewhere.
  init(taps: UInt32, oldestTap: UInt32, toggles: [Toggle]) {
    (self.taps, self.oldestTap) = (taps, oldestTap)
    self.toggles = toggles
  }

  /// No tap is left to count.
  var isUsedUp: Bool { taps >= ViewState.lastTap }

  /// The rows that had been toggled at a tap. O(toggled rows).
  func toggled(at tap: UInt32) -> some Sequence<Row> {
    toggles.lazy.filter { $0.from <= tap && tap < $0.until }.map(\.row)
  }

  /// Toggles a row. O(toggled rows).
  mutating func tap(_ row: Row) {
    taps += 1
    if let open = toggles.firstIndex(where: { $0.row == row && $0.until == .max }) {
      toggles[open].until = taps
    } else {
      if toggles.count >= ViewState.maximumToggles, let first = toggles.firstIndex(where: { $0.until == .max }) {
        toggles[first].until = taps
      }
      toggles.reserveCapacity(toggles.count + 1)
      toggles.append(Toggle(row: row, from: taps, until: .max))
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
    guard taps > ViewState.memory else { return }
    let horizon = taps - ViewState.memory
    guard let last = toggles.lazy.map(\.until).filter({ $0 <= horizon }).max() else { return }
    oldestTap = max(oldestTap, last)
    toggles.removeAll { $0.until <= horizon }
  }
}
