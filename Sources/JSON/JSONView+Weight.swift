extension JSONView {
  /// How much there is to read of a value: itself with all values and names in it, and the bytes of the strings.
  ///
  /// - Parameter limit: of values and bytes together: what has more is not looked through to its end.
  /// - Complexity: O(limit).
  public func extent(limit: Int) -> (values: Int, bytes: Int) {
    var (values, bytes) = (0, 0)
    var position = index
    while position < next, values + bytes <= limit {
      let view = at(position)
      values += 1
      switch view.tag {
      case TapeTag.string:
        bytes += view.stringAtIndex.count
        position += 1
      case TapeTag.integer, TapeTag.unsigned, TapeTag.double: position += 2
      default: position += 1
      }
    }
    return (values, bytes)
  }

  /// Returns whether both are the same place in the same document. O(1).
  public func isVery(_ other: JSONView) -> Bool { tape == other.tape && index == other.index }
}
