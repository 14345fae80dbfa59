import Definitions
import Dispatch
import Logging
import Queues
import Synchronization
import TableMapping
import TableModel
import TableStore
import Upstream

/// The only writer of a table's versions: it takes in what sources say and what clients edit, stores what comes of it, and shows it.
///
/// All of it runs on the table's own serial queue, where `content` is. What it publishes it hands to the reader; what
/// the table's readers must be told beside that, to the table.
final class TableWriter: Sendable {
  let name: String
  /// The replicas' name for it: its name; a member that depends on who asks has a digest of that behind it.
  let sharedName: String
  /// The name that the store keeps it under.
  let storedName: String
  let reader: TableReader
  let context: EngineContext
  /// Versions outlive the process. Not those of a family's members, which come and go with their readers, unless replicas
  /// share them.
  let isStored: Bool
  /// The rows are one caller's own.
  let isPrivate: Bool
  /// It shows the same as another one in another language, and is stored beside it: taps for everyone and rows' objects are stored
  /// with that one.
  let isTranslation: Bool
  /// As it was made; another configuration may have another environment.
  let variables: MappingVariables
  /// As ``TableContent/sharesItems``.
  let sharesItems: Bool
  /// True for a member of a family: its memory is counted.
  let isMember: Bool
  /// The bytes that it holds, where they are counted.
  let heldBytes = Atomic(0)
  /// The maker of versions; on the table's queue.
  let content: QueueBound<TableContent>
  /// How many edits have come and were not begun yet.
  let editsAhead = Atomic(0)
  /// True while an edit with a condition, in any language, is on its way to the upstream through this process (``ConditionalTurn``).
  let isConditionalUnderWay = Atomic(false)
  /// The number of commits of its inputs that it has still to take over and show.
  let following = Atomic(0)
  /// The number of these that can't be shown, as the version that shows them could not be stored: until it is, reads are refused.
  let unshownCommits = Atomic(0)
  var isBehindInputs: Bool { unshownCommits.load(ordering: .acquiring) > 0 }
  /// How often it was set back behind the items that a read barrier has passed with.
  let setBacks = Atomic(0)
  /// Published versions, to be announced to waiters; each with its predecessor.
  private let untold = Mutex<[(previous: Version, published: Version)]>([])
  /// The table that it writes for.
  let table = Mutex(WeakTable())
  /// The writers of the same table in other languages.
  let translations = Mutex<[TableWriter]>([])
  /// The items of its own source, where these are the service's and can be edited through it.
  let log: ItemLog?
  /// Other sources of the service's own that it shows or looks up.
  let otherLogs = Mutex<[ItemLog]>([])

  /// The answers to its changes.
  let answers: KeyedAnswers

  /// The key of the answers to its edits: a caller whose next token has other claims repeats an edit all the same.
  var answersName: String { answers.table }

  var versions: TableVersions { reader.versions }

  init(
    _ name: String,
    sharedName: String,
    content: TableContent,
    reader: TableReader,
    isStored: Bool,
    isPrivate: Bool,
    isTranslation: Bool,
    log: ItemLog?,
    isMember: Bool,
    context: EngineContext
  ) {
    (self.name, self.reader, self.isStored, self.isPrivate) = (name, reader, isStored, isPrivate)
    (self.isTranslation, self.isMember, self.log) = (isTranslation, isMember, log)
    (variables, sharesItems) = (content.variables, content.sharesItems)
    self.sharedName = sharedName
    storedName = StoredName.of(sharedName, in: isTranslation ? variables.locale : nil)
    self.context = context
    self.content = QueueBound(content, on: context.queue("tablecast.table.\(name)", isMember: isMember))
    answers = KeyedAnswers(
      table: StoredName.of(name, in: isTranslation ? variables.locale : nil),
      // For a member nothing is stored but the items that are edited through it, and answers. Of a table that depends on callers'
      // header fields nothing is stored.
      record: isStored ? storedName : log?.storedName ?? (isPrivate ? nil : storedName),
      queue: self.content.queue,
      context: context
    )
  }

  /// Shows a prepared version to readers and waiters. On the table's queue.
  func publish(_ version: Version) {
    content.queue.check()
    let previous = versions.current
    guard versions.publish(version) else { return }
    announce(from: previous)
    // Sources' answers are checked when they come, whether anything is shown of them or not.
    if content.access({ $0.local != nil }) { logSkipped() }
  }

  /// Tells those who wait of what was published after a version, when the queue has done what it has by now: commits that the store
  /// has written together wake the readers' thread once. Each is told of by itself, as somebody may have come to wait between two.
  func announce(from previous: Version) {
    reader.noteChanges(after: previous)
    // Held until they were looked at: a short history may have forgotten them by then.
    let step = (previous, versions.current)
    let isFirst = untold.withLock { untold in
      defer { untold.append(step) }
      return untold.isEmpty
    }
    guard isFirst else { return }
    content.queue.async { [self] in
      let all = untold.withLock { untold in
        defer { untold.removeAll() }
        return untold
      }
      guard let table = table.withLock({ $0.value }) else { return }
      for (previous, published) in all { table.announce(published, after: previous) }
    }
  }

  // MARK: Ending

  /// Begins no change any more: whoever asks for one is told that the table is gone. What is on its way is stored.
  func close() {
    // At once, as it is told of nothing any more: whoever still reads it waits, and reads what is in its place.
    following.add(1, ordering: .acquiringAndReleasing)
    content.queue.async { [self] in
      for waiter in content.access({ $0.gate.close() }) { waiter() }
    }
  }

  /// The same for now, when it returns; for who makes another owner of what is stored.
  func shut() async { await content.queue.run { [content] in content.access { $0.gate.shut() } } }

  /// Goes on after all.
  func reopen() {
    content.queue.async { [self] in
      let waiters = content.access { $0.gate.reopen() }
      publishContent { _ in for waiter in waiters { waiter() } }
    }
  }

  /// Calls on the table's queue, when it is known whether the table goes on.
  func whenDecided(_ body: @escaping @Sendable () -> Void) {
    content.queue.async { [self] in
      if !content.access({ $0.gate.await(body) }) { body() }
    }
  }

  /// Calls on the table's queue with whether all sources have said what they have, and it is shown.
  func whenSourcesHaveAnswered(_ body: @escaping @Sendable (Bool) -> Void) {
    content.queue.async { [self] in
      body(content.access { $0.haveAnswered($0.mapper.sources) && !$0.isBehind })
    }
  }

  // MARK: Changes that clients ask for

  /// Carries a change out. On any queue.
  ///
  /// - Parameter completion: given its answer, on any queue.
  func change(_ change: any Change, _ completion: @escaping @Sendable (EditResult) -> Void) {
    content.queue.async { ChangeRun(change, completion).begin() }
  }

  /// Returns the refusal of a change before it is tried: nobody changes this table any more, or `If-Match` names another
  /// version than the one it would be built on. On the table's queue.
  func refusal(of preconditions: EditPreconditions) -> TableError? {
    if content.access({ $0.gate.isClosed }) || log?.isRetired ?? false {
      return TableError(.unavailable, detail: "The table `\(name)` is being replaced.", retryAfter: .seconds(1))
    }
    guard let condition = preconditions.condition, !condition.holds(for: versions.latest.cursor) else { return nil }
    return .movedOn
  }

  /// So often is the store looked at for what another replica has said that it is there.
  static let attemptsToRead = 10

  /// Finds out whether what others are to be shown can be stored, before something is begun outside that can't be undone.
  ///
  /// - Parameter completion: why it is not to be begun; nil: it may be. On any queue.
  func whenStoreAnswers(_ completion: @escaping @Sendable (TableError?) -> Void) {
    guard isShared else { return completion(nil) }
    guard context.replica.isReachable else { return completion(.storeUnreachable) }
    context.store.revision(of: storedName) { result in
      if case .failure = result { completion(.storeUnreachable) } else { completion(nil) }
    }
  }

  /// Takes over what others have written to the table, to the items that it shows, and to the original, with which the objects of its rows
  /// are stored. On the table's queue, as `completion` is called.
  func lookForNewsOfInputs(_ completion: @escaping @Sendable (_ isRead: Bool) -> Void) {
    let doubts = content.access { $0.inputDoubts }
    let original = isTranslation ? table.withLock { $0.value?.original } : nil
    let records = logs as [any StoredRecord] + (original.map { [$0] } ?? []) + [self]
    records.lookForNews(on: content.queue) { [self] isRead in
      if isRead { content.access { $0.settledDoubts = max($0.settledDoubts, doubts) } }
      completion(isRead)
    }
  }

  // MARK: Reading what it has

  func skipped(_ completion: @escaping @Sendable (SkippedItems) -> Void) {
    content.queue.async { [self] in
      completion(
        content.access { content in
          content.refreshResult(named: name)
          defer { content.letGoOfPart() }
          return content.skipped
        }
      )
    }
  }

  /// The first items without a row, with the reason: each is said once. On the table's queue.
  func logSkipped() {
    // Mostly there are none: nothing is copied to find that out.
    let isPartial = content.access { $0.result.map { !$0.warnings.isEmpty || $0.skippedItems > 0 } ?? false }
    guard isPartial, let result = content.access({ $0.result }) else { return }
    for warning in result.warnings where context.isFirst("\(name)\u{0}\(warning)") {
      context.logger.notice("A part of the table is missing", metadata: ["table": "\(name)", "reason": "\(warning)"])
    }
    for item in result.skipped {
      // Neither its place nor the value that doesn't fit: both may be others each time.
      let which = item.id ?? "\(item.type ?? "")\u{0}"
      let saying = "\(name)\u{0}\(item.source)\u{0}\(which)\u{0}\(item.field ?? item.reason)"
      guard context.isFirst(saying) else { continue }
      context.logger.notice(
        "An item has no row",
        metadata: [
          "table": "\(name)", "source": "\(item.source)", "index": "\(item.index)", "id": "\(item.id ?? "-")",
          "type": "\(item.type ?? "-")", "reason": "\(item.reason)",
        ]
      )
    }
    if result.skippedItems > result.skipped.count, context.isFirst("\(name)\u{0}more skipped items") {
      context.logger.notice(
        "Items without rows",
        metadata: ["table": "\(name)", "count": .stringConvertible(result.skippedItems)]
      )
    }
  }
}

extension TableWriter: ReadInput {
  /// The inputs beside upstreams: the original of a translation, which has the same items; else the items of the
  /// service's own.
  var inputs: [any ReadInput] {
    if isTranslation, let original = table.withLock({ $0.value?.original }) { return [original] }
    return logs
  }

  /// True if a read has to wait at all, or to look. O(inputs).
  ///
  /// Every read asks: the inputs are looked at where they are, and no list is made of them.
  var needsReadBarrier: Bool {
    if isShared || following.load(ordering: .acquiring) > 0 { return true }
    if isTranslation, let original = table.withLock({ $0.value?.original }) { return original.needsReadBarrier }
    return log?.needsReadBarrier ?? false || otherLogs.withLock { $0.contains { $0.needsReadBarrier } }
  }

  func readBarrier(_ completion: @escaping StoreLooks.Completion) { ReadBarrier(writer: self).pass(completion) }
}

extension TableWriter: StoredRecord {
  var queue: WorkQueue { content.queue }

  var isShared: Bool { isStored && context.replica.isShared }

  func progress<Value>(_ body: (inout RecordProgress) -> Value) -> Value { content.access { body(&$0.record) } }

  /// All but members are stored when they begin, by this replica or by the one that was first.
  func isLost(since known: Revision?) -> Bool {
    content.access { !$0.isLost && (known?.number ?? 0 > 0 || !isMember && !$0.isKnownToStore) }
  }

  func noteLook(isRead: Bool) { reader.noteLook(isRead: isRead) }
}

/// The table that a writer writes for, which owns it.
struct WeakTable {
  weak var value: LiveTable?
}
