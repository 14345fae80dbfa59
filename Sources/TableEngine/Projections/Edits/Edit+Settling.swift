import Definitions
import TableModel

extension Edit {
  /// Returns the edit that this one comes to for an upstream's items: an item under a chosen identity is added where
  /// there is none.
  func settled(in table: Table, _ content: TableContent, named name: String) throws(TableError) -> Edit {
    guard case .put(let row, let item, let place, let condition) = self else { return self }
    guard content.definition.edits.takesChosenIdentities else {
      throw .namesItsOwn(name, "the request that adds an item, `edits.insert`, doesn't use `$id`")
    }
    guard !content.knows(row, in: table) else {
      if condition == .absent { throw .isThere(row) }
      return self
    }
    try ChosenIdentity.check(row)
    return .insert(item: item, place)
  }
}
