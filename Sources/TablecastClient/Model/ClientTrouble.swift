/// What keeps edits, or everything, from getting through, where somebody can do something about it.
public enum ClientTrouble: Hashable, Sendable {
  /// The login is over (401). Edits wait for a new token, `resume()` or `wake()`.
  case signInNeeded(Problem)
  /// Something on the way refuses, and it isn't the service: it answers with a page of its own. Edits wait for
  /// `resume()` or `wake()`.
  case unreachable(Problem)
  /// The app's own token provider threw, or hasn't answered; with its words. It is asked again.
  case noToken(String)

  /// Edits wait until somebody does something.
  var isPause: Bool {
    switch self {
    case .signInNeeded, .unreachable: true
    case .noToken: false
    }
  }
}
