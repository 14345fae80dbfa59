/// The common properties of rows that are drawn alike: the cells for which a row has a payload, and the field that a
/// tap toggles.
///
/// A client's choice of cells and its taps depend on the kinds of a table's rows and on nothing else in a
/// configuration: replicas of two configurations that have a table's kinds in common draw it alike.
public struct RowKind: Hashable, Sendable {
  /// The row's cell, then its fallbacks in order.
  public let cells: [String]
  /// The name of the member that a tap toggles, as it stands in the payload's JSON; nil where it toggles nothing.
  public let toggles: [UInt8]?

  /// O(1) for what is sensible: in proportion to the names.
  init(_ row: Row) {
    cells = row.cells.map(\.cellIdentifier)
    toggles = row.expansion.map { Self.name(before: $0.lowerBound, in: row.encoded) }
  }

  /// Returns whether a row is of the kind. In proportion to the names, without making any.
  func includes(_ row: Row) -> Bool {
    guard cells.count == row.cells.count, zip(cells, row.cells).allSatisfy({ $0 == $1.cellIdentifier }) else {
      return false
    }
    guard let toggles, let expansion = row.expansion else { return self.toggles == nil && row.expansion == nil }
    // `"name":` stands before the value, and the object's brace or a comma before that.
    let end = expansion.lowerBound - 2
    let start = end - toggles.count
    return start > 1 && row.encoded[end] == UInt8(ascii: "\"") && row.encoded[start..<end].elementsEqual(toggles)
      && row.encoded[start - 1] == UInt8(ascii: "\"")
      && [UInt8(ascii: "{"), UInt8(ascii: ",")].contains(row.encoded[start - 2])
  }

  /// The name of the member whose value begins at an index; empty where there is none.
  private static func name(before value: Int, in bytes: [UInt8]) -> [UInt8] {
    let end = value - 2
    guard end > 0, bytes[end] == UInt8(ascii: "\"") else { return [] }
    var start = end
    while start > 0 {
      if bytes[start - 1] == UInt8(ascii: "\""), start < 2 || bytes[start - 2] != UInt8(ascii: "\\") { break }
      start -= 1
    }
    return Array(bytes[start..<end])
  }
}

extension [RowKind] {
  mutating func add(_ others: [RowKind]) {
    for kind in others where !contains(kind) { append(kind) }
  }
}
