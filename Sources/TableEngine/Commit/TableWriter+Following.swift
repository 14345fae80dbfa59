import Dispatch
import Logging
import Queues
import Synchronization
import TableModel
import TableStore
import Upstream

/// Versions that others write to a shared table: they are taken over as they are, and nothing is mapped for them.
extension TableWriter {
  /// The table stands at a revision, as the store says; perhaps known already.
  func moved(to revision: Revision) {
    content.queue.async { [self] in
      guard isStored else { return }
      // With something under way of its own, what others wrote shows when that comes back.
      guard content.access({ $0.record.base != revision && $0.commits.isEmpty && !$0.gate.isClosed }) else {
        return context.replica.caughtUp(storedName)
      }
      catchUp()
    }
  }

  func catchUp() {
    guard isStored, let known = content.access({ $0.record.durable }) else { return }
    content.access { $0.commits.beginCatchingUp() }
    context.store.changes(of: storedName, since: known) { [self] result in
      content.queue.async { [self] in
        switch result {
        case .success(let others) where isSetBack(from: known, to: others): goBack(to: others)
        case .success(let others):
          follow(others)
          proceed(isStored: false)
        case .failure(let error):
          context.logger.error(
            "What others wrote could not be read",
            metadata: ["table": "\(name)", "reason": "\(error)"]
          )
          proceed(isStored: false)
        }
      }
    }
  }

  private func follow(_ others: CatchUp) {
    take(others)
    context.replica.caughtUp(storedName)
    // A layout by a replica of a lower generation is made anew.
    guard content.access({ $0.local != nil }), context.replica.isAmongOlder, context.replica.isLeading else { return }
    content.queue.async { [self] in publishContent() }
  }

  // MARK: A database that was set back

  /// Has it followed that the database lacks it, or has an older state of it: nobody says so, and who waits would not be told before
  /// somebody reads or edits. One question to the database. On any queue.
  func lookWhetherItIsThere() {
    content.queue.async { [self] in
      let known = content.access { $0.isLost ? nil : $0.record.durable }
      guard isShared, isStored, let known, known.number > 0 else { return }
      context.store.revision(of: storedName) { [self] result in
        guard case .success(let revision) = result, revision?.number ?? 0 < known.number else { return }
        lookForNews { _ in }
      }
    }
  }

  /// The database is another one, or an older one: it may lack more than this table's versions.
  private func isSetBack(from known: Revision, to others: CatchUp) -> Bool {
    guard case .replaced(let stored) = others else { return false }
    guard let epoch = stored.versions?.epoch else { return !isMember }
    return known.number > 0 && epoch != versions.epoch
  }

  /// Follows when it is read where the items stand that the table shows: else items that were lost would be laid out again. Where they
  /// can't be read it stays as it was: whoever writes to it is told, and it is tried again.
  private func goBack(to others: CatchUp) {
    context.replica.noteLoss()
    (logs as [any StoredRecord]).lookForNews(on: content.queue) { [self] areRead in
      if areRead {
        for log in logs { _ = content.access { $0.take(log.committed, of: log) } }
        if case .replaced(let stored) = others, stored.versions == nil { beginAgain(stored) } else { follow(others) }
        showSourcesAgain()
      } else {
        // Nobody tells of it again.
        content.queue.asyncAfter(deadline: .now() + .seconds(1)) { [weak self] in self?.lookForNews { _ in } }
      }
      proceed(isStored: false)
    }
  }

  /// The database lacks the whole table: whoever is to store its versions begins it again. Until then nobody is shown what no other
  /// replica knows.
  private func beginAgain(_ nothing: StoredTable) {
    content.access { $0.lose(nothing) }
    noteLook(isRead: true)
    context.replica.caughtUp(storedName)
    content.queue.async { [self] in publishContent() }
  }

  /// Returns whether a version may be built on the last one. A table that the database has lost begins an epoch first: what is lost had the
  /// next numbers. On the table's queue.
  func goesOn() -> Bool {
    if content.access({ $0.isLost }) { publishContent() }
    return !content.access { $0.isLost }
  }

  /// Begins an epoch with a table that the database has lost, and that is about to be stored from here.
  func beginEpoch(with table: Table) {
    let previous = versions.current
    let first = Version(cursor: Cursor(epoch: .random(), version: 1), table: table)
    if let history = StoredVersions(epoch: first.cursor.epoch, versions: [first]) { versions.replace(with: history) }
    content.access { $0.isLost = false }
    announce(from: previous)
    reader.wakeAll()
  }

  /// Shows again what the sources have said, where this replica asks them. One that would say that nothing has changed since is asked
  /// for all.
  private func showSourcesAgain() {
    guard context.replica.isLeading, let table = table.withLock({ $0.value }) else { return }
    let inputs = content.access { $0.inputs }
    guard !inputs.isEmpty else { return }
    content.queue.async { [self] in publishContent() }
    let unknown = table.sources.filter { inputs[$0.name]?.content == nil }
    context.client.queue.async { for source in unknown { source.refreshAfterChange() } }
  }

  private func take(_ others: CatchUp) {
    let previous = versions.current
    let isLeading = context.replica.isLeading
    switch others {
    case .changes(let changes):
      guard changes.revision != content.access({ $0.record.durable }) else { return noteLook(isRead: true) }
      noteSetBack(to: changes.inputs)
      // Two that begin a table at once begin two epochs: the first that is stored is the table's.
      if let epoch = changes.versions.last?.cursor.epoch, epoch != versions.epoch,
        let history = StoredVersions(epoch: epoch, versions: changes.versions)
      {
        versions.replace(with: history)
      } else {
        versions.follow(changes.versions)
      }
      content.access { content in
        // The layout made meanwhile is on its way to the store, which refuses it: it is made again on this one.
        content.goBack(isTranslation: isTranslation)
        if !isTranslation { content.follow(changes.toggles, changes.objects) }
        if let inputs = changes.inputs { content.follow(inputs) }
        if isMember, !isTranslation { content.noteRefusal(changes.objects) }
        content.followed(to: changes.revision, shown: versions.current.table, isLeading: isLeading)
      }
    case .replaced(let stored):
      guard let history = stored.versions else {
        if isMember, content.access({ $0.isKnownToStore }) {
          content.access { $0.isLost = true }
          context.replica.vanished(storedName)
        }
        return noteLook(isRead: true)
      }
      noteSetBack(to: stored.inputs)
      versions.replace(with: history)
      content.access { content in
        content.noteRestored()
        if !isTranslation {
          (content.sharedToggles, content.restoredObjects) = (stored.toggled, stored.objects)
        }
        content.follow(stored.inputs)
        // It may be of a database that has lost what is known of the items here.
        if !logs.isEmpty { content.doubtInputs() }
        if isMember, !isTranslation { content.noteRefusal() }
        content.followed(to: stored.revision, shown: versions.current.table, isLeading: isLeading)
      }
    }
    // Who is woken by it is told, also where nobody has looked for a while; and who is ahead of what was shown so far is not, before.
    noteLook(isRead: true)
    if isMember { noteFollowed(previous.table) }
    settleInputs()
    updateTranslations(publishing: isLeading)
    // A database that was set back may have kept the items, and lost the version that shows them: no commit to these follows.
    if case .replaced = others, isLeading, content.access({ !$0.storedShowsInputs(log) }) { publishContent() }
    guard versions.current !== previous else { return }
    announce(from: previous)
    if versions.current.cursor.epoch != previous.cursor.epoch { reader.wakeAll() }
  }

  /// Has reads that a barrier has let pass begin anew where a version that is about to be shown is made of older items.
  ///
  /// - Parameter inputs: what it is made of; nil: of what the one before it is.
  private func noteSetBack(to inputs: InputRevisions?) {
    if content.access({ $0.isSetBack(to: inputs) }) { setBacks.add(1, ordering: .releasing) }
  }

  /// Looks for its inputs, where they are in doubt: another replica's newer configuration may have given them other names, or the
  /// database may be another one. Until then nothing is stored. On the table's queue.
  func settleInputs() {
    let begins = content.access { content in
      guard content.areInputsInDoubt, !content.isSettlingInputs else { return false }
      content.isSettlingInputs = true
      return true
    }
    guard begins else { return }
    lookForNewsOfInputs { [self] isRead in
      let goOn: @Sendable () -> Void = { [weak self] in
        self?.content.access { $0.isSettlingInputs = false }
        self?.settleInputs()
      }
      // Nobody would ask again where no reader comes here.
      guard isRead else { return content.queue.asyncAfter(deadline: .now() + .milliseconds(200), execute: goOn) }
      goOn()
      if followsItems || context.replica.isLeading { publishContent() }
    }
  }

  /// From now on this process asks the sources: what is shown is kept until they have answered. What a local table has
  /// become by this replica's configuration is shown at once.
  func lead(under term: UInt64) {
    content.queue.async { [self] in
      // Where no source is asked, none will answer.
      let isOwn = content.access { $0.inputs.isEmpty }
      guard isOwn else { return content.access { $0.lead(under: term, showing: versions.latest.table) } }
      content.access { $0.restored = nil }
      publishContent()
    }
  }

  /// Shows what a local table has become by this replica's release and configuration.
  func layOut() {
    content.queue.async { [self] in if content.access({ $0.inputs.isEmpty }) { publishContent() } }
  }

  /// The same for one that was made of what sources have said, if that was under an earlier lease: they tell it again.
  func leadIfOfAnotherLease(under term: UInt64) {
    content.queue.async { [self] in
      content.access { content in
        if content.isOfAnotherLease(than: term) { content.lead(under: term, showing: versions.latest.table) }
      }
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

  /// Where another replica asks a member's sources, its readers wait for nothing but what is stored: what this one has asked for while it led
  /// may not come any more. On the table's queue.
  func settleAsStored() {
    guard isMember, isShared, !context.replica.isLeading, content.access({ $0.isKnownToStore }) else { return }
    if versions.current.table.state != .loading { table.withLock { $0.value }?.noteStored(isSettled: true) }
  }

  /// Shows others' versions of a member from now on.
  func noteFollowed(_ previous: Table) {
    noteStored()
    if !isTranslation {
      let refusal = content.access { $0.refusal }.flatMap(TableError.init(stored:))
      table.withLock { $0.value }?.follow(refusal)
    }
    MemberWeighing(writer: self).follow(previous)
  }
}
