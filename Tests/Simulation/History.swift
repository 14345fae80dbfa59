/// What has happened, in words: the last of it is shown where something is wrong.
final class History {
  private struct Line {
    var step: Int
    var time: UInt64
    /// A table, or what else it is about.
    var subject: String
    var text: String
  }
  private var lines: [Line] = []
  static let length = 4_000
  /// Everything is printed as it happens.
  var isLoud = false

  func note(_ world: World, _ subject: String, _ text: @autoclosure () -> String) {
    let line = Line(step: world.steps, time: world.now, subject: subject, text: text())
    if isLoud { print(words(line)) }
    lines.append(line)
    if lines.count > 2 * Self.length { lines.removeFirst(Self.length) }
  }

  private func words(_ line: Line) -> String {
    let milliseconds = (line.time - 1_000_000_000_000) / 1_000_000
    return "  \(line.step)  \(milliseconds) ms  \(line.subject)  \(line.text)"
  }

  /// The last lines about some things, and about the service.
  func tail(about subjects: Set<String>, _ count: Int = 60) -> [String] {
    lines.filter { subjects.isEmpty || subjects.contains($0.subject) || $0.subject == "service" }.suffix(count).map(
      words
    )
  }
}
