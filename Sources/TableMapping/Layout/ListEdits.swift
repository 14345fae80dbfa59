/// Edits of a response's list since it came: changes that the upstream has accepted and not yet answered with.
///
/// An item of the response is numbered by its place in it; one that came since has a number behind these. Each has a
/// *rank* that orders it, with room between neighbours, so that an item that comes, goes or moves changes no other one.
public struct ListEdits: Sendable, Equatable {
  /// The items that differ from the response, by number; nil: the item is gone.
  private(set) var items: [UInt64: Item?] = [:]
  /// The number of items in the response.
  private let count: Int
  private var next: UInt64

  struct Item: Sendable, Equatable {
    var rank: Int64
    var bytes: [UInt8]
  }

  /// The destination of an item.
  public enum Place: Sendable {
    case end
    case before(Int)
    case after(Int)
  }

  /// - Parameter count: how many items the response has.
  init(count: Int) { (self.count, next) = (count, UInt64(count)) }

  private static let spacing: Int64 = 1 << 32

  static func rank(ofResponse place: Int) -> Int64 { Int64(place) << 32 }

  /// Puts another item in an item's place. O(1).
  public mutating func replace(_ number: Int, with bytes: [UInt8]) {
    guard let rank = rank(of: UInt64(number)) else { return }
    items[UInt64(number)] = .some(Item(rank: rank, bytes: bytes))
  }

  /// O(1).
  public mutating func remove(_ number: Int) {
    items.updateValue(nil, forKey: UInt64(number))
  }

  /// Adds an item behind all others; returns its number. O(edits).
  public mutating func append(_ bytes: [UInt8]) -> Int {
    let number = next
    next += 1
    items[number] = .some(Item(rank: (neighbor(below: .max) ?? 0) + Self.spacing, bytes: bytes))
    return Int(number)
  }

  /// Moves an item, whose bytes are given. O(edits).
  ///
  /// - Returns: false where there is no room left, or no such neighbour; then it stays where it is.
  public mutating func move(_ number: Int, _ bytes: [UInt8], to place: Place) -> Bool {
    var edits = self
    edits.remove(number)
    guard let rank = edits.rank(at: place) else { return false }
    items[UInt64(number)] = .some(Item(rank: rank, bytes: bytes))
    return true
  }

  /// A rank that is free at a place; nil where there is none. O(edits).
  private func rank(at place: Place) -> Int64? {
    let (low, high): (Int64?, Int64?)
    switch place {
    case .end: (low, high) = (neighbor(below: .max), nil)
    case .before(let other):
      guard let rank = rank(of: UInt64(other)) else { return nil }
      (low, high) = (neighbor(below: rank), rank)
    case .after(let other):
      guard let rank = rank(of: UInt64(other)) else { return nil }
      (low, high) = (rank, neighbor(above: rank))
    }
    return Self.rank(between: low, high)
  }

  /// A rank that is free between two; nil where they touch.
  private static func rank(between low: Int64?, _ high: Int64?) -> Int64? {
    switch (low, high) {
    case (nil, nil): 0
    case (let low?, nil): low + spacing
    case (nil, let high?): high - spacing
    case (let low?, let high?): high - low >= 2 ? low + (high - low) / 2 : nil
    }
  }

  /// Nil for an item that is gone or never was.
  private func rank(of number: UInt64) -> Int64? {
    if let item = items[number] { return item?.rank }
    return number < UInt64(count) ? Self.rank(ofResponse: Int(number)) : nil
  }

  /// The highest rank below another one. O(edits).
  private func neighbor(below rank: Int64) -> Int64? {
    var found = items.values.lazy.compactMap { $0?.rank }.filter { $0 < rank }.max()
    // Ranks of the response are multiples of the spacing.
    var place = rank == .max ? count - 1 : min(Int((rank - 1) >> 32), count - 1)
    while place >= 0, items[UInt64(place)] != nil { place -= 1 }
    if place >= 0 { found = max(found ?? .min, Self.rank(ofResponse: place)) }
    return found
  }

  /// The lowest rank above another one. O(edits).
  private func neighbor(above rank: Int64) -> Int64? {
    var found = items.values.lazy.compactMap { $0?.rank }.filter { $0 > rank }.min()
    var place = max(Int(rank >> 32) + 1, 0)
    while place < count, items[UInt64(place)] != nil { place += 1 }
    if place < count { found = min(found ?? .max, Self.rank(ofResponse: place)) }
    return found
  }

  /// All items in their order. O(items), and what sorting what was edited takes.
  func laid(over response: (_ place: Int) -> [UInt8]) -> [[UInt8]] {
    var all: [(rank: Int64, bytes: [UInt8])] = (0..<count).filter { items[UInt64($0)] == nil }
      .map { (Self.rank(ofResponse: $0), response($0)) }
    all += items.values.compactMap { item in item.map { ($0.rank, $0.bytes) } }
    return all.sorted { $0.rank < $1.rank }.map(\.bytes)
  }

  /// Returns the item's place among all. O(edits).
  public func place(of number: Int) -> Int? {
    guard let rank = rank(of: UInt64(number)) else { return nil }
    func precede(_ ranks: some Sequence<Int64>) -> Int { ranks.count { $0 < rank } }
    let response = min(max(Int((rank + Self.spacing - 1) >> 32), 0), count)
    let others = precede(items.keys.lazy.filter { $0 < count }.map { Self.rank(ofResponse: Int($0)) })
    return response - others + precede(items.values.lazy.compactMap { $0?.rank })
  }

  /// True if items have come, gone or moved.
  var areMoved: Bool {
    items.contains { number, item in
      number >= UInt64(count) || item?.rank != Self.rank(ofResponse: Int(number))
    }
  }
}
