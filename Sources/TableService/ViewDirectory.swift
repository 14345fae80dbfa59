import Definitions
import Dispatch
import HTTPServer
import TableModel
import TableStore

/// The views of all tables, in the service's terms: where a view stands, and what a cursor of it names.
final class ViewDirectory: Sendable {
  struct Standing {
    var cursor: Cursor
    var point: ViewPoint
  }

  /// What a cursor names that is not one of the table's own.
  enum Origin {
    case point(version: UInt64, ViewPoint)
    case expired, ahead, unknown
  }

  private let views: Views

  init(_ definition: ViewsDefinition) {
    views = Views(
      maximum: definition.maximum,
      idle: definition.idle,
      now: { Int64(DispatchTime.now().uptimeNanoseconds / 1_000_000_000) }
    )
  }

  /// What polls of a view are woken by when it is tapped, whatever its table.
  func topic(view: String) -> Topic { Topic(rawValue: Fingerprint(of: "view \(view)").rawValue) }

  /// Where a view is at a version of its table; nil where nothing was ever tapped in it. O(toggles).
  func standing(view: String, table: Epoch, version: UInt64) -> Standing? {
    views.state(of: view, table: table).map {
      Standing(cursor: $0.cursor(for: version), point: ViewPoint(toggled: $0.toggled(at: $0.taps)))
    }
  }

  func origin(of cursor: Cursor, view: String, table: Epoch) -> Origin {
    guard let state = views.state(of: view, table: table) else { return .unknown }
    switch state.lookup(cursor, table: table) {
    case .state(let version, let tap): return .point(version: version, ViewPoint(toggled: state.toggled(at: tap)))
    case .expired: return .expired
    case .ahead: return .ahead
    case .epoch: return .unknown
    }
  }

  /// The version of a table that a cursor of one of its views, whichever that is, names. O(views).
  func version(of cursor: Cursor, table: Epoch) -> UInt64? { views.version(of: cursor, table: table) }

  /// Toggles a row for a view.
  func tap(_ row: Fingerprint, view: String, table: Epoch) { _ = views.tap(view, table: table, row: row) }
}
