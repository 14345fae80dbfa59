import Dispatch
import Foundation
import Queues
import Synchronization
import TableModel
import TableStore

/// A member of a family that replicas share, while it comes to be: it is as the store has it, or is begun there by the
/// replica that asks the sources. Until then nobody is shown it.
extension LiveTable {
  /// Replicas share it: a family's member, as tables that always live.
  var isShared: Bool { isMember && writer.isStored }

  /// Looks in the store, in all languages, and begins there what it has not where this replica asks the sources. `completion`
  /// is called on any queue. Its other items are as the store has it, then.
  func join(_ completion: @escaping @Sendable () -> Void) {
    let logs = writer.logs
    guard !logs.isEmpty else { return lookUp(completion) }
    let group = DispatchGroup()
    for log in logs {
      group.enter()
      log.lookForNews { _ in group.leave() }
    }
    group.notify(queue: context.background) { [self] in lookUp(completion) }
  }

  private func lookUp(_ completion: @escaping @Sendable () -> Void) {
    let group = DispatchGroup()
    // The translations first, as what the original shares goes on from their first versions.
    for writer in all.reversed().map(\.writer) {
      group.enter()
      writer.join { group.leave() }
    }
    group.notify(queue: context.background, execute: completion)
  }

  /// The store has it now, as it is shown.
  fileprivate func noteStored(isSettled: Bool) {
    if lifecycle.withLock({ $0.noteStored(isSettled: isSettled) }) { reader.wakeAll() }
  }

  /// Takes the upstream's refusal of the readers from another replica.
  fileprivate func follow(_ refusal: TableError?) {
    for table in all where table.lifecycle.withLock({ $0.follow(refusal) }) { table.reader.wakeAll() }
  }
}

extension TableWriter {
  fileprivate func join(_ completion: @escaping @Sendable () -> Void) {
    lookForNews { [self] isRead in
      let isKnown = content.access { $0.isKnownToStore || $0.gate.isClosed || !$0.commits.isEmpty }
      guard isRead, !isKnown, let lease = context.replica.lease else { return completion() }
      var commit = Commit(table: storedName, durability: .process, version: versions.current)
      commit.fence = lease
      content.access { ($0.durable, $0.record.durable) = ($0.own, $0.record.base) }
      store(commit, retry: completion) { _ in completion() }
    }
  }

  /// A version, or what others have written, has come from the store or into it. On the table's queue.
  func noteStored() {
    guard isMember, isStored else { return }
    content.access { $0.isKnownToStore = true }
    let isSettled = versions.current.table.state != .loading
    let table = table.withLock { $0.value }
    table?.noteStored(isSettled: isSettled)
    (table?.original?.table.withLock { $0.value } ?? table)?.isToBeHandedOver.store(true, ordering: .releasing)
  }

  /// Shows others' versions of a member from now on.
  func noteFollowed(_ previous: Table) {
    noteStored()
    if !isTranslation {
      let refusal = content.access { $0.refusal }.flatMap(TableError.init(stored:))
      table.withLock { $0.value }?.follow(refusal)
    }
    weighFollowed(previous)
  }
}

extension TableError {
  private struct Stored: Codable {
    var title: String?
    var detail: String
  }

  /// An upstream's refusal of a member, for those who follow: there is no such table.
  fileprivate init?(stored bytes: [UInt8]) {
    guard !bytes.isEmpty, let stored = try? JSONDecoder().decode(Stored.self, from: Data(bytes)) else { return nil }
    self.init(.unknown, title: stored.title, detail: stored.detail)
  }

  /// As it is kept with the member; the same bytes for the same refusal.
  var stored: [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return (try? encoder.encode(Stored(title: title, detail: detail))).map { Array($0) } ?? []
  }
}
