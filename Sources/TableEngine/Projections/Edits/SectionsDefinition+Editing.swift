import Definitions
import FieldValues
import TableMapping
import TableModel

extension SectionsDefinition {
  /// Refuses a section that can't be. Of groups any can: an item makes it.
  func check(_ named: String, in table: Table) throws(TableError) {
    if case .groups = self { return }
    guard declaredIDs.contains(where: { $0.isExactly(named) }) else {
      throw .unprocessable(
        "There is no section `\(named)`: \(declaredIDs.map { "`\($0)`" }.joined(separator: ", ")) are.",
        field: "section"
      )
    }
  }

  /// The section that a place without one is in: that of the row that moves, else the only one.
  func unnamed(moving row: String?, in table: Table) throws(TableError) -> String {
    if let row, let path = table.indexPath(of: row) { return table.sections[path.section].id }
    let declared = declaredIDs
    if declared.count == 1 { return declared[0] }
    if table.sections.count == 1 { return table.sections[0].id }
    throw .malformed("`at` counts in a section: say which, by `section`.", field: "section")
  }

  /// The sections that are always known; empty for groups.
  var declaredIDs: [String] {
    switch self {
    case .single(let section): [section.id]
    case .list(let sections, _): sections.map(\.id)
    case .groups: []
    }
  }
}
