import Dispatch
import Logging
import Queues
import Synchronization
import TableDiff
import TableMapping
import TableModel
import TableStore

extension TableWriter {
  /// Stores and publishes what has become of the inputs, if it differs from what is shown; `completion` runs on the table's queue.
  ///
  /// It is stored first: a version that clients have seen has to be known after a crash, or its number would be
  /// given to something else. Where the store fails, readers keep the version that they have.
  ///
  /// - Parameters:
  ///   - table: The content as it is now.
  ///   - retry: Does it all again, on whatever the content is then, where what it was built on could not be stored.
  private func publish(
    _ table: Table,
    retry: @escaping @Sendable () -> Void,
    then completion: @escaping @Sendable (StoreError?) -> Void
  ) {
    let before = versions.latest.table
    // Sources' answers are written by the leader, for as long as it leads.
    let isShared = context.replica.isShared
    let isOwn = isShared && followsItems
    let fence = isStored && !isOwn ? context.replica.lease : nil
    if !isOwn, fence == nil, isStored, isShared {
      leaveToOthers()
      return completion(.fenced)
    }
    // Others may have led since, and shown what is newer: it is about to be forgotten here.
    if let fence, content.access({ $0.isOfAnotherLease(than: fence.term) }) {
      leaveToOthers()
      return completion(.fenced)
    }
    // Not by a configuration that doesn't count, and not back behind what another one has shown: newer items are on their way here.
    let isBehindStored = isShared && content.access { !$0.isAheadOfStoredInputs() }
    let isBack = isBehindStored || isOwn && context.replica.refusal != nil
    let isLost = content.access { $0.isLost }
    // Without what upstreams say nothing is shown of the items beside it. In a lost member's place another one comes.
    guard !isBack, makesVersions, !(isLost && isMember) else {
      leaveToOthers()
      // When they are here it is done: a configuration may be new, too.
      if isBehindStored { content.access { $0.isToLayOut = true } }
      if content.access({ $0.areInputsInDoubt }) {
        settleInputs()
      } else if isBehindStored {
        // Or the database has lost them, and perhaps this table, too.
        lookForNews { [self] _ in settleInputs() }
      }
      return completion(nil)
    }
    content.access { $0.isToLayOut = false }
    if isLost { beginEpoch(with: table) }
    let prepared = prepare(table)
    guard MemberWeighing(writer: self).hasRoom(for: prepared) else {
      versions.withdraw()
      return completion(nil)
    }
    // The upstream's refusal of a member's readers is for other replicas' readers, too.
    let isSpokesman = isMember && fence != nil && !isTranslation
    let refusal = isSpokesman ? upstreamRefusal?.stored : nil
    // Its refusal to another replica holds until all sources have answered this one.
    let hasWord =
      isSpokesman && content.access { $0.isKnownToStore && $0.refusal != refusal && (refusal != nil || $0.isSettled) }
    // Replicas that can't lay an edit out are told when it is shown.
    let untold = tellsInputs ? content.access { $0.laysOutInputs ? $0.untoldInputs(isShared: isShared) : nil } : nil
    if tellsInputs { askForAll() }
    let version = prepared ?? unstored
    let objects = untoldObjects(of: table, after: version === prepared ? before : nil, with: version)
    guard version != nil || hasWord || untold != nil || !objects.isEmpty else {
      let shown: @Sendable () -> Void = { [self] in
        noteShown()
        endOffer()
        completion(nil)
      }
      // It may be the same as what is still on its way to the store, and not shown before it is there.
      if !content.access({ $0.commits.whenStored(shown, undone: retry) }) { shown() }
      return
    }
    guard isStored else {
      if let prepared { publish(prepared) }
      endOffer()
      updateTranslations()
      return completion(nil)
    }
    var commit = Commit(table: storedName, durability: .process, version: version)
    commit.fence = fence
    commit.inputs = version != nil ? content.access { isShared ? $0.sharedInputs : $0.toldInputs } : untold
    commit.objects = (hasWord ? [content.access { $0.markRefusal(refusal) }] : []) + objects
    let areObjectsTold = version != nil || !objects.isEmpty
    // Without another attempt the answers of sources would be lost until they answer again.
    let again: @Sendable (StoreError?) -> Void = { [self] _ in
      content.access { $0.noteUntold(objects) }
      retry()
    }
    store(commit, retry: again) { [self] error in
      if error != nil { content.access { $0.noteUntold(objects) } }
      switch error {
      case nil:
        if areObjectsTold { content.access { $0.noteTold(table.sections) } }
        if version == nil { noteShown() }
      case .fenced?: leaveToOthers()
      case .some: storeLater()
      }
      completion(error)
    }
  }

  /// The objects of rows that the store is to be told, with a version or without one: members that no cell shows change, too, and
  /// whoever reads an item elsewhere, or edits it there, needs them; in one process only a restart does. Where a refresh has changed very
  /// many, they wait for the next version, or the next edit.
  ///
  /// - Parameter before: as it was until now; nil: the store has nothing of it.
  private func untoldObjects(of table: Table, after before: Table?, with version: Version?) -> [ObjectChange] {
    // A member's record begins with a version, which may be on its way.
    let hasRecord = version != nil || content.access { $0.isKnownToStore || !$0.commits.isEmpty }
    guard isStored, !isTranslation, hasRecord else { return [] }
    let objects = content.access { content in
      content.objectChanges(from: before.map { content.toldSections ?? $0.sections } ?? [], to: table.sections)
    }
    let most = context.replica.isShared ? Self.mostObjects.ofReplicas : Self.mostObjects.ofOne
    guard version == nil, objects.count > most, !content.access({ $0.hasEditToTell }) else { return objects }
    content.access { $0.noteUntold(objects) }
    return []
  }

  /// So many objects are stored without a version.
  private static let mostObjects = (ofOne: 100, ofReplicas: 1_000)

  /// Stores after a pause what could not be, if it is not stored by then.
  func storeLater() {
    guard let pause = content.access({ $0.retries.fail() }) else { return }
    content.queue.asyncAfter(deadline: .now() + .milliseconds(pause)) { [weak self] in
      guard let self else { return }
      content.access { $0.retries.resume() }
      if content.access({ $0.isBehind }) { publishContent() }
    }
  }

  /// All that the sources have said and that was committed to the items is shown, once what is under way is stored.
  private func noteShown() {
    let isKnown = content.access { content in
      content.isBehind = false
      content.retries.succeed()
      // Rows that are shown until the sources answer may be from before what reads are held for.
      if content.isSettled { content.holdsForSources = false }
      return !content.holdsForSources
    }
    if isKnown { releaseReads() }
  }

  /// Edits are offered by no row any more, where that is so by the definition: readers who may not edit see what all see. As long as rows
  /// of a former definition are shown they see them without.
  private func endOffer() {
    guard reader.offersEdits else { return }
    let isOver = content.access { content in
      !content.offersEdits && !content.isBehind && content.restored == nil && content.commits.isEmpty
    }
    if isOver { reader.editsOffer.store(false, ordering: .relaxed) }
  }

  /// Another replica shows the missing commits, or has shown them: reads look for them in the store.
  private func leaveToOthers() { if isShared { releaseReads() } }

  /// Reads no longer wait for what could not be shown.
  private func releaseReads() {
    let unshown = unshownCommits.exchange(0, ordering: .acquiringAndReleasing)
    if unshown > 0 { following.subtract(unshown, ordering: .acquiringAndReleasing) }
  }

  /// The version that is shown, where the store has none and is not about to be given one.
  private var unstored: Version? {
    guard isStored, !isMember, content.access({ !$0.isKnownToStore && $0.commits.isEmpty }) else { return nil }
    return versions.current
  }

  /// Numbers a table as the next version, sharing what it can with the one before; nil where it is the same.
  func prepare(_ table: Table) -> Version? {
    let latest = versions.latest.table
    return versions.prepare(content.access { $0.share(table, with: latest) })
  }

  /// The content as it is now, published when nothing is being undone.
  ///
  /// - Parameter completion: given why it could not be stored; it is tried again.
  func publishContent(then completion: @escaping @Sendable (StoreError?) -> Void = { _ in }) {
    let retry: @Sendable () -> Void = { [self] in publishContent(then: completion) }
    // While nobody knows whether the table goes on, what it is to show waits.
    guard !content.access({ $0.gate.await(retry) }) else { return }
    guard !content.access({ $0.gate.isClosed }) else { return completion(nil) }
    guard !content.access({ $0.commits.enqueueIfBlocked(retry) }) else { return }
    let latest = versions.latest.table
    let table = content.access { content in
      // Rows that were toggled here since it was restored stay so.
      if context.replica.isShared, content.restored != nil, content.result == nil { content.restored = latest }
      let table = content.table(named: name)
      content.isResultOld = false
      content.letGoOfPart()
      return table
    }
    tellOfRefusedAnswers()
    publish(table, retry: retry, then: completion)
  }

  /// Gives a commit to the store, which content and versions are ahead of from here on; then shows its version, or
  /// undoes it with all that were built on it. On the table's queue.
  ///
  /// - Parameters:
  ///   - commit: With what it does to the items of the table's own source beside it, where it is an edit of these (``ItemLog/begin``).
  ///   - mayBlock: Nothing else of this table waits to be done, so its thread may do the writing.
  ///   - retry: Called instead of `completion` where an earlier commit, on which this one was built, has failed: with the reason for
  ///     that, or nil where somebody else was first.
  ///   - completion: Given what went wrong, on the table's queue.
  func store(
    _ commit: Commit,
    mayBlock: Bool = false,
    retry: @escaping @Sendable (StoreError?) -> Void,
    then completion: @escaping @Sendable (StoreError?) -> Void
  ) {
    var commit = commit
    let isEdit = !commit.beside.isEmpty
    let own = content.access { content in
      content.commits.begin()
      if isEdit { content.editsUnderWay += 1 }
      if commit.version != nil { commit.layout = content.layout }
      commit.base = content.record.base
      content.record.base = commit.revision
      return content.own
    }
    let (version, revision) = (commit.version, commit.revision)
    let inputs = commit.inputs
    context.store.commit(commit, mayBlock: mayBlock) { [self] result in
      let baseFailure = isEdit ? log?.ended(result, by: self) : nil
      content.queue.async { [self] in
        if isEdit { content.access { $0.editsUnderWay -= 1 } }
        switch result {
        case .success where content.access({ $0.commits.isUndoing }):
          // The commit before this one is stored, although it seemed to fail: both are read as other replicas' commits are.
          undo()
          let caughtUp: @Sendable () -> Void = { [self] in publishContent { _ in completion(nil) } }
          content.access { $0.commits.redo(caughtUp) }
          catchUp()
          proceed(isStored: false)
        case .success:
          content.access { content in
            (content.durable, content.record.durable) = (own, revision)
            if version != nil { content.isKnownToStore = true }
            if let inputs { content.storedInputRevisions = inputs }
          }
          if let version {
            publish(version)
            noteShown()
          }
          noteStored()
          updateTranslations()
          proceed(isStored: true)
          endOffer()
          completion(nil)
        case .failure(.superseded) where content.access({ $0.commits.mayRetry }):
          // Built on one of its own that failed, or on what somebody else has replaced.
          let isOthers = content.access { !$0.commits.isUndoing }
          let reason = content.access { $0.commits.failure } ?? baseFailure
          undo()
          if isEdit { followItemsAgain() }
          if isOthers {
            context.replica.noteConflict()
            catchUp()
          }
          proceed(isStored: false, retry: { retry(reason) }, failure: baseFailure)
        case .failure(.fenced):
          // Another replica asks the sources now: what this one has heard is not shown.
          undo()
          if isEdit { followItemsAgain() }
          completion(.fenced)
          proceed(isStored: false)
          context.replica.lostLease()
        case .failure(let error):
          report(error)
          undo()
          if isEdit { followItemsAgain() }
          // First: whoever waits until nothing is being undone finds noted what can't be shown.
          completion(error)
          proceed(isStored: false, failure: error)
        }
      }
    }
  }

  /// Logs why a change could not be stored: where many can't be, the same is said now and then. On the table's queue.
  func report(_ error: StoreError) {
    guard let number = content.access({ $0.retries.report(error, now: .now) }) else { return }
    var metadata: Logger.Metadata = ["table": "\(name)", "reason": "\(error)"]
    if number > 1 { metadata["changes"] = "\(number)" }
    context.logger.error("A change could not be stored", metadata: metadata)
  }

  /// Undoes what was built on something that could not be stored.
  private func undo() {
    versions.withdraw()
    goBackToCommitted()
    content.access { content in
      content.goBack(isTranslation: isTranslation)
      content.isBehind = true
      _ = content.table(named: name)
    }
    updateTranslations()
  }

  /// Shows what was committed to the items while something was under way here that is undone now, before anything that waits is done.
  private func followItemsAgain() {
    guard let log, isStored else { return }
    following.add(1, ordering: .acquiringAndReleasing)
    let follow: @Sendable () -> Void = { [self] in
      let isShown = isShared && content.access { !$0.isAheadOfStoredInputs() || $0.storedShowsInputs(log) }
      if isShown { return followed(nil) }
      // After a failure nothing is stored until the pause is over: an attempt before every edit that is made again would take all of
      // these along.
      guard content.access({ !$0.retries.isPausing }) else { return followed(.full) }
      publishContent { [self] error in followed(error) }
    }
    content.access { $0.commits.redo(follow) }
  }

  /// A commit has ended: whoever waited for it goes on.
  func proceed(isStored: Bool, retry: (@Sendable () -> Void)? = nil, failure: StoreError? = nil) {
    for body in content.access({ $0.commits.end(isStored: isStored, retry: retry, failure: failure) }) { body() }
  }
}
