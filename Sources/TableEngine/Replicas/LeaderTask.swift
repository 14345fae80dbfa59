/// A task that only the leader can do, as others ask it to.
enum LeaderTask: Sendable {
  /// Fetch the sources of a table, or the one source of that name where no table has it.
  case refresh(String)
  /// Fetch the source of a name that is a table's, too.
  case refreshSource(String)
  /// Show what an upstream has accepted.
  case show(HandedEdit)
  /// Have a stored version of a table, in each language, show the items as they are; a member of a family is asked for from now on.
  case showItems(String)
  /// Have the sources of a table have answered, so that it is known which rows there are.
  case knowRows(String)

  /// The result, when everything that it changes is stored: of an edit, the row's identity, where the upstream has said
  /// it.
  typealias Outcome = Result<String?, TableError>

  /// As it is said: the signal's name, and what follows the question's identity.
  var words: (signal: String, text: String) {
    switch self {
    case .refresh(let name): return ("refresh", name)
    case .refreshSource(let name): return ("source", name)
    case .showItems(let name): return ("items", name)
    case .knowRows(let name): return ("rows", name)
    case .show(let edit):
      // An edit that is too long to be told is found by fetching.
      guard let text = edit.text else { return ("refresh", edit.table) }
      return ("show", text)
    }
  }

  init?(_ signal: String, _ text: Substring) {
    switch signal {
    case "refresh": self = .refresh(String(text))
    case "source": self = .refreshSource(String(text))
    case "items": self = .showItems(String(text))
    case "rows": self = .knowRows(String(text))
    default:
      guard let edit = HandedEdit(text) else { return nil }
      self = .show(edit)
    }
  }
}

/// A task that another replica was asked for and has not answered yet.
struct AwaitedTask: Sendable {
  var task: LeaderTask
  var completion: @Sendable (LeaderTask.Outcome) -> Void
}
