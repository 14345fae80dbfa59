import Definitions
import Dispatch
import TableModel

/// The views of all tables, by the clock of this machine.
final class ViewDirectory: Sendable {
  private let views: Views
  private let salt = UInt64.random(in: .min ... .max)

  init(_ definition: ViewsDefinition) {
    views = Views(
      maximum: definition.maximum,
      idle: definition.idle,
      now: { Int64(DispatchTime.now().uptimeNanoseconds / 1_000_000_000) }
    )
  }

  /// How many there are.
  var count: Int { views.count }

  /// What polls of a view are woken by when it is tapped, whatever its table.
  func topic(view: String) -> ChangeTopic {
    ChangeTopic(rawValue: Fingerprint(of: "view \(view)").rawValue ^ salt)
  }

  /// A view of a table as it is now; nil where nothing was ever tapped in it. O(toggles).
  func state(of view: String, table: Epoch) -> ViewState? { views.state(of: view, table: table) }

  /// Toggles a row for a view. Returns the view after the tap.
  func tap(_ row: Fingerprint, view: String, table: Epoch) -> ViewState { views.tap(view, table: table, row: row) }

  /// Takes over what another replica has counted.
  func follow(_ tap: ViewTap, table: Epoch) { views.follow(tap, table: table) }
}
