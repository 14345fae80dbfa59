/// The places of identities among the rows of a node: a hash table with open addressing, over fingerprints.
///
/// Fingerprints are random already, so their low bits are the hash. A slot has the row's place among the node's, and
/// the rows' own keys tell whether it is the one.
struct RowIndex: Sendable {
  /// 0: empty; else the place and one.
  private let slots: [UInt32]

  /// An identity is refused at the door when it stands in a table twice; should one come in more often than this all the
  /// same, the rest aren't found, so that they can't make the look-up quadratic.
  private static let duplicates = 8

  /// O(rows).
  init(_ node: RowNode) {
    // At most two thirds full, so that runs of taken slots stay short.
    var capacity = 16
    while capacity * 2 < node.count * 3 { capacity *= 2 }
    let mask = UInt64(capacity - 1)
    var slots = [UInt32](repeating: 0, count: capacity)
    var identities: [Fingerprint] = []
    identities.reserveCapacity(node.count)
    node.forEachChunk { identities += $0.keys.lazy.map(\.identity) }
    for (place, identity) in identities.enumerated() {
      var position = Int(identity.rawValue & mask)
      var seen = 0
      // Ends: there are more slots than rows.
      while slots[position] != 0, seen < Self.duplicates {
        if identities[Int(slots[position] & ~Self.tags) - 1] == identity { seen += 1 }
        position = (position + 1) & Int(mask)
      }
      if slots[position] == 0 { slots[position] = Self.tag(identity) | UInt32(place + 1) }
    }
    self.slots = slots
  }

  /// The first row under a fingerprint that `isMatch` takes, by its place. Expected O(1).
  func first(_ identity: Fingerprint, where isMatch: (Int) -> Bool) -> Int? {
    let mask = slots.count - 1
    var position = Int(truncatingIfNeeded: identity.rawValue) & mask
    while slots[position] != 0 {
      if slots[position] & Self.tags == Self.tag(identity) {
        let place = Int(slots[position] & ~Self.tags) - 1
        if isMatch(place) { return place }
      }
      position = (position + 1) & mask
    }
    return nil
  }

  // The upper bits tell most others apart, so that their keys need not be fetched; the lower ones are enough for the rows
  // of a node that has an index.
  private static let tags: UInt32 = 0xfff0_0000

  private static func tag(_ identity: Fingerprint) -> UInt32 {
    UInt32(truncatingIfNeeded: identity.rawValue >> 32) & tags
  }
}
