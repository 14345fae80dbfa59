public import TableModel

extension Row {
  /// Whether the row's expandable field is on; nil: its cell does not expand. O(1).
  public var isExpanded: Bool? {
    expansion.map { encoded[$0.lowerBound] == UInt8(ascii: "t") }
  }

  /// The row with its expandable field flipped, for a view or for a tap that all share; itself where the cell does
  /// not expand. The fallbacks stay as they are: they are other cells. O(bytes).
  public func toggled() -> Row {
    isExpanded.map { expanded(!$0) } ?? self
  }

  /// The row with its expandable field set; itself where the field is so already, or the cell does not expand.
  /// O(bytes).
  public func expanded(_ isExpanded: Bool) -> Row {
    guard let expansion, self.isExpanded != isExpanded else { return self }
    let literal = Array((isExpanded ? "true" : "false").utf8)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(encoded.count + 1)
    bytes += encoded[..<expansion.lowerBound]
    bytes += literal
    bytes += encoded[expansion.upperBound...]
    let growth = literal.count - expansion.count
    return Row(
      id: id,
      encoded: bytes,
      cells: cells.map { $0.shifted(by: growth, after: expansion) },
      permissions: permissions,
      select: select?.shifted(by: growth, after: expansion),
      expansion: expansion.lowerBound..<expansion.upperBound + growth
    )
  }
}

extension CellPart {
  fileprivate func shifted(by growth: Int, after edit: Range<Int>) -> CellPart {
    CellPart(cellIdentifier: cellIdentifier, payload: payload.shifted(by: growth, after: edit))
  }
}

extension Range<Int> {
  /// Where the range stands after the bytes of `edit`, which lie in it, before it or after it, grew.
  fileprivate func shifted(by growth: Int, after edit: Range<Int>) -> Range<Int> {
    let start = lowerBound >= edit.upperBound ? lowerBound + growth : lowerBound
    return start..<(upperBound >= edit.upperBound ? upperBound + growth : upperBound)
  }
}
