import TableModel
import TableStore

extension StoredView {
  /// One in which nothing was tapped yet.
  init(table: Epoch, name: String, holder: ViewHolder) {
    self.init(
      table: table,
      name: name,
      holder: holder.rawValue,
      incarnation: .random(in: .min ... .max),
      taps: 0,
      oldestTap: 0,
      toggles: []
    )
  }

  private var history: TapHistory<String> {
    TapHistory(
      taps: taps,
      oldestTap: oldestTap,
      toggles: toggles.map { TapHistory.Toggle(row: $0.row, from: $0.from, until: $0.until) }
    )
  }

  /// The view with what a change makes of its past. One whose taps are used up begins anew.
  func changed(_ change: (inout TapHistory<String>) -> Void) -> StoredView {
    guard !history.isUsedUp else {
      return StoredView(table: table, name: name, holder: ViewHolder(rawValue: holder)).changed(change)
    }
    var history = history
    change(&history)
    return StoredView(
      table: table,
      name: name,
      holder: holder,
      incarnation: incarnation,
      taps: history.taps,
      oldestTap: history.oldestTap,
      toggles: history.toggles.map { Toggle(row: $0.row, from: $0.from, until: $0.until) }
    )
  }

  /// As this process knows it.
  var state: ViewState {
    let toggles = toggles.map { toggle in
      TapHistory<UInt64>.Toggle(row: Fingerprint(of: toggle.row).rawValue, from: toggle.from, until: toggle.until)
    }
    return ViewState(incarnation: incarnation, TapHistory(taps: taps, oldestTap: oldestTap, toggles: toggles))
  }
}
