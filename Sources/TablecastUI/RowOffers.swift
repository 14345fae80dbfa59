public import TablecastClient

/// What a row offers: its actions and, where it may be edited, its deletion. One list for swipes and menus.
struct RowOffer {
  let title: String
  let isDestructive: Bool
  let perform: @MainActor () -> Void

  /// Deletion first, as a full swipe does what comes first.
  @MainActor
  static func all<Cell: CellModel>(_ row: TableRow, of table: LiveTable<Cell>, texts: TableTexts) -> [RowOffer] {
    let actions = row.actions.map { action in
      RowOffer(title: action.title, isDestructive: action.isDestructive) {
        table.act(action.id, on: row.id)
      }
    }
    guard row.can.edit else { return actions }
    return [RowOffer(title: texts.delete, isDestructive: true) { table.delete(row.id) }] + actions
  }
}

extension LiveTable {
  /// Fetches the sources, and waits until that is done, refused, or delayed because there is no connection. (A spinner
  /// that waited longer could turn for hours.)
  public func refreshOnce() async {
    var wasSent = false
    for await state in refresh().states {
      if state.isOver || wasSent && state == .local { return }
      wasSent = wasSent || state == .sent
    }
  }
}
