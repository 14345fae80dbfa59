public import TableModel

extension Row {
  /// Returns whether the row offers its reader an edit or a move. O(1).
  public var offersEdits: Bool { !permissions.isDisjoint(with: [.edit, .move]) }

  /// The row for a caller who may not edit its table: `can.edit` and `can.move` are false. Itself where they are so already.
  ///
  /// - Complexity: O(bytes); O(1) where it offers no edit.
  public func readOnly() -> Row {
    guard offersEdits, let can = encodedPermissions else { return self }
    let kept = permissions.intersection(.select)
    return replacing([can], by: RowBuilder.encoded(kept), kept)
  }

  /// The place of the object after `"can":`, which follows the first payload. O(1).
  private var encodedPermissions: Range<Int>? {
    let name = Self.permissionsName
    let start = cells[0].payload.upperBound + name.utf8CodeUnitCount
    let end = start + RowBuilder.encoded(permissions).utf8CodeUnitCount
    guard end < encoded.count else { return nil }
    let isThere = name.withUTF8Buffer { encoded[(start - $0.count)..<start].elementsEqual($0) }
    return isThere ? start..<end : nil
  }

  private static let permissionsName: StaticString = #","can":"#
}
