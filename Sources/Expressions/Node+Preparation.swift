extension Node {
  /// The same, with marks on what need not be found anew for each item of a source, or for each element of a list.
  ///
  /// - Parameter isInList: it is evaluated for the elements of a list.
  func prepared(isInList: Bool = false) -> Node {
    if isSharable, !isPath { return .shared(SharedNode(self)) }
    switch self {
    case .path(let path):
      return isInList && path.root == .names ? .repeated(CompiledPath(path)) : self
    case .has(let path): return isInList && path.root == .names ? .hasRepeated(CompiledPath(path)) : self
    case .literal, .repeated, .hasRepeated, .shared: return self
    case .member(let base, let key): return .member(base.prepared(isInList: isInList), key)
    case .element(let base, let position):
      return .element(base.prepared(isInList: isInList), position.prepared(isInList: isInList))
    case .list(let nodes): return .list(nodes.map { $0.prepared(isInList: isInList) })
    case .not(let operand): return .not(operand.prepared(isInList: isInList))
    case .negative(let operand): return .negative(operand.prepared(isInList: isInList))
    case .binary(let operation, let left, let right):
      let container = operation == .isIn ? right.asContainer(isInList) : right.prepared(isInList: isInList)
      return .binary(operation, left.prepared(isInList: isInList), container)
    case .and(let left, let right):
      return .and(left.prepared(isInList: isInList), right.prepared(isInList: isInList))
    case .or(let left, let right): return .or(left.prepared(isInList: isInList), right.prepared(isInList: isInList))
    case .coalesce(let left, let right):
      return .coalesce(left.prepared(isInList: isInList), right.prepared(isInList: isInList))
    case .conditional(let condition, let yes, let no):
      return .conditional(
        condition.prepared(isInList: isInList),
        yes.prepared(isInList: isInList),
        no.prepared(isInList: isInList)
      )
    case .filter(let filter, let input, let arguments):
      let isContainer = filter.name == "contains"
      return .filter(
        filter,
        isContainer ? input.asContainer(isInList) : input.prepared(isInList: isInList),
        arguments.enumerated().map { position, argument in
          argument.prepared(isInList: isInList || filter.isForEachElement(argument: position))
        }
      )
    }
  }

  /// Prepares a container: a path into one is worth remembering, too.
  private func asContainer(_ isInList: Bool) -> Node {
    isSharable ? .shared(SharedNode(self)) : prepared(isInList: isInList)
  }

  private var isPath: Bool { if case .path = self { true } else { false } }

  /// True if the node has one value for all items of a source, and reads their responses. Other constants are quickly
  /// made.
  private var isSharable: Bool {
    !dependencies.isDisjoint(with: [.response, .pages]) && isIndependent(isInList: false)
  }

  /// Returns whether the node reads nothing of what is in scope for an item.
  ///
  /// - Parameter isInList: `$item` and `$index` are those of a list that is independent itself. Names may be the item's yet.
  private func isIndependent(isInList: Bool) -> Bool {
    switch self {
    case .path(let path), .has(let path):
      switch path.root {
      case .response, .pages, .parameters, .environment, .locale, .caller: true
      case .item, .index: isInList
      case .names, .key, .count, .items, .id, .edit, .status, .cursor, .since, .parent, .lookup: false
      }
    case .filter(let filter, let input, let arguments):
      input.isIndependent(isInList: isInList)
        && arguments.enumerated().allSatisfy { position, argument in
          argument.isIndependent(isInList: isInList || filter.isForEachElement(argument: position))
        }
    case .repeated, .hasRepeated: false
    case .literal, .member, .element, .list, .not, .negative, .binary, .and, .or, .coalesce, .conditional, .shared:
      children.allSatisfy { $0.isIndependent(isInList: isInList) }
    }
  }
}
