/// Edits that were answered, until their table has them.
extension Follower {
  /// An edit was answered: its table is asked until it has the edit.
  mutating func look(for edit: EditID, _ cursor: TableCursor?, in address: TableAddress) {
    var table = tables[address] ?? FollowedTable(address)
    if !table.isActive, table.mirror == nil {
      // The cursor alone counts, which one row brings as well as all.
      table.isGlimpse = address.screen?.window == nil
      table.window = address.screen?.window ?? RowWindow(1)
    }
    table.awaited.append(AwaitedEdit(edit: edit, cursor: cursor, answeredBefore: lastRequest))
    tables[address] = table
    if let problem = table.refusal, problem.status != 401 { giveUp(address) } else { confirm(address) }
  }

  /// Tells of the edits that the table now has.
  mutating func confirm(_ address: TableAddress, by request: Int = 0, isWhole: Bool = false) {
    guard let table = tables[address], !table.awaited.isEmpty else { return }
    var left: [AwaitedEdit] = []
    for edit in table.awaited {
      let isAsNew = edit.cursor.map { table.content?.cursor.isAsNew(as: $0) ?? false } ?? false
      if isAsNew || isWhole && request > edit.answeredBefore {
        let isOther = edit.cursor.map { $0.epoch != table.content?.cursor.epoch } ?? false
        actions.append(.confirmed(address, edit.edit, isOther ? .otherEpoch : .shown))
      } else {
        left.append(edit)
      }
    }
    tables[address]?.awaited = left
    guard request > 0 else { return }
    let polls = left.isEmpty ? 0 : table.confirmationPolls + 1
    tables[address]?.confirmationPolls = polls
    // Of another epoch, or not told: only a snapshot that is asked for now can show it.
    if polls > 4 || left.contains(where: { $0.cursor == nil || $0.cursor?.epoch != table.content?.cursor.epoch }) {
      tables[address]?.needsSnapshot = !left.isEmpty
    }
  }

  /// Of a table that isn't shown no edit will be seen.
  mutating func giveUp(_ address: TableAddress) {
    for edit in tables[address]?.awaited ?? [] { actions.append(.confirmed(address, edit.edit, .never)) }
    tables[address]?.awaited = []
  }
}
