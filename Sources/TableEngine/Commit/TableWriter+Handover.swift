import Dispatch
import Queues
import Synchronization
import TableMapping
import TableModel
import TableStore

/// The state of a table that the leader leaves for the next one: that it shows an answer, and the revision that the
/// store has then. The next leader knows no answer, but the rows that were made of it: as long as the upstream says
/// that nothing has changed, these are enough.
extension TableWriter {
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
  /// - Parameter completion: on any queue: false where it is not, or nobody can tell.
  func stand(
    at revisions: [String: Revision],
    on answer: UInt64,
    of source: String,
    _ completion: @escaping @Sendable (Bool) -> Void
  ) {
    let languages = all
    guard isStored, languages.allSatisfy({ revisions[$0.storedName] != nil }) else { return completion(false) }
    let group = DispatchGroup()
    let isBehind = Atomic(false)
    for writer in languages {
      group.enter()
      writer.lookForNews { isRead in
        if !isRead { isBehind.store(true, ordering: .relaxed) }
        group.leave()
      }
    }
    group.notify(queue: context.background) { [self] in
      guard !isBehind.load(ordering: .relaxed) else { return completion(false) }
      gather { content, writer in
        content.stand(at: revisions[writer.storedName], on: answer, of: source)
      } then: { found in
        completion(found.allSatisfy(\.1))
      }
    }
  }

  /// This one, and the translations.
  private var all: [TableWriter] { [self] + translators.withLock { $0 } }

  /// Asks the contents in all languages, each on its queue.
  private func gather<Value: Sendable>(
    _ body: @escaping @Sendable (inout TableContent, TableWriter) -> Value,
    then completion: @escaping @Sendable ([(TableWriter, Value)]) -> Void
  ) {
    let group = DispatchGroup()
    let found = Mutex<[(TableWriter, Value)]>([])
    for writer in all {
      group.enter()
      writer.content.queue.async {
        let value = writer.content.access { body(&$0, writer) }
        found.withLock { $0.append((writer, value)) }
        group.leave()
      }
    }
    group.notify(queue: context.background) { completion(found.withLock { $0 }) }
  }
}

extension TableContent {
  /// Nothing of it is on its way, and the store has all that is shown.
  private var isDurable: Bool { commits.isEmpty && !isBehind && !gate.isClosed }

  /// It is made of one source's answers alone.
  private func isOnly(of source: String) -> Bool {
    local == nil && otherItems.isEmpty && inputs.count == 1 && inputs[source] != nil
  }

  /// Returns the revision at which the store has it, if it shows an answer: every item of it, so that the rows are
  /// enough.
  fileprivate mutating func standing(on answer: UInt64, of source: String) -> Revision? {
    guard isDurable, isOnly(of: source), inputs[source]?.answer == answer else { return nil }
    if let result, inputs[source]?.showsAll == nil {
      let rows = result.sections.reduce(0) { $0 + $1.rows.count }
      inputs[source]?.showsAll = result.items(of: source).count == rows
    }
    return inputs[source]?.showsAll == true ? record.durable : nil
  }

  /// Stands for an answer from now on, where it is as the store had it then.
  fileprivate mutating func stand(at revision: Revision?, on answer: UInt64, of source: String) -> Bool {
    guard isDurable, isOnly(of: source), let revision, record.durable == revision, restored != nil else { return false }
    inputs[source]?.answer = answer
    inputs[source]?.showsAll = true
    return true
  }

  /// From now on this process asks the sources: what they have said to it before may be older than what is shown, which
  /// stays until they have answered.
  mutating func lead(showing table: Table) {
    drop(showing: table)
    restored = table.hasWorked ? table : nil
    inputs = inputs.mapValues { input in
      var input = input
      (input.problem, input.error) = (nil, nil)
      return input
    }
  }

  /// Forgets what the sources have said, but not the objects of the rows that are shown.
  mutating func drop(showing table: Table) {
    if let result {
      for row in table.sections.lazy.flatMap(\.rows) where restoredObjects[row.id] == nil {
        restoredObjects[row.id] = result.item(row.id)?.bytes
      }
    }
    result = nil
    inputs = inputs.mapValues { input in
      var input = input
      (input.content, input.good, input.answer, input.showsAll, input.isConfirmed) = (nil, nil, nil, nil, false)
      return input
    }
  }
}
