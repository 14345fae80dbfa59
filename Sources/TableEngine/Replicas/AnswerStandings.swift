import Queues
import Synchronization
import TableMapping
import TableModel
import TableStore

/// The state of a table that the leader leaves for the next one: that it shows an answer, and the revision that the
/// store has then. The next leader knows no answer, but the rows that were made of it: as long as the upstream says
/// that nothing has changed, these are enough.
struct AnswerStandings: TableJob {
  /// Of the original.
  let writer: TableWriter

  /// The store's revisions of the table, in all its languages, where they show an answer of a source and nothing is under
  /// way; nil where not.
  ///
  /// - Parameters:
  ///   - answer: its number.
  ///   - completion: on any queue.
  func standing(
    on answer: UInt64,
    of source: String,
    _ completion: @escaping @Sendable ([String: Revision]?) -> Void
  ) {
    gather { content, _ in
      content.standing(on: answer, of: source)
    } then: { found in
      var revisions: [String: Revision] = [:]
      for (writer, revision) in found {
        guard let revision else { return completion(nil) }
        revisions[writer.storedName] = revision
      }
      completion(revisions)
    }
  }

  /// Has the table stand for an answer that another replica has shown, where it is as that one has left it.
  ///
  /// - Parameters:
  ///   - isOverdue: the source would have been asked anew since.
  ///   - completion: on any queue: false where it is not, or nobody can tell.
  func stand(
    at revisions: [String: Revision],
    on answer: UInt64,
    of source: String,
    isOverdue: Bool,
    _ completion: @escaping @Sendable (Bool) -> Void
  ) {
    let languages = all
    guard writer.isStored, languages.allSatisfy({ revisions[$0.storedName] != nil }) else { return completion(false) }
    let areRead = JoinedCalls(true) { $0 = $0 && $1 }
    for writer in languages { writer.lookForNews(areRead.begin()) }
    areRead.notify(on: context.background) { areRead in
      guard areRead else { return completion(false) }
      gather { content, writer in
        content.stand(at: revisions[writer.storedName], on: answer, of: source, isOverdue: isOverdue)
      } then: { found in
        completion(found.allSatisfy(\.1))
      }
    }
  }

  /// This one, and the translations.
  private var all: [TableWriter] { [writer] + writer.translations.withLock { $0 } }

  /// Asks the contents in all languages, each on its queue.
  private func gather<Value: Sendable>(
    _ body: @escaping @Sendable (inout TableContent, TableWriter) -> Value,
    then completion: @escaping @Sendable ([(TableWriter, Value)]) -> Void
  ) {
    let found = JoinedCalls<(TableWriter, Value), _>([]) { $0.append($1) }
    for writer in all {
      let finish = found.begin()
      writer.content.queue.async { finish((writer, writer.content.access { body(&$0, writer) })) }
    }
    found.notify(on: context.background, completion)
  }
}
