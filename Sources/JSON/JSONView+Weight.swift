extension JSONView {
  /// How long the value would be as text, about: a byte for each value and name, and the bytes of strings.
  ///
  /// Complexity: O(limit): what is heavier is not looked through to its end.
  public func weight(limit: Int) -> Int {
    var sum = 0
    var position = index
    while position < next, sum <= limit {
      let view = at(position)
      sum += 1
      switch view.tag {
      case TapeTag.string:
        sum += view.stringAtIndex.count
        position += 1
      case TapeTag.integer, TapeTag.unsigned, TapeTag.double: position += 2
      default: position += 1
      }
    }
    return sum
  }
}
