import Definitions
import Dispatch
import Logging
import Queues
import Synchronization
import TableMapping
import TableModel
import TableStore
import Upstream

/// Changes of a table's inputs: the sources' answers, the service's own items (those of the table's own source, which can be edited
/// through it, and those that it looks up or shows beside them), and what a table in another language has of the original alone.
extension TableWriter {
  // MARK: The service's own items

  /// All items of the service's own that it shows.
  var logs: [ItemLog] { (log.map { [$0] } ?? []) + otherLogs.withLock { $0 } }

  /// It lays out items that every replica edits: what comes of them is stored by whoever has edited, and by the one that asks the
  /// sources where that one doesn't. On the table's queue.
  var followsItems: Bool { log != nil && isStored && content.access { $0.inputs.isEmpty } }

  /// It lays out such items beside what upstreams say: only the replica that asks these knows what comes of that. On the table's
  /// queue.
  var awaitsLeader: Bool { isShared && log != nil && content.access { !$0.inputs.isEmpty } }

  /// It shows items of the service's own beside what upstreams say, be they looked up: the replica that asks these tells the others
  /// at which revisions of the items its version is made. On the table's queue.
  var tellsInputs: Bool { isShared && content.access { !$0.inputs.isEmpty && !$0.inputRevisions.isEmpty } }

  /// True if versions of it are made here, as far as that depends on upstreams' answers. On the table's queue.
  var makesVersions: Bool { !awaitsLeader || context.replica.isLeading && content.access { $0.isSettled } }

  /// Follows the items from now on, where it has not until now.
  func followItems() { for log in logs { log.add(self) } }

  /// Shows these other sources of the service's own from now on. It never ceases to follow those that it goes on with.
  func follow(_ logs: [ItemLog]) {
    let before = self.logs
    otherLogs.withLock { $0 = logs }
    followItems()
    for log in before where !self.logs.contains(where: { $0 === log }) { log.remove(self) }
  }

  func leaveItems() { for log in logs { log.remove(self) } }

  /// Shows what was committed to the items. On any queue.
  ///
  /// - Parameter isOwn: by this process.
  func follow(_ log: ItemLog, isOwn: Bool) {
    following.add(1, ordering: .acquiringAndReleasing)
    content.queue.async { [self] in
      guard content.access({ $0.take(log.committed, of: log) }) else {
        // Something may be under way that is built on this: readers see both when that is stored. If it can't be, this is shown by
        // itself.
        return afterFollowing { [self] in
          guard content.access({ $0.isBehind }), publishes(log, isOwn: isOwn) else { return followed(nil) }
          publishContent { [self] in followed($0) }
        }
      }
      guard publishes(log, isOwn: isOwn) else {
        content.access { $0.isResultOld = true }
        following.subtract(1, ordering: .acquiringAndReleasing)
        return followsItems && context.replica.isLeading ? showLater() : ()
      }
      publishContent { [self] error in followed(error) }
    }
  }

  /// Another replica has given the record of an input another name. On any queue.
  func input(_ record: String, isCalled name: String) {
    content.queue.async { [self] in
      content.access { content in
        content.inputRevisions.rename(record, to: name)
        content.storedInputRevisions.rename(record, to: name)
      }
    }
  }

  /// Has reads wait until what the sources have said is shown: the table in whose place this one comes could not store it. On any queue.
  func holdReadsForSources() {
    following.add(1, ordering: .acquiringAndReleasing)
    content.queue.async { [self] in
      let hasSources = content.access { content in
        content.holdsForSources = !content.inputs.isEmpty
        return content.holdsForSources
      }
      followed(hasSources ? .unreadable : nil)
    }
  }

  /// A commit to an input is shown, or is left to another replica; or could not be stored: then it is tried again, and
  /// reads wait for that. On the table's queue.
  func followed(_ error: StoreError?) {
    switch error {
    case nil, .fenced?: following.subtract(1, ordering: .acquiringAndReleasing)
    case .some: unshownCommits.add(1, ordering: .acquiringAndReleasing)
    }
  }

  /// Has reads wait where something that is about to be answered could not be stored, until it is shown. On any queue.
  func holdReads(_ completion: @escaping @Sendable () -> Void) {
    content.queue.async { [self] in
      if content.access({ $0.isBehind }) {
        following.add(1, ordering: .acquiringAndReleasing)
        followed(.unreadable)
      }
      completion()
    }
  }

  /// Returns whether this process has to show commits to items.
  private func publishes(_ log: ItemLog, isOwn: Bool) -> Bool {
    // Without a store each replica shows its own items.
    guard isShared else { return true }
    return log === self.log && followsItems ? isOwn : context.replica.isLeading
  }

  /// So long is it left to whoever has edited to store the version that shows that: two that do so at once are in each other's way.
  static let courtesy = Duration.milliseconds(100)

  /// Shows what another replica has edited, where that one hasn't after a while.
  private func showLater() {
    content.queue.asyncAfter(deadline: .now() + Self.courtesy.dispatchInterval) { [weak self] in
      guard let self, context.replica.isLeading,
        content.access({ $0.isToLayOut || !$0.storedShowsInputs(log) })
      else { return }
      publishContent()
    }
  }

  /// Goes back to the items as they are committed, where what was planned on top of them could not be stored. On the table's queue.
  func goBackToCommitted() {
    guard let log else { return }
    content.access { $0.show(log.committed, of: log) }
  }

  // MARK: Sources

  /// Takes in what a source has said; `completion` is called when it is published.
  ///
  /// - Parameters:
  ///   - isAgreed: what it has said of a caller's own rows may be shown; else it has not agreed since somebody reads them.
  ///   - isEdit: it was said of an edit: reads that begin from now on wait until it is shown.
  func receive(
    _ news: SourceNews,
    from source: String,
    isAgreed: Bool = true,
    isEdit: Bool = false,
    then completion: @escaping @Sendable () -> Void
  ) {
    let showsWords = context.current.showsUpstreamsWords
    if isEdit { following.add(1, ordering: .acquiringAndReleasing) }
    let (table, term) = (table.withLock { $0.value }, context.replica.lease?.term)
    // As it is now: said while nobody reads it shows nothing to whoever comes before it is taken in.
    let isShown = isAgreed && table?.isConcealed != true
    content.queue.async { [self] in
      let isNews = content.access { content in
        if let term { content.begin(under: term) }
        if isEdit { content.hasEditToTell = true }
        return content.take(news, from: source, showingItsWords: showsWords, revealing: isShown)
      }
      table?.refuse(upstreamRefusal)
      let done: @Sendable (StoreError?) -> Void = { [self] error in
        table?.settle(content.access { $0.isSettled }, refusal: upstreamRefusal)
        settleAsStored()
        if isEdit { followed(error) }
        if let table { table.sources.first { $0.name == source }?.listeners.stand(table) }
        completion()
      }
      guard isNews else { return done(nil) }
      publishContent { done($0) }
      logSkipped()
    }
  }

  /// Returns whether what sources have said is shown: not where it could not be stored, or has not reached a table that was put in
  /// another one's place meanwhile. On the table's queue.
  func shows(_ sources: Set<String>) -> Bool {
    content.access { content in
      guard content.isBehind else { return sources.allSatisfy { content.inputs[$0]?.isSettled ?? true } }
      return content.inputs.isEmpty
    }
  }

  /// The readers see rows of the configuration before: the new version could not be stored, or an upstream has not answered yet. False for a
  /// frozen member, whose upstreams are not asked. On the table's queue.
  var showsFormer: Bool {
    let isAsked = context.replica.isLeading && table.withLock { $0.value }?.isAsleep == false
    return content.access { $0.isBehind || isAsked && $0.showsFormerRows }
  }

  /// Has sources say what they have where items of the service's own are to be laid out beside that. On the table's queue.
  func askForAll() {
    let names = content.access { $0.sourcesToAskForAll() }
    guard !names.isEmpty, let sources = table.withLock({ $0.value })?.sources else { return }
    context.client.queue.async {
      for source in sources where names.contains(source.name) { source.refreshAfterChange() }
    }
  }

  /// Tells the sources of answers that are none. On the table's queue.
  func tellOfRefusedAnswers() {
    let refused = content.access { content in
      defer { content.refusedAnswers = [] }
      return content.refusedAnswers
    }
    guard !refused.isEmpty, let sources = table.withLock({ $0.value })?.sources else { return }
    for refused in refused { sources.first { $0.name == refused.source }?.refuse(refused) }
  }

  /// Shows a table that is loading until the upstream has agreed again. Whoever reads it from now on waits for that.
  func conceal() {
    following.add(1, ordering: .acquiringAndReleasing)
    content.queue.async { [self] in
      content.access { $0.conceal() }
      publishContent { [self] _ in following.subtract(1, ordering: .acquiringAndReleasing) }
    }
  }

  /// Lets go of the answers that it shares with other tables, until it is read again.
  func letGo() {
    content.queue.async { [self] in
      let shown = versions.latest.table
      content.access { $0.letGo(showing: shown) }
    }
  }

  /// The upstream's refusal of a family's member, or of its caller, as such; on the table's queue. Nil: the table is
  /// stale, as it is the service's own trouble, or the upstream no longer has what it has answered before.
  var upstreamRefusal: TableError? {
    guard isMember else { return nil }
    let (inputs, isRestored) = content.access { ($0.inputs, $0.restored != nil && !$0.showsFormerRows) }
    for input in inputs.values {
      if let refusal = refusal(input, hasRows: isRestored || input.content != nil) { return refusal }
    }
    return nil
  }

  /// - Parameter hasRows: the upstream has answered what it is asked now. A caller's own rows are hidden by a 404 all the
  ///   same: it may stand for 403.
  private func refusal(_ input: SourceInput, hasRows: Bool) -> TableError? {
    guard let error = input.error, !error.isPartial else { return nil }
    let kind: TableError.Kind
    switch error.status {
    case 404 where isPrivate || !hasRows, 410 where isPrivate || !hasRows: kind = .unknown
    case 403 where isPrivate: kind = .forbidden
    case 401 where isPrivate: kind = .unauthenticated
    default: return nil
    }
    return TableError(error, kind, at: input.definition, showingItsWords: context.current.showsUpstreamsWords)
  }

  // MARK: Translations

  /// Has the translations follow what is the original's alone. On the table's queue, whenever that may have changed.
  ///
  /// - Parameter publishing: false where another replica will show what comes of it.
  func updateTranslations(publishing: Bool = true) {
    let translations = translations.withLock { $0 }
    guard !translations.isEmpty else { return }
    let original = content.access { $0 }
    // Commits on their way to the store are not shown yet.
    let own = isStored ? original.durable : original.own
    for translation in translations {
      translation.following.add(1, ordering: .acquiringAndReleasing)
      translation.content.queue.async {
        guard translation.content.access({ $0.follow(original, own: own, showing: translation.versions.latest.table) }),
          publishing
        else {
          return translation.followed(nil)
        }
        translation.publishContent { translation.followed($0) }
      }
    }
  }

  /// Calls `body` on the table's queue when all that the original has shared so far is shown, or could not be stored.
  func afterFollowing(_ body: @escaping @Sendable () -> Void) {
    content.queue.async { [self] in follow(body, attempts: Self.attemptsToFollow) }
  }

  /// A layout that was superseded by somebody else's version is made anew, and jobs that wait until nothing is under way have their turn
  /// before: both are waited for, too, unless others are never done.
  private func follow(_ body: @escaping @Sendable () -> Void, attempts: Int) {
    let again: @Sendable () -> Void = { [self] in follow(body, attempts: attempts - 1) }
    guard attempts > 0 else { return body() }
    let isWaiting = content.access { $0.commits.enqueueIfBlocked(again) || $0.commits.whenStored(body, undone: again) }
    if !isWaiting { body() }
  }

  static let attemptsToFollow = 20

  /// Gives the writer of the table that is in this one's place when it is known which one that is, and has shown what it has been told
  /// of; on that one's queue.
  func whenShownInPlace(_ body: @escaping @Sendable (TableWriter) -> Void) {
    whenDecided { [self] in
      let present = table.withLock { $0.value }?.present.writer ?? self
      guard present === self else { return present.whenShownInPlace(body) }
      afterFollowing { [self] in body(self) }
    }
  }

  /// The same, where another replica may be the one that shows it.
  func afterShowing(_ body: @escaping @Sendable () -> Void) {
    content.queue.async { [self] in
      guard isShared, !context.replica.isLeading, !followsItems else { return afterFollowing(body) }
      lookForNews(attempts: Self.attemptsToRead) { _ in body() }
    }
  }
}
