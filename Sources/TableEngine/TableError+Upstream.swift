import Definitions
import Upstream

extension TableError {
  /// What an upstream said, in its own words: with its challenge, and when it wants to be asked again. A status from 400
  /// to 499 is of the caller's own making, and passed on.
  /// Of a fetch that says that there is no such table, or none for its caller: in words that readers may be told.
  init(_ error: UpstreamError, _ kind: Kind, at source: UpstreamDefinition, showingItsWords: Bool) {
    self.init(error, kind)
    if !showingItsWords { (title, detail) = error.publicWords(at: source) }
  }

  init(_ error: UpstreamError, _ kind: Kind, passingOn: Bool = false) {
    self.init(kind, title: error.title, detail: error.detail, retryAfter: error.retryAfter)
    challenge = error.challenge
    if passingOn, let status = error.status, (400..<500).contains(status) { upstreamStatus = status }
  }
}
