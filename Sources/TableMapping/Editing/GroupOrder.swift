internal import Definitions

/// How groups stand: by their keys where they are sorted, else where their first items do.
struct GroupOrder {
  private let direction: SortDirection?

  init(_ direction: SortDirection?) { self.direction = direction }

  /// - Parameter rank: of the first item.
  func precedes(_ first: (key: SortKey, rank: Int64), _ second: (key: SortKey, rank: Int64)) -> Bool {
    let order = direction.map { first.key.compared(with: second.key, descending: $0 == .descending) } ?? 0
    return order == 0 ? first.rank < second.rank : order < 0
  }
}

extension MappingResult {
  /// Returns whether all groups that have a value have a number, or all a boolean; false where there are none.
  /// O(sections), without a look at their items.
  ///
  /// - Returns: nil where it is not known.
  public func groupsAre(numbers: Bool) -> Bool? {
    guard let layout else { return nil }
    var hasSome = false
    for section in layout.sections where !section.rows.isEmpty {
      // The items of a declared group tell its value.
      let item = section.isDeclared ? section.first.flatMap { layout.item(of: $0) } : nil
      switch section.isDeclared ? item?.mapped.details?.group?.key ?? .none : section.key {
      case .none: continue
      case .integer, .unsigned, .number:
        guard numbers else { return false }
      case .bool:
        guard !numbers else { return false }
      default: return false
      }
      hasSome = true
    }
    return hasSome
  }
}
