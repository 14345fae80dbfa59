import Dispatch
import Logging
import Queues
import Synchronization
import TableMapping
import Upstream

/// The tables that an upstream feeds, and what each has of its answers. Weakly held: a table owns its sources.
final class SourceListeners: Sendable {
  private let readers = Mutex(SourceReaders())
  /// The last answer, for tables that come later. On the sources' queue.
  let last: QueueBound<LastAnswer>
  /// Has the upstream asked for all that it has. On the sources' queue.
  private let askForAll = LateFunction<@Sendable () -> Void>()
  /// The news that are on their way into tables.
  private let deliveries = DispatchGroup()
  /// The title of the last failure, until it works again.
  private let failure = Mutex<String?>(nil)
  private let worked = Atomic(false)
  /// The number of the last answer with content.
  private let lastNumber: Atomic<UInt64>
  /// The last one of them that turned out to be none; 0: none did.
  private let refused = Atomic<UInt64>(0)
  /// None that was mapped since has turned out to be an answer.
  private let isDoubtful = Atomic(false)
  private let source: String
  private let asker: Asker
  let context: EngineContext

  /// For whom it is asked.
  struct Asker {
    /// The parameters of a family's member.
    var parameters: [String: String]
    /// A label that tells callers apart in a log, and nothing more; nil where it is asked with nobody's own fields.
    var caller: String?
  }

  /// The upstream's last answer.
  struct LastAnswer {
    /// Nil where this process was told only that what another one was told still holds.
    var content: SourceContent?
    var failure: UpstreamError?
    var isThere = false
    /// The upstream has answered this process, if only that nothing has changed.
    var hasSucceeded = false
    /// Edits that are to be laid over it.
    var edits = AnswerEdits()
  }

  init(source: String, asker: Asker, context: EngineContext) {
    (self.source, self.asker, self.context) = (source, asker, context)
    last = QueueBound(LastAnswer(), on: context.client.queue)
    lastNumber = Atomic(context.nextAnswer())
  }

  /// True if it ever gave items.
  var hasWorked: Bool { worked.load(ordering: .relaxed) }

  /// The readers, and what follows for the upstream from a change of them, as one step.
  func withReaders<Result>(_ body: (inout SourceReaders) -> Result) -> Result { readers.withLock { body(&$0) } }

  /// True if the upstream has answered at all. On the sources' queue.
  var hasAnswer: Bool { last.access { $0.isThere } }

  /// Returns whether a table lacks nothing that was answered: it was given the last answer, or stands for it. Not where it was told only that
  /// the upstream fails, be it as another process has left it, which may have answered more before it was killed. On the sources' queue.
  func hasTold(_ table: LiveTable) -> Bool {
    guard withReaders({ $0.hasHeard(answer, table) }) else { return false }
    return last.access { $0.hasSucceeded } || context.replica.areMembersLeft
  }

  /// True if nothing is known here of what the upstream has but what another replica has left of it. On the sources' queue.
  var hasOnlyWhatWasLeft: Bool { last.access { $0.content == nil } && withReaders { $0.isTakenOver } }

  /// - Parameter body: has the upstream asked for all that it has, as a table is to be told that; on the sources' queue.
  func whenContentIsMissing(_ body: @escaping @Sendable () -> Void) { askForAll.set(body) }

  /// The number of the last answer that was handed on: one of its own where there was none.
  var answer: UInt64 { lastNumber.load(ordering: .relaxed) }

  /// The tables that it feeds.
  var fed: [LiveTable] { withReaders { $0.tables } }

  /// The tables with readers, and those that always live: they alone are told its answers.
  var told: [LiveTable] { withReaders { $0.readTables } }

  /// Returns whether no other table has its answer, nor this one in another language.
  func feedsOnly(_ table: LiveTable) -> Bool { table.allTranslations.isEmpty && fed.allSatisfy { $0 === table } }

  /// Notes news that the next leader has to know of.
  func noteNews() {
    guard context.replica.isShared else { return }
    for table in fed { table.isToBeHandedOver.store(true, ordering: .releasing) }
  }

  /// An answer has turned out to be none. False where that is known.
  func refuse(_ answer: UInt64) -> Bool {
    isDoubtful.store(true, ordering: .relaxed)
    return refused.exchange(answer, ordering: .relaxed) != answer
  }

  func afterDeliveries(_ body: @escaping @Sendable () -> Void) {
    deliveries.notify(queue: context.background, execute: body)
  }

  /// Nobody is told that all is delivered, until `release`.
  func hold() { deliveries.enter() }
  func release() { deliveries.leave() }

  /// On the sources' queue.
  func receive(_ update: SourceUpdate) {
    switch update {
    case .content(let content):
      worked.store(true, ordering: .relaxed)
      lastNumber.store(context.nextAnswer(), ordering: .relaxed)
      last.access { last in
        var answer = SourceContent(content)
        answer.shared = SharedMappings(after: last.content?.shared)
        (last.content, last.failure, last.isThere) = (answer, nil, true)
        last.hasSucceeded = true
      }
    case .unchanged:
      // The answer may have been told to another process.
      worked.store(true, ordering: .relaxed)
      last.access { ($0.failure, $0.isThere, $0.hasSucceeded) = (nil, true, true) }
    case .failed(let error): last.access { ($0.failure, $0.isThere) = (error, true) }
    }
    context.refreshes.count(update, of: source)
    var (isMissing, isFailure) = (false, false)
    if case .failed = update { isFailure = true }
    let told = withReaders { readers in
      if !isFailure { readers.noteAnswer() }
      return readers.hear(answer, concernsAll: isFailure)
    }
    for (table, isUpToDate) in told where !tell(table, isUpToDate: isUpToDate) { isMissing = true }
    compare()
    if isMissing { askForAll.function?() }
    // Where the answer before was none, it is known whether it works again when this one is mapped.
    if case .content = update, isDoubtful.load(ordering: .relaxed) {
      let answer = answer
      afterDeliveries { [self] in
        guard refused.load(ordering: .relaxed) < answer else { return }
        isDoubtful.store(false, ordering: .relaxed)
        log(update)
      }
    } else {
      log(update)
    }
    noteNews()
  }

  /// Forgets the last answer, as another replica has asked the upstream since. On the sources' queue.
  func forget() { last.access { $0 = LastAnswer(edits: $0.edits) } }

  /// Tells a table that reads from now on what the upstream said last. On the sources' queue.
  /// Nothing where it has not answered yet: that comes. Reads that begin from now on are to show it.
  func bring(_ table: LiveTable) {
    guard last.access({ $0.isThere }), let isUpToDate = withReaders({ $0.hear(answer, table) }) else { return }
    if !tell(table, isUpToDate: isUpToDate, isEdit: true) { askForAll.function?() }
  }

  /// Tells a table, in all its languages, what the upstream said last.
  ///
  /// - Parameters:
  ///   - isUpToDate: it has the last content.
  ///   - isEdit: an edit has been laid over that: reads that begin from now on are to show it.
  /// - Returns: false where it can't be told: what still holds is what another process was told, and not known here.
  @discardableResult
  func tell(_ table: LiveTable, isUpToDate: Bool, isEdit: Bool = false) -> Bool {
    let last = last.access(\.self)
    let news: SourceNews
    if !isUpToDate, let content = last.content {
      news = .content(content, answer, failedSince: last.failure)
    } else if let failure = last.failure {
      news = .failure(failure)
      if !isUpToDate { withReaders { $0.miss(table) } }
    } else if isUpToDate {
      news = .unchanged
    } else {
      return false
    }
    // Readers of a member that is about to be kept up again wait for what was said meanwhile, whoever tells it first.
    let isAwaited = isEdit || table.isMember && table.upkeep.withLock { $0.isResuming }
    for table in table.all { give(news, to: table, isEdit: isAwaited) }
    return true
  }

  /// Gives news to a table in one of its languages.
  func give(_ news: SourceNews, to table: LiveTable, isEdit: Bool) {
    let isAgreed = !table.isPrivate || withReaders { $0.agreement == .given }
    deliveries.enter()
    table.writer.receive(news, from: source, isAgreed: isAgreed, isEdit: isEdit) { [deliveries] in deliveries.leave() }
  }

  /// Finds out which of the tables that are told only of content that concerns them the last content does, and tells these. On the
  /// sources' queue.
  private func compare() {
    guard let content = last.access({ $0.content }) else { return }
    let number = answer
    let comparisons = withReaders { $0.standing.isBehind(number) ? $0.beginComparing() : [] }
    guard !comparisons.isEmpty else { return }
    deliveries.enter()
    // As much work as a mapping, which makes the rows for all of them.
    context.queue("tablecast.answers.\(source)", isMember: false).async { [self] in
      let found = comparisons.map { (comparison: $0, keys: $0.keys(ofChangesTo: content)) }
      context.client.queue.async { [self] in
        let concerned = withReaders { $0.endComparing(found, to: content, number, last: answer) }
        for table in concerned { tell(table, isUpToDate: false) }
        compare()
        deliveries.leave()
      }
    }
  }

  /// A table has shown what it was told last, and need not be told of content that does not concern it. On the table's queue.
  func stand(_ table: LiveTable) {
    let content = table.writer.content
    // Each table that replicas share is left to the next leader with the answer that it has.
    guard !context.replica.isShared, table.allTranslations.isEmpty, let standing = content.access({ $0.standing }),
      let answer = withReaders({ $0.stand(table, standing.key, standing.content, standing.answer) })
    else { return }
    content.access { $0.stand(on: answer) }
  }

  /// A table has another definition, by which it may be found otherwise: it is told of all that comes. On any queue.
  func rouse(_ table: LiveTable) {
    guard withReaders({ $0.rouse(table) && !$0.hasHeard(answer, table) }) else { return }
    context.client.queue.async { [self] in bring(table) }
  }

  /// Logs the beginning and the end of trouble: a source that fails each second all night says so twice.
  private func log(_ update: SourceUpdate) {
    let (last, now) = failure.withLock { failure in
      defer { if case .failed(let error) = update { failure = error.title } else { failure = nil } }
      return (failure, update)
    }
    switch now {
    case .content, .unchanged:
      if last != nil, asker.caller == nil { context.logger.notice("A source works again", metadata: metadata) }
    case .failed(let error):
      // That a caller is refused is the caller's trouble, and said to them.
      let isExpected = last == error.title || (asker.caller != nil && [401, 403, 404].contains(error.status))
      context.logger.log(
        level: isExpected ? .debug : .warning,
        "A source failed",
        metadata: metadata.merging(["title": "\(error.title)", "detail": "\(error.detail)"]) { $1 }
      )
    }
  }

  /// The source, its member, and its caller.
  private var metadata: Logger.Metadata {
    var metadata: Logger.Metadata = ["source": "\(source)"]
    if !asker.parameters.isEmpty {
      let parameters = asker.parameters.sorted { $0.key < $1.key }.map { "\($0)=\($1)" }
      metadata["parameters"] = "\(parameters.joined(separator: ";"))"
    }
    if let caller = asker.caller { metadata["caller"] = "\(caller)" }
    return metadata
  }
}

extension SourceContent {
  fileprivate init(_ fetched: FetchedContent) {
    switch fetched.form {
    case .pages(let pages): self = .pages(pages, lists: fetched.lists)
    case .items(let items): self = .items(items.map { SourceItem(bytes: $0) })
    }
    isTruncated = fetched.isTruncated
  }
}
