import Definitions
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
  /// It shows what another one takes in, in another language.
  let isTranslation: Bool
  /// As it was made; another configuration may have another environment.
  let variables: MappingVariables
  /// True for a member of a family: its memory is counted.
  let isMember: Bool
  /// The bytes that it holds, where they are counted.
  let heldBytes = Atomic(0)
  /// The maker of versions; on the table's queue.
  let content: QueueBound<TableContent>
  /// How many edits have come and were not begun yet.
  let editsAhead = Atomic(0)
  /// The number of commits of its inputs that it has still to take over and show.
  let following = Atomic(0)
  /// The table that it writes for.
  let table = Mutex(WeakTable())
  /// The writers of the same table in other languages.
  let translators = Mutex<[TableWriter]>([])
  /// The items of its own source, where these are the service's and can be edited through it.
  let log: ItemLog?
  /// Other sources of the service's own that it shows or looks up.
  let otherLogs = Mutex<[ItemLog]>([])

  /// The key of the answers to its edits: a caller whose next token has other claims repeats an edit all the same.
  var answersName: String { StoredName.of(name, in: isTranslation ? variables.locale : nil) }

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
    variables = content.variables
    self.sharedName = sharedName
    storedName = StoredName.of(sharedName, in: isTranslation ? variables.locale : nil)
    self.context = context
    self.content = QueueBound(content, on: context.queue("tablecast.table.\(name)", isMember: isMember))
  }

  /// Shows a prepared version to readers and waiters. On the table's queue.
  func publish(_ version: Version) {
    content.queue.check()
    let previous = versions.current
    guard versions.publish(version) else { return }
    table.withLock { $0.value }?.announce(from: previous)
    // Sources' answers are checked when they come, whether anything is shown of them or not.
    if content.access({ $0.local != nil }) { logSkipped() }
  }

  // MARK: Ending

  /// Begins no change any more: whoever asks for one is told that the table is gone. What is on its way is stored.
  func close() {
    content.queue.async { [self] in
      for waiter in content.access({ $0.gate.close() }) { waiter() }
    }
  }

  /// The same for now, when it returns; for who makes another owner of what is stored.
  func shut() { content.queue.sync { content.access { $0.gate.shut() } } }

  /// Goes on after all.
  func reopen() {
    let waiters = content.queue.sync { content.access { $0.gate.reopen() } }
    content.queue.async { [self] in
      publishContent { _ in for waiter in waiters { waiter() } }
    }
  }

  /// Calls on the table's queue, when it is known whether the table goes on.
  func whenDecided(_ body: @escaping @Sendable () -> Void) {
    content.queue.async { [self] in
      if !content.access({ $0.gate.await(body) }) { body() }
    }
  }

  // MARK: Reading what it has

  func item(
    _ row: String,
    orHidden: Bool,
    _ completion: @escaping @Sendable (Result<RepresentedObject, TableError>) -> Void
  ) {
    content.queue.async { [self] in
      let object = content.access { content in
        content.refreshResult(named: name)
        // Where rows are the callers' own, hidden ones are others'.
        return content.object(row).flatMap { $0.isHidden && content.isOfCallers ? nil : $0 }
      }
      if let object, orHidden || !object.isHidden { return completion(.success(object)) }
      completion(.failure(.notFound("The table `\(name)` has no row `\(row)`.")))
    }
  }

  func skipped(_ completion: @escaping @Sendable (SkippedItems) -> Void) {
    content.queue.async { [self] in completion(content.access { $0.skipped }) }
  }
}

extension TableWriter: StoredRecord {
  var queue: WorkQueue { content.queue }

  var isShared: Bool { isStored && context.replica.isShared }

  func progress<Value>(_ body: (inout RecordProgress) -> Value) -> Value { content.access { body(&$0.record) } }

  func noteLook(isRead: Bool) { reader.noteLook(isRead: isRead) }
}

/// The table that a writer writes for, which owns it.
struct WeakTable {
  weak var value: LiveTable?
}
