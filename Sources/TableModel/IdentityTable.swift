/// The places of things in a list, by the fingerprints of their identities: a hash table with open addressing.
///
/// Fingerprints are random already, so their low bits are the hash. A slot holds the fingerprint's upper half as a tag
/// and the list index below it: a look-up touches the list itself only where the tag fits. Equal fingerprints are only
/// likely to mean equal things: the caller confirms.
public struct IdentityTable: Sendable {
  /// 0: empty; else tag and `index + 1`.
  @usableFromInline var slots: [UInt64]
  /// How many more entries it takes.
  @usableFromInline var room: Int

  /// An identity is refused at the door when it stands in a table twice; should one come in more often than
  /// this all the same, the rest aren't found, so that they can't make the look-up quadratic.
  @inlinable static var duplicates: Int { 8 }

  /// An empty table for at most `capacity` entries. O(capacity).
  @inlinable
  public init(capacity: Int) {
    // At most two thirds full, so that runs of taken slots stay short.
    var size = 16
    while size * 2 < capacity * 3 { size *= 2 }
    slots = [UInt64](repeating: 0, count: size)
    room = capacity
  }

  /// A table of `count` entries; `identity(i)` is the fingerprint of entry `i`. O(count).
  @inlinable
  @inline(__always)
  public init(count: Int, identity: (Int) -> Fingerprint) {
    self.init(capacity: count)
    slots.withUnsafeMutableBufferPointer { slots in
      for index in 0..<count { Self.insert(index, under: identity(index), into: slots) }
    }
    room = 0
  }

  /// Expected O(1). Entries past the capacity are ignored, so that the search always ends.
  @inlinable
  public mutating func insert(_ index: Int, under fingerprint: Fingerprint) {
    guard room > 0 else { return }
    slots.withUnsafeMutableBufferPointer { Self.insert(index, under: fingerprint, into: $0) }
    room -= 1
  }

  /// Inserts an index, unless there is one under its fingerprint that `isMatch` takes; false then. Expected O(1).
  @inlinable
  @inline(__always)
  public mutating func insert(_ index: Int, under fingerprint: Fingerprint, unless isMatch: (Int) -> Bool) -> Bool {
    let identity = fingerprint.rawValue
    let room = room
    let outcome: (isNew: Bool, isIn: Bool) = slots.withUnsafeMutableBufferPointer { slots in
      let mask = UInt64(slots.count - 1)
      var position = identity & mask
      var seen = 0
      while slots[Int(position)] != 0 {
        let slot = slots[Int(position)]
        if slot >> 32 == identity >> 32 {
          if isMatch(Int(slot & 0xffff_ffff) - 1) { return (false, false) }
          seen += 1
        }
        position = (position + 1) & mask
      }
      guard room > 0, seen < Self.duplicates else { return (true, false) }
      slots[Int(position)] = (identity & ~0xffff_ffff) | UInt64(index + 1)
      return (true, true)
    }
    if outcome.isIn { self.room -= 1 }
    return outcome.isNew
  }

  @inlinable
  @inline(__always)
  static func insert(_ index: Int, under fingerprint: Fingerprint, into slots: UnsafeMutableBufferPointer<UInt64>) {
    let identity = fingerprint.rawValue
    let mask = UInt64(slots.count - 1)
    var position = identity & mask
    var seen = 0
    // Ends: there are more slots than entries. `position` is masked, so it is in range.
    while slots[Int(position)] != 0, seen < duplicates {
      if slots[Int(position)] >> 32 == identity >> 32 { seen += 1 }
      position = (position + 1) & mask
    }
    if slots[Int(position)] == 0 { slots[Int(position)] = (identity & ~0xffff_ffff) | UInt64(index + 1) }
  }

  /// The first index under a fingerprint that `isMatch` takes, in the order of insertion. Expected O(1).
  @inlinable
  @inline(__always)
  public func first(_ fingerprint: Fingerprint, where isMatch: (Int) -> Bool) -> Int? {
    withLookup { $0.first(fingerprint, where: isMatch) }
  }

  /// Calls `body` with a look-up that stays valid during the call.
  @inlinable
  public func withLookup<Result>(_ body: (Lookup) -> Result) -> Result {
    slots.withUnsafeBufferPointer { body(Lookup(slots: $0)) }
  }

  public struct Lookup {
    @usableFromInline let slots: UnsafeBufferPointer<UInt64>

    @inlinable
    init(slots: UnsafeBufferPointer<UInt64>) { self.slots = slots }

    /// As the table's.
    @inlinable
    @inline(__always)
    public func first(_ fingerprint: Fingerprint, where isMatch: (Int) -> Bool) -> Int? {
      let identity = fingerprint.rawValue
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
