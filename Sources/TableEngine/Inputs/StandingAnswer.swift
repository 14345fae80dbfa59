import Synchronization
import TableMapping

/// The last answer of a source that is known to concern none of the members that have it. Each has the next one as soon as that is
/// known to change nothing for it, without being told.
final class StandingAnswer: Sendable {
  private let last: Mutex<SourceContent>

  init(_ content: SourceContent) { last = Mutex(content) }

  var content: SourceContent { last.withLock { $0 } }

  func move(to content: SourceContent) { last.withLock { $0 = content } }
}
