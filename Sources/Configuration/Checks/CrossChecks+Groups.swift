import Definitions
import Expressions
import JSON

extension CrossChecks {
  /// Groups by lists or objects, where it can be known: such an item has no section.
  func warnOfGroups() {
    for table in definition.tables {
      guard case .groups(let groups) = table.sections, let place = reading.groupings[table.name] else { continue }
      let isWhole = wholes(in: table).contains(groups.key.text)
      let known = groups.key.listKind ?? (isWhole ? .object : nil)
      guard let kind = known ?? kindInLocalItems(of: table, groups.key) else { continue }
      let isList = kind == .array
      let list = groups.key.memberPath == nil ? "(\(groups.key.text))" : groups.key.text
      reading.warning(
        at: place,
        "'\(groups.key.text)' is \(isList ? "a list" : "an object"): no section takes such an item",
        isList ? "group by one of its elements: `\(list)[0]`" : "group by one of its members"
      )
    }
  }

  /// Expressions that are an object: the item, what it is found with, and what it came in.
  private func wholes(in table: TableDefinition) -> Set<String> {
    Set(["$item", "$response"] + table.lookups.map { "$\($0.name)" })
  }

  /// Returns the kind of the first local item's value, among items that have one.
  private func kindInLocalItems(of table: TableDefinition, _ key: Expression) -> Value.Kind? {
    guard case .local(let local)? = source(table.source)?.kind else { return nil }
    for item in local.items + [local.defaultItem] {
      var scope = Scope(item: Value(item))
      scope.environment = definition.environment
      guard let kind = (try? key.evaluate(in: scope))?.kind else { continue }
      if kind == .array || kind == .object { return kind }
    }
    return nil
  }
}
