import Dispatch
import Foundation
import Queues
import Synchronization
import TableModel
import TableStore

/// A member of a family that replicas share, while it comes to be, and when it is left to another leader. It is as the store has it,
/// or is begun there by the replica that asks the sources; until then nobody is shown it.
struct StoredMember: Sendable {
  let table: LiveTable

  /// Looks in the store, in all languages, and begins there what it has not where this replica asks the sources. `completion`
  /// is called on any queue. Its other items are as the store has it, then.
  func join(_ completion: @escaping @Sendable () -> Void) {
    let logs = table.writer.logs
    guard !logs.isEmpty else { return lookUp(mayBegin: true, completion) }
    (logs as [any StoredRecord]).lookForNews(on: table.context.background) { lookUp(mayBegin: $0, completion) }
  }

  /// - Parameter mayBegin: false: the items that it shows could not be read.
  private func lookUp(mayBegin: Bool, _ completion: @escaping @Sendable () -> Void) {
    let group = DispatchGroup()
    // The translations first, as what is stored with the original goes on from their first versions.
    for writer in table.all.reversed().map(\.writer) { begin(writer, mayBegin, group.entered()) }
    group.notify(queue: table.context.background, execute: completion)
  }

  private func begin(_ writer: TableWriter, _ mayBegin: Bool, _ completion: @escaping @Sendable () -> Void) {
    writer.lookForNews { isRead in
      let content = writer.content
      let isKnown = content.access { $0.isKnownToStore || $0.gate.isClosed || !$0.commits.isEmpty }
      guard isRead, mayBegin, !isKnown, let lease = writer.context.replica.lease else { return completion() }
      var commit = Commit(table: writer.storedName, durability: .process, version: writer.versions.current)
      commit.fence = lease
      content.access { ($0.durable, $0.record.durable) = ($0.own, $0.record.base) }
      // This version lacks its sources' answers, which could not be stored.
      let isBehind = content.access { $0.isBehind }
      writer.store(commit, retry: { _ in completion() }) { error in
        if isBehind, error == nil { writer.publishContent() }
        completion()
      }
    }
  }

  /// Gives the state that the next leader needs of a member. `completion` is called on any queue.
  ///
  /// - Parameter isOutdated: what it shows is to be asked for anew.
  func handOver(
    _ digests: HandoverDigests,
    isOutdated: Bool,
    _ completion: @escaping @Sendable (Handover) -> Void
  ) {
    let sources = isOutdated ? [] : table.sources.map { ($0, [table]) }
    Handover.gather(sources, digests, on: table.context.background, completion)
  }
}
