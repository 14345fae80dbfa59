/// A position in the text: line and column from 1, the column in Unicode scalars (as libyaml counts them).
struct TextPosition: Hashable, Sendable {
  var line: Int
  var column: Int

  static let start = TextPosition(line: 1, column: 1)
}

extension TextPosition: Comparable {
  static func < (first: TextPosition, second: TextPosition) -> Bool {
    (first.line, first.column) < (second.line, second.column)
  }
}

/// A value and where it was written.
struct Located<Value> {
  var value: Value
  var place: TextPosition
}

extension Located: Sendable where Value: Sendable {}
extension Located: Equatable where Value: Equatable {}
