import TableModel

/// Finds positions by a fingerprint: open addressing over one array, no allocation an entry.
///
/// Equal fingerprints are only likely to mean equal things: the caller confirms.
struct IdentityIndex: Sendable {
  private var slots: [UInt32]
  private let mask: Int
  private var room: Int

  /// For at most `capacity` entries.
  init(capacity: Int) {
    room = capacity
    var size = 16
    while size < capacity * 2 { size *= 2 }
    slots = [UInt32](repeating: 0, count: size)
    mask = size - 1
  }

  /// The first position under `fingerprint` that `matches`, in the order of insertion. O(1).
  @inline(__always)
  func first(_ fingerprint: Fingerprint, where matches: (Int) -> Bool) -> Int? {
    var slot = Int(truncatingIfNeeded: fingerprint.rawValue) & mask
    while slots[slot] != 0 {
      let position = Int(slots[slot]) - 1
      if matches(position) { return position }
      slot = (slot + 1) & mask
    }
    return nil
  }

  /// O(1). Entries past the capacity are ignored, so that the search always ends.
  @inline(__always)
  mutating func insert(_ position: Int, under fingerprint: Fingerprint) {
    guard room > 0 else { return }
    room -= 1
    var slot = Int(truncatingIfNeeded: fingerprint.rawValue) & mask
    while slots[slot] != 0 { slot = (slot + 1) & mask }
    slots[slot] = UInt32(truncatingIfNeeded: position + 1)
  }
}
