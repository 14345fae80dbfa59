public import TableModel

extension Row {
  /// The row's expandable field; nil: its cell does not expand. O(1).
  public var isExpanded: Bool? {
    expansion.map { encoded[$0.lowerBound] == UInt8(ascii: "t") }
  }

  /// The row with its expandable field flipped, for a view or for a tap that all share; itself where the cell does
  /// not expand. O(bytes).
  public func toggled() -> Row {
    isExpanded.map { expanded(!$0) } ?? self
  }

  /// The row with its expandable field set, and those of the same name in its fallbacks, which took it over; itself
  /// where the field is so already, or the cell does not expand. O(bytes).
  public func expanded(_ isExpanded: Bool) -> Row {
    guard let expansion, self.isExpanded != isExpanded else { return self }
    let places = [expansion] + cells.dropFirst().compactMap { self.expansion(in: encoded, $0.payload) }
    return replacing(places, by: isExpanded ? "true" : "false", permissions)
  }

  /// The row with a text in these places of its encoding, in their order; what is behind them moves. O(bytes).
  func replacing(_ places: [Range<Int>], by text: StaticString, _ permissions: Permissions) -> Row {
    let length = text.utf8CodeUnitCount
    var bytes: [UInt8] = []
    bytes.reserveCapacity(places.reduce(encoded.count) { $0 + length - $1.count })
    var position = 0
    for place in places {
      bytes += encoded[position..<place.lowerBound]
      text.withUTF8Buffer { bytes += $0 }
      position = place.upperBound
    }
    bytes += encoded[position...]
    func moved(_ offset: Int) -> Int {
      places.reduce(offset) { $1.upperBound <= offset ? $0 + length - $1.count : $0 }
    }
    func moved(_ range: Range<Int>) -> Range<Int> { moved(range.lowerBound)..<moved(range.upperBound) }
    return Row(
      id: id,
      encoded: bytes,
      cells: cells.moved { moved($0) },
      permissions: permissions,
      select: select.map { moved($0) },
      expansion: expansion.map { moved($0) },
      findable: findable
    )
  }
}
