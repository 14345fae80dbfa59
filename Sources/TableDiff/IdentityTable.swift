/// Where identities stand in a list: a hash table with open addressing over 64-bit fingerprints.
///
/// Fingerprints are random already, so their low bits are the hash. A slot holds the fingerprint's upper half as
/// a tag and the list index below it: a look-up touches the list itself only where the tag fits.
struct IdentityTable {
  /// 0: empty; else tag and `index + 1`.
  private let slots: [UInt64]

  /// An identity is refused at the door when it stands in a table twice; should one come in more often than
  /// this all the same, the rest aren't found, so that they can't make the look-up quadratic.
  private static let duplicates = 8

  /// A table of `count` entries; `identity(i)` is the fingerprint of entry `i`. O(count).
  init(count: Int, identity: (Int) -> UInt64) {
    // At most two thirds full, so that runs of taken slots stay short.
    var capacity = 16
    while capacity * 2 < count * 3 { capacity *= 2 }
    let mask = UInt64(capacity - 1)
    slots = [UInt64](unsafeUninitializedCapacity: capacity) { slots, initialized in
      slots.initialize(repeating: 0)
      initialized = capacity
      for index in 0..<count {
        let identity = identity(index)
        var position = identity & mask
        var seen = 0
        // Ends: there are more slots than entries. `position` is masked, so it is in range.
        while slots[Int(position)] != 0, seen < Self.duplicates {
          if slots[Int(position)] >> 32 == identity >> 32 { seen += 1 }
          position = (position + 1) & mask
        }
        if slots[Int(position)] == 0 { slots[Int(position)] = (identity & ~0xffff_ffff) | UInt64(index + 1) }
      }
    }
  }

  /// Calls `body` with a look-up that stays valid during the call.
  func withLookup<Result>(_ body: (Lookup) -> Result) -> Result {
    slots.withUnsafeBufferPointer { body(Lookup(slots: $0)) }
  }

  struct Lookup {
    fileprivate let slots: UnsafeBufferPointer<UInt64>

    /// The first entry under a fingerprint that `isMatch` takes. Expected O(1).
    @inline(__always)
    func first(_ identity: UInt64, where isMatch: (Int) -> Bool) -> Int? {
      let mask = UInt64(slots.count - 1)
      var position = identity & mask
      while true {
        let slot = slots[Int(position)]
        if slot == 0 { return nil }
        if slot >> 32 == identity >> 32 {
          let index = Int(slot & 0xffff_ffff) - 1
          if isMatch(index) { return index }
        }
        position = (position + 1) & mask
      }
    }
  }
}
