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

/// How many groups have a number, a boolean or something else for their value; those without a value are not counted.
public struct GroupKinds: Sendable {
  public var numbers = 0
  public var booleans = 0
  public var others = 0

  /// Returns whether there are some, and all have a number, or all a boolean.
  public func areAll(numbers areNumbers: Bool) -> Bool {
    others == 0 && (areNumbers ? numbers > 0 && booleans == 0 : booleans > 0 && numbers == 0)
  }
}

extension MappingResult {
  /// The kinds of the groups that have rows; nil where they are not known. O(sections), without a look at their items.
  public var groupKinds: GroupKinds? {
    layout.map { layout in
      layout.sections.reduce(into: GroupKinds()) { kinds, section in
        guard !section.rows.isEmpty else { return }
        // The items of a declared group tell its value.
        let item = section.isDeclared ? section.first.flatMap { layout.item(of: $0) } : nil
        switch section.isDeclared ? item?.mapped.details?.group?.key ?? .none : section.key {
        case .none: break
        case .integer, .unsigned, .number: kinds.numbers += 1
        case .bool: kinds.booleans += 1
        default: kinds.others += 1
        }
      }
    }
  }
}
