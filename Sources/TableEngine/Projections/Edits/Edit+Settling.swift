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
    // One that is another caller's is not there, and what is called so can't be added: there is one.
    let source = place.source(in: content) ?? content.definition.source
    guard !(content.isOfCallers && content.isTakenByOthers(row, at: source)) else {
      throw content.missing(row, in: table)
    }
    try ChosenIdentity.check(row)
    return .insert(item: item, place)
  }
}
