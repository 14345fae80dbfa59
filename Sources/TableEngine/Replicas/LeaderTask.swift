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
  /// Say whether an identity is free that a caller has chosen for an item of a source: of items that others' rows are made of the one that
  /// asks knows nothing.
  case findFree(String, source: String, identity: String)
  /// Say whether there is such a table, and whether a source of that name feeds it, where one is named. Replicas with
  /// another configuration ask this.
  case findTable(String, source: String?)

  /// The result, when everything that it changes is stored: of an edit, the row's identity, where the upstream has said
  /// it; ``lacking`` of a table that is not there, and of an identity that is taken.
  typealias Outcome = Result<String?, TableError>

  static let lacking = "-"
  /// No source: a name never has this character.
  private static let anySource = "*"

  /// As it is said: the signal's name, and what follows the question's identity.
  var words: (signal: String, text: String) {
    switch self {
    case .refresh(let name): return ("refresh", name)
    case .refreshSource(let name): return ("source", name)
    case .showItems(let name): return ("items", name)
    case .knowRows(let name): return ("rows", name)
    // A leader of an older release finds no table of this name, and can't tell.
    case .findFree(let name, let source, let identity): return ("rows", "\(name) \(source) \(identity)")
    // A leader of an older release finds no table of this name, and says that it is shown. Neither name has a blank.
    case .findTable(let name, let source): return ("items", "\(name) \(source ?? Self.anySource)")
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
    case "items":
      let names = text.split(separator: " ", maxSplits: 1).map { String($0) }
      guard names.count == 2 else {
        self = .showItems(String(text))
        return
      }
      self = .findTable(names[0], source: names[1] == Self.anySource ? nil : names[1])
    case "rows":
      let parts = text.split(separator: " ", maxSplits: 2).map { String($0) }
      self = parts.count == 3 ? .findFree(parts[0], source: parts[1], identity: parts[2]) : .knowRows(String(text))
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
