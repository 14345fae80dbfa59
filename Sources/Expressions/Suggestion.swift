/// The known name that was probably meant.
enum Suggestion {
  static let roots = (Path.Root.named.map { "$\($0.name)" } + ["env.NAME"]).joined(separator: ", ")

  /// The nearest by edits (insert, delete, replace, exchange of neighbours), nil where none is near.
  static func nearest(to name: String, in known: [String]) -> String? {
    let limit = max(1, name.count / 3)
    let candidates = known.map { (name: $0, distance: distance(name.lowercased(), $0.lowercased())) }
    guard let best = candidates.min(by: { $0.distance < $1.distance }), best.distance <= limit else { return nil }
    return best.name
  }

  private static func distance(_ left: String, _ right: String) -> Int {
    let (left, right) = (Array(left.unicodeScalars.prefix(64)), Array(right.unicodeScalars))
    var rows = [Array(0...right.count)]
    for i in 0..<left.count {
      var row = [i + 1]
      for j in 0..<right.count {
        var best = min(rows[i][j + 1] + 1, row[j] + 1, rows[i][j] + (left[i] == right[j] ? 0 : 1))
        if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] { best = min(best, rows[i - 1][j - 1] + 1) }
        row.append(best)
      }
      rows.append(row)
    }
    return rows[left.count][right.count]
  }
}
