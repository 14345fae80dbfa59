public import TableModel

extension Row {
  /// The same row under another identity: for an item that stands in several sections. O(bytes).
  public func renamed(_ id: String) -> Row {
    let opening = Array("{\"id\":".utf8)
    let (old, new) = (JSONText.encoded(self.id), JSONText.encoded(id))
    let growth = new.count - old.count
    let moved = { (range: Range<Int>) in range.lowerBound + growth..<range.upperBound + growth }
    return Row(
      id: id,
      encoded: opening + new + encoded[(opening.count + old.count)...],
      cells: cells.moved(moved),
      permissions: permissions,
      select: select.map(moved),
      expansion: expansion.map(moved),
      findable: findable
    )
  }
}
