/// Some of a chunk's rows.
enum RowSet: Equatable, Sendable {
  case none
  case all
  /// A bit for each row; neither none nor all of them are set.
  case some([UInt64])

  /// O(rows / 64).
  init(_ bits: [UInt64], of count: Int) {
    let set = bits.reduce(0) { $0 + $1.nonzeroBitCount }
    self = set == 0 ? .none : set == count ? .all : .some(bits)
  }

  static func words(for count: Int) -> Int { (count + 63) / 64 }

  /// Returns the number of rows, of a chunk with so many.
  func count(of rows: Int) -> Int {
    switch self {
    case .none: 0
    case .all: rows
    case .some(let bits): bits.reduce(0) { $0 + $1.nonzeroBitCount }
    }
  }

  /// Returns the number of rows before one, of a chunk with so many.
  func count(before row: Int) -> Int {
    switch self {
    case .none: return 0
    case .all: return row
    case .some(let bits):
      var count = 0
      for word in 0..<row >> 6 { count += bits[word].nonzeroBitCount }
      let rest = UInt64(row & 63)
      if rest > 0 { count += (bits[row >> 6] & (1 << rest - 1)).nonzeroBitCount }
      return count
    }
  }

  func intersection(_ other: RowSet, of count: Int) -> RowSet {
    switch (self, other) {
    case (.none, _), (_, .none): return .none
    case (.all, let rest), (let rest, .all): return rest
    case (.some(let first), .some(let second)): return RowSet(zip(first, second).map { $0 & $1 }, of: count)
    }
  }

  /// In order.
  func forEach(of count: Int, _ body: (Int) -> Void) {
    switch self {
    case .none: break
    case .all: for row in 0..<count { body(row) }
    case .some(let bits):
      for (index, word) in bits.enumerated() {
        var rest = word
        while rest != 0 {
          body(index << 6 + rest.trailingZeroBitCount)
          rest &= rest - 1
        }
      }
    }
  }
}
