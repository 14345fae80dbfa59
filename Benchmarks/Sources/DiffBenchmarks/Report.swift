/// A Markdown table, printed row by row.
struct Report {
  private let widths: [Int]

  init(_ headings: [String], first: Int = 36) {
    widths = headings.enumerated().map { max($0.offset == 0 ? first : 9, $0.element.count) }
    row(headings)
    print("| " + widths.enumerated().map { Self.rule($0.offset, $0.element) }.joined(separator: " | ") + " |")
  }

  private static func rule(_ column: Int, _ width: Int) -> String {
    column == 0 ? String(repeating: "-", count: width) : String(repeating: "-", count: width - 1) + ":"
  }

  func row(_ cells: [String]) {
    let padded = zip(cells, widths).enumerated().map { column, cell in
      let padding = String(repeating: " ", count: max(0, cell.1 - cell.0.count))
      return column == 0 ? cell.0 + padding : padding + cell.0
    }
    print("| " + padded.joined(separator: " | ") + " |")
  }
}

// Swift's `print` knows no precision, and Foundation is not worth its while here.
func number(_ value: Double, _ digits: Int) -> String {
  var scale = 1.0
  for _ in 0..<digits { scale *= 10 }
  let rounded = Int(value * scale + 0.5)
  guard digits > 0 else { return String(rounded) }
  let fraction = String(rounded % Int(scale))
  return "\(rounded / Int(scale))." + String(repeating: "0", count: digits - fraction.count) + fraction
}
