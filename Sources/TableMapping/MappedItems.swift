/// A source's mapped items in their order.
///
/// In one array, as a mapping makes them; in pieces once one is replaced: a version that replaces few then shares nearly all
/// references with the one before, where a copy of the array would count each of them up, and its end down again.
struct MappedItems: RandomAccessCollection, Sendable {
  /// Without items where they are in pieces.
  private var whole: [MappedItem]
  /// Pieces of ``pieceSize`` items each, except the last.
  private var pieces: [[MappedItem]] = []
  let endIndex: Int

  /// Few, so that of scattered changes each copies few.
  private static let pieceSize = 32

  init(_ items: [MappedItem]) { (whole, endIndex) = (items, items.count) }

  var startIndex: Int { 0 }

  subscript(position: Int) -> MappedItem {
    @inline(__always) get {
      guard pieces.isEmpty else { return pieces[position / Self.pieceSize][position % Self.pieceSize] }
      return whole[position]
    }
  }

  /// In one array. O(1) before one was replaced, O(items) after that.
  var array: [MappedItem] { pieces.isEmpty ? whole : Array(pieces.joined()) }

  /// O(items) for the first item after a mapping of all; O(items / 32) for the first one in a copy, else O(1).
  mutating func replace(at position: Int, with item: MappedItem) {
    if pieces.isEmpty {
      pieces = stride(from: 0, to: endIndex, by: Self.pieceSize).map { start in
        Array(whole[start..<Swift.min(start + Self.pieceSize, endIndex)])
      }
      whole = []
    }
    pieces[position / Self.pieceSize][position % Self.pieceSize] = item
  }
}
