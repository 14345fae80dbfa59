import TableModel

extension Table {
  /// Whether two tables are the same to a client that sees the first rows of them: what lies beyond counts for nothing, nor
  /// do how many rows and omitted sections there are in all. O(rows of the window), less where sections are shared.
  static func samePrefix(_ first: Table, _ second: Table, rows: WindowSize) -> Bool {
    guard
      first.title == second.title, first.state == second.state, first.problem == second.problem,
      first.animation == second.animation
    else { return false }
    let (old, new) = (first.windowed(rows).sections, second.windowed(rows).sections)
    guard old.count == new.count else { return false }
    return zip(old, new).allSatisfy { old, new in
      old === new || old.id == new.id && Section.sameFrame(old, new) && Section.sameRows(old, new)
    }
  }
}
