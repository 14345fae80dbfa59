import JSON
import TableModel

/// The effect that the table shows of an edit that the upstream has accepted.
enum AppliedEdit {
  /// It shows the edit; with the identity of its row.
  case shown(row: String?)
  /// The answer does not say what came of it: only a fetch can tell.
  case awaitsRefresh(row: String?)

  var isShown: Bool { if case .shown = self { true } else { false } }

  /// The same where a fetch has told already.
  var awaitingRefresh: AppliedEdit {
    switch self {
    case .shown(let row), .awaitsRefresh(let row): .awaitsRefresh(row: row)
    }
  }
}
