import Definitions
import Foundation
import JSON
import TableMapping
import TableModel

/// A mapping's result drawn with lines: sections as boxes, then what has no row, and why.
struct TableDrawing {
  private let width: Int
  private let bold, dim, warn, plain: String
  private var lines: [String] = []

  /// - Parameter width: of the boxes, in columns.
  init(width: Int, inColor: Bool) {
    self.width = max(width, 40)
    (bold, dim, warn, plain) = inColor ? ("\u{1B}[1m", "\u{1B}[2m", "\u{1B}[33m", "\u{1B}[0m") : ("", "", "", "")
  }

  /// - Parameter total: how many rows there are, where not all are drawn.
  mutating func draw(_ result: MappingResult, of total: Int, _ shortfalls: [Shortfall] = []) -> String {
    lines = []
    for section in result.sections { draw(section) }
    if result.sections.isEmpty { lines.append("\(dim)no rows\(plain)") }
    let shown = result.sections.reduce(0) { $0 + $1.rows.count }
    if shown < total { lines.append("\(dim)\(Self.grouped(shown)) of \(Self.grouped(total)) rows\(plain)") }
    if result.omittedSections > 0 {
      let sections = result.omittedSections == 1 ? "1 section" : "\(Self.grouped(result.omittedSections)) sections"
      lines.append("\(dim)\(sections) without rows, not shown\(plain)")
    }
    for shortfall in shortfalls { lines.append("\(warn)! \(TerminalText.oneLine(shortfall.description))\(plain)") }
    if result.isTruncated { lines.append("\(warn)! a source has more items than it may: the rest is cut off\(plain)") }
    for problem in result.problems {
      lines.append("\(warn)! source \(problem.source): \(TerminalText.oneLine(problem.detail))\(plain)")
    }
    for warning in result.warnings { lines.append("\(warn)! \(TerminalText.oneLine("\(warning)"))\(plain)") }
    for item in result.skipped {
      let name = item.id.map { " (\(TerminalText.oneLine($0)))" } ?? ""
      let source = Set(result.skipped.map(\.source)).count > 1 ? " of \(item.source)" : ""
      lines.append("\(warn)✗ item \(item.index)\(source)\(name): \(TerminalText.oneLine(item.reason))\(plain)")
    }
    let more = result.skippedItems - result.skipped.count
    if more > 0 { lines.append("\(warn)✗ … and \(more) more\(plain)") }
    return lines.joined(separator: "\n") + "\n"
  }

  /// As people write it: `1,200`.
  static func grouped(_ number: Int) -> String { number.formatted(.number.locale(Locale(identifier: "en_US"))) }

  private mutating func draw(_ section: Section) {
    let count = section.rows.count == 1 ? "1 row" : "\(section.rows.count) rows"
    let place = "\(TerminalText.oneLine(section.id)) · \(count)"
    let placeWidth = TerminalText.width(place)
    let title = TerminalText.cut(Self.title(section.header?.encoded) ?? "", columns: width - placeWidth - 9)
    let heading = title.isEmpty ? "" : " \(bold)\(title)\(plain) "
    let used = (title.isEmpty ? 0 : TerminalText.width(title) + 2) + placeWidth + 6
    lines.append("┌─\(heading)\(Self.rule(width - used))─ \(dim)\(place)\(plain) ┐")
    for (position, row) in section.rows.enumerated() {
      if position > 0 { lines.append("├\(Self.rule(width - 2))┤") }
      draw(row)
    }
    let footer = section.footer.map { TerminalText.cut(Self.title($0.encoded) ?? "", columns: width - 6) }
    let foot = footer.map { "─ \($0) " } ?? ""
    lines.append("└\(foot)\(Self.rule(width - 2 - TerminalText.width(foot)))┘")
  }

  /// The title, where there is one; then the identity, and the cell with its fallbacks; then the other fields.
  private mutating func draw(_ row: Row) {
    let payload = Self.members(try? JSONValue(parsing: Array(row.encoded[row.cells[0].payload])))
    let title = payload.first { $0.name == "title" }.map { Self.text($0.value) }
    if let title { line(title, style: bold) }
    line("\(row.id) · \(row.cells.map(\.cellIdentifier).joined(separator: " → "))\(Self.permissions(row))", style: dim)
    for member in payload where title == nil || member.name != "title" {
      line("\(member.name): \(Self.text(member.value))", style: "")
    }
    if let select = row.select {
      line("select: \(String(decoding: row.encoded[select], as: UTF8.self))", style: dim)
    }
  }

  private mutating func line(_ text: String, style: String) {
    let text = TerminalText.cut(text, columns: width - 4)
    let space = String(repeating: " ", count: max(width - 4 - TerminalText.width(text), 0))
    lines.append("│ \(style)\(text)\(style.isEmpty ? "" : plain)\(space) │")
  }

  private static func permissions(_ row: Row) -> String {
    let names = [("edit", Permissions.edit), ("move", .move)].filter { row.permissions.contains($0.1) }.map(\.0)
    return names.isEmpty ? "" : " · \(names.joined(separator: ", "))"
  }

  /// Returns the title of a header or footer: the field `title`, else the first that is a text.
  private static func title(_ model: [UInt8]?) -> String? {
    guard let model, let payload = try? JSONValue(parsing: model)["payload"] else { return nil }
    let members = members(payload)
    let member = members.first { $0.name == "title" } ?? members.first
    return member.map { text($0.value) }
  }

  private static func members(_ value: JSONValue?) -> [JSONValue.Member] {
    if case .object(let members)? = value { members } else { [] }
  }

  private static func text(_ value: JSONValue) -> String {
    if case .string(let text) = value { text } else { String(decoding: value.bytes, as: UTF8.self) }
  }

  private static func rule(_ length: Int) -> String { String(repeating: "─", count: max(length, 0)) }
}

extension TableDrawing {
  /// As wide as the terminal; 100 where the output is none.
  static var terminalWidth: Int {
    var size = winsize()
    guard isatty(1) == 1, ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 100 }
    return Int(size.ws_col)
  }
}
