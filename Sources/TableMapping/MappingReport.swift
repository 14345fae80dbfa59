internal import TableModel

/// The items that did not get into a table, and why; the first of each kind.
struct MappingReport {
  private(set) var skippedItems = 0
  private(set) var skipped: [SkippedItem] = []
  private(set) var warnings: [String] = []

  init(_ warnings: [String]) {
    for warning in warnings { warn(warning) }
  }

  /// The same of many items is said once.
  mutating func warn(_ warning: String) {
    guard warnings.count < MappingResult.maximumKept, !warnings.contains(warning) else { return }
    warnings.append(warning)
  }

  mutating func skip(_ source: String, at index: Int, _ skip: MappedItem.Skip) {
    skippedItems += 1
    guard skipped.count < MappingResult.maximumKept else { return }
    skipped.append(SkippedItem(skip, of: source, at: index))
  }

  mutating func skipDuplicate(_ source: String, at index: Int, _ row: Row) {
    let reason = "another row has the identity “\(row.id)”; `row.id` must differ from item to item"
    skip(source, at: index, MappedItem.Skip(id: row.id, reason: reason))
  }
}
