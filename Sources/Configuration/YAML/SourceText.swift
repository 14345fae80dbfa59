/// The configuration's text by lines, to find again what a diagnostic points at.
struct SourceText: Sendable {
  let lines: [[Unicode.Scalar]]

  init(_ text: String) {
    var lines: [[Unicode.Scalar]] = []
    var line: [Unicode.Scalar] = []
    var previous: Unicode.Scalar?
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\n":
        if previous != "\r" { lines.append(line) }
        line = []
      case "\r":
        lines.append(line)
        line = []
      default: line.append(scalar)
      }
      if scalar == "\n", previous == "\r" { line = [] }
      previous = scalar
    }
    lines.append(line)
    self.lines = lines
  }

  /// The characters of a line from a place on; empty outside the text.
  func rest(from place: TextPosition) -> ArraySlice<Unicode.Scalar> {
    guard lines.indices.contains(place.line - 1) else { return [] }
    return lines[place.line - 1].dropFirst(max(0, place.column - 1))
  }

  /// The end of the text for what lies behind it.
  func clamped(_ place: TextPosition) -> TextPosition {
    guard place.line > lines.count, let last = lines.last else { return place }
    return TextPosition(line: lines.count, column: last.count + 1)
  }

  /// Returns whether the text stands at the place as it is.
  func stands(_ text: String, at place: TextPosition) -> Bool {
    let rest = rest(from: place)
    let expected = text.unicodeScalars
    return rest.count >= expected.count && zip(rest, expected).allSatisfy(==)
  }
}
