@testable import TablecastClient

/// Tables that change at random, as a service's do.
struct RandomTable {
  private var random: SplitMix64
  private(set) var sections: [TableSection] = []
  private var lastRow = 0

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  private mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }

  mutating func chance(_ one: Int) -> Bool { number(0..<one) == 0 }

  /// Of two kinds; now and then its title is no text, and it has a fallback.
  static func row(_ id: Int, _ text: Int) -> TableRow {
    let cell = text % 5 == 0 ? "Other" : "Label"
    let title = text % 7 == 3 ? "\(text)" : "\"\(text)\""
    let fallback = text % 7 == 3 ? ",\"fallback\":{\"cellIdentifier\":\"Other\",\"payload\":{}}" : ""
    let json = "{\"id\":\"\(id)\",\"cellIdentifier\":\"\(cell)\",\"payload\":{\"title\":\(title)}\(fallback)}"
    guard let text = try? JSONText(json), let row = try? TableRow(text) else { preconditionFailure(json) }
    return row
  }

  private mutating func newRow() -> TableRow {
    lastRow += 1
    return Self.row(lastRow, number(0..<1000))
  }

  private mutating func newSection() -> TableSection {
    let count = number(0..<4)
    let rows = (0..<count).map { _ in newRow() }
    var section = TableSection(id: "s\(number(0..<12))")
    section.rows = TableRows(rows)
    return section
  }

  /// Does up to six things.
  mutating func change() {
    for _ in 0..<number(1..<7) { changeOnce() }
  }

  private mutating func changeOnce() {
    switch number(0..<10) {
    case 0:
      let section = newSection()
      guard !sections.contains(where: { $0.id == section.id }) else { return }
      sections.insert(section, at: number(0..<sections.count + 1))
    case 1:
      guard !sections.isEmpty, chance(2) else { return }
      sections.remove(at: number(0..<sections.count))
    case 2:
      guard sections.count > 1 else { return }
      let section = sections.remove(at: number(0..<sections.count))
      sections.insert(section, at: number(0..<sections.count + 1))
    case 3, 4:
      guard !sections.isEmpty else { return }
      let section = number(0..<sections.count)
      let row = newRow()
      sections[section].rows.insert(row, at: number(0..<sections[section].rows.count + 1))
    case 5: _ = removeRow()
    case 6, 7:
      guard let row = removeRow() else { return }
      let section = number(0..<sections.count)
      sections[section].rows.insert(row, at: number(0..<sections[section].rows.count + 1))
    case 8:
      guard !sections.isEmpty else { return }
      let section = number(0..<sections.count)
      sections[section].header = RandomTable.row(0, number(0..<1000)).json
    default:
      guard let row = removeRow(), let id = Int(row.id) else { return }
      let section = number(0..<sections.count)
      let new = Self.row(id, number(0..<1000))
      sections[section].rows.insert(new, at: number(0..<sections[section].rows.count + 1))
    }
  }

  /// Has one row more.
  mutating func grow() {
    if sections.isEmpty { sections.append(TableSection(id: "s0")) }
    sections[0].rows.append(newRow())
  }

  private mutating func removeRow() -> TableRow? {
    let filled = sections.indices.filter { !sections[$0].rows.isEmpty }
    guard !filled.isEmpty else { return nil }
    let section = filled[number(0..<filled.count)]
    return sections[section].rows.remove(at: number(0..<sections[section].rows.count))
  }
}
