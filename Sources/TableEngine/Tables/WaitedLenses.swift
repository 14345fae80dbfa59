import TableModel

/// The windows that somebody waits with.
struct WaitedLenses {
  private(set) var counts: [WindowRange?: Int] = [:]

  var windows: [WindowRange] { counts.keys.compactMap { $0 } }

  mutating func begin(_ rows: WindowRange?) { counts[rows, default: 0] += 1 }

  mutating func end(_ rows: WindowRange?) {
    guard let count = counts[rows] else { return }
    counts[rows] = count > 1 ? count - 1 : nil
  }
}
