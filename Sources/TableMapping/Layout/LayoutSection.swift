internal import TableModel

/// A section as it was laid out.
struct LayoutSection: Sendable {
  let id: String
  /// The value of `$key` in its header.
  var key: SortKey
  let plan: SectionPlan
  let arrangement: Arrangement
  /// The table's definition names it: it is there without rows too.
  let isDeclared: Bool
  /// In their order; those that a limit keeps out of sight too.
  var rows: RowList
  /// The same in the order of their items, where that is another one and matters: the first of a group decides where
  /// it stands and what its header sees as `$key`.
  var unsortedRows: RowList?
  /// Nil: it is left out.
  var shown: Section?
  /// The cost of its header and footer, in steps; nil: more than they may.
  var modelWork: Int? = 0

  init(_ section: ArrangedSection, shown: Section?) {
    (id, key, plan, arrangement) = (section.id, section.key, section.plan, section.arrangement)
    (isDeclared, modelWork) = (section.isDeclared, section.modelWork)
    self.shown = shown
    if let shown, shown.rows.count == section.sorted.count { rows = shown.rows } else { rows = RowList(section.sorted) }
    unsortedRows = section.isDeclared || section.plan.sort.isEmpty ? nil : RowList(section.unsortedRows)
  }

  /// A group whose first row has come.
  init(_ group: MappedItem.GroupKey, plan: SectionPlan, _ arrangement: Arrangement) {
    (id, key, self.plan, self.arrangement) = (group.id, group.key, plan, arrangement)
    (isDeclared, rows, unsortedRows) = (false, [], plan.sort.isEmpty ? nil : [])
  }

  /// Takes over a list of rows that was made of this section's: the same rows, but for a few that were toggled. False
  /// where it is another one.
  mutating func goOn(from other: Section) -> Bool {
    guard let own = shown, own.rows.count == other.rows.count, !own.rows.isVery(other.rows) else { return false }
    var list = other.rows
    var left = Self.maximumToggles
    while let place = RowList.firstDifference(list, own.rows) {
      guard left > 0, place < list.count else { return false }
      list = list.replacing(place, with: own.rows[place])
      left -= 1
    }
    shown = Section(id: own.id, header: own.header, footer: own.footer, rows: list)
    rows = rows.count == list.count ? list : rows.replacing(0..<list.count, with: list)
    return true
  }

  private static let maximumToggles = 256

  /// The first in the order of the items.
  var first: Row? { (unsortedRows ?? rows).first }

  /// The rows that are shown.
  var visible: RowList { arrangement.limit.map { rows.first(max(0, $0)) } ?? rows }
}
