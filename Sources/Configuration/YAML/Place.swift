/// A position in the text: line and column from 1, the column in Unicode scalars (as libyaml counts them).
struct Place: Hashable, Sendable {
  var line: Int
  var column: Int

  static let start = Place(line: 1, column: 1)
}

extension Place: Comparable {
  static func < (first: Place, second: Place) -> Bool {
    (first.line, first.column) < (second.line, second.column)
  }
}

/// A value and where it was written.
struct Located<Value> {
  var value: Value
  var place: Place
}

extension Located: Sendable where Value: Sendable {}
extension Located: Equatable where Value: Equatable {}
