import Logging
import Queues
import Synchronization
import TableModel
import TableStore

/// A table begins, or goes on by another configuration.
extension TableWriter {
  func begin(_ completion: @escaping @Sendable (StoreError?) -> Void) {
    // Commits since it was made.
    let isNewer = logs.map { log in content.access { $0.take(log.committed, of: log) } }.contains(true)
    guard !beginAsStored() else { return completion(nil) }
    let (table, isKnown) = content.access { content in
      (content.durable, content.record.durable) = (content.own, content.record.base)
      return (content.table(named: name), content.isKnownToStore)
    }
    if log != nil { logSkipped() }
    // Another replica's table is not this one's to change, before it leads.
    guard !(isKnown && context.replica.isShared) else {
      // It may have been read from a database that has lost what is known of the items here.
      if !logs.isEmpty {
        content.access { $0.doubtInputs() }
        lookForNewsOfInputs { _ in }
      }
      updateTranslations(publishing: false)
      return completion(nil)
    }
    let latest = versions.latest.table
    let newer = isKnown || isNewer ? prepare(table) : nil
    let version = newer ?? (isKnown ? nil : versions.current)
    let inputs = content.access { content in
      version == nil ? content.untoldInputs(isShared: context.replica.isShared) : content.toldInputs
    }
    let layout = content.access { $0.layout }.flatMap { Table.areStoredAlike(latest, table) ? $0 : nil }
    guard version != nil || layout != nil || inputs != nil else {
      updateTranslations()
      return completion(nil)
    }
    // Where another replica was first, its version is followed.
    var commit = Commit(table: storedName, durability: .full, version: version)
    if version == nil { commit.layout = layout }
    commit.inputs = inputs
    // Until it is stored, what was committed since it was made may be missing.
    following.add(1, ordering: .acquiringAndReleasing)
    let finish: @Sendable (StoreError?) -> Void = { [self] error in
      followed(error)
      completion(error)
    }
    store(commit, retry: { _ in finish(nil) }) { [self] error in
      if let error, error != .fenced { storeLater() }
      finish(error)
    }
  }

  /// Shows what is stored as it is, where it was laid out of these items as they would be now: they are mapped when readers
  /// have it, and before anything is built on that. Whatever comes of it is then shown, be it another thing.
  private func beginAsStored() -> Bool {
    let isShown = content.access { content in
      guard content.isResultOld else { return false }
      (content.durable, content.record.durable) = (content.own, content.record.base)
      return true
    }
    guard isShown else { return false }
    content.queue.async { [self] in
      content.access { $0.refreshResult(named: name) }
      logSkipped()
      publishContent()
    }
    return true
  }

  func reconfigure(_ blueprint: TableBlueprint, _ otherLogs: [ItemLog]) async -> AnsweredSources {
    await content.queue.run { [self] in
      // Before a row offers anything.
      if blueprint.offersEdits { reader.editsOffer.store(true, ordering: .relaxed) }
      let heard = content.access { $0.follow(blueprint, otherLogs, shown: versions.latest.table) }
      if let table = table.withLock({ $0.value }) { for source in table.sources { source.listeners.rouse(table) } }
      // An edit that could not be stored may be gone with the answer below it.
      if isBehindInputs { content.access { $0.holdsForSources = !$0.isSettled } }
      publishContent()
      return heard
    }
  }
}
