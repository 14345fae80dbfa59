/// An obstacle for edits, or for all requests, that a person can remove.
public enum ClientTrouble: Hashable, Sendable {
  /// The login has expired (401). Edits wait for a new token, `resume()` or `wake()`.
  case signInNeeded(Problem)
  /// Something between client and service answers with a page of its own, such as a hotel's network. Edits wait for
  /// `resume()` or `wake()`.
  case unreachable(Problem)
  /// The app's token provider threw, or did not answer, with its message. It is asked again.
  case noToken(String)

  /// Edits wait until somebody does something.
  var isPause: Bool {
    switch self {
    case .signInNeeded, .unreachable: true
    case .noToken: false
    }
  }
}
