import Definitions
import Logging
import Queues
import Synchronization
import TableMapping
import TableModel
import TableStore

/// The items of one of the service's own sources. They belong to nobody else: tables that show them follow, and come and go with
/// configurations.
///
/// ```
/// log.plan(on: queue) { head in          // at its turn: nobody else plans on these items meanwhile
///   defer { log.endPlanning() }
///   …                                    // an edit of head.items
///   guard let part = log.begin(changes, making: items, plannedOn: head.revision) else { return … }
///   commit.beside = [part]               // beside the version of the table through which the edit came
///   store.commit(commit) { log.ended($0, by: writer); … }
/// }
/// ```
///
/// Edits are planned one after the other, each on all that are under way, and stored in groups. Where one can't be stored, those
/// built on it are refused by the store, as their base was never made: they are planned again. What is committed is handed to
/// the tables that show it, none of which can delay or fail an edit through another one.
final class ItemLog: StoredRecord {
  /// The source's name.
  let source: String
  /// The record that has the items. Another replica's newer configuration may call it otherwise than this one does.
  var storedName: String { record.withLock { $0 } }
  private let record: Mutex<String>
  let context: EngineContext
  let queue: WorkQueue
  private let state: Mutex<ItemLogState>
  private let readers = Mutex<[ObjectIdentifier: WeakWriter]>([:])

  private struct WeakWriter {
    weak var value: TableWriter?
    /// Rises with those that come.
    var number: Int
  }
  private let readerCount = Atomic(0)
  /// The content that families' members share, at the revision of the last request for it.
  private let shared = Mutex<(revision: Revision, content: SourceContent)?>(nil)

  /// - Parameter isStored: the store has it; else it is the configuration's, and was written by nobody yet.
  init(_ source: String, in record: String, _ snapshot: ItemSnapshot, isStored: Bool, _ context: EngineContext) {
    (self.source, self.context) = (source, context)
    self.record = Mutex(record)
    queue = context.queue("tablecast.items.\(source)", isMember: false)
    state = Mutex(ItemLogState(snapshot, isStored: isStored))
  }

  /// The revision that tables may show.
  var committed: ItemSnapshot { state.withLock { $0.committed } }

  /// The store has it; else it is the configuration's.
  var isStored: Bool { state.withLock { $0.isStored } }

  var isShared: Bool { context.replica.isShared }

  func progress<Value>(_ body: (inout RecordProgress) -> Value) -> Value {
    state.withLock { body(&$0.progress) }
  }

  func isLost(since known: Revision?) -> Bool { known?.number ?? 0 > 0 }

  func noteLook(isRead: Bool) {}

  // MARK: Edits

  /// Gives the turn to plan an edit: `plan` is called on `queue`, at once where nobody else has it, and has to end it by
  /// ``endPlanning()``. On `queue`.
  func plan(on queue: WorkQueue, _ plan: @escaping ItemLogState.Plan) {
    take(ItemLogState.Planner(queue: queue, plan: plan), isHanded: false)
  }

  private func take(_ planner: ItemLogState.Planner, isHanded: Bool) {
    let again: @Sendable () -> Void = { [self] in planner.queue.async { [self] in take(planner, isHanded: false) } }
    let head = state.withLock { $0.takeTurn(planner, isHanded: isHanded, again: again) }
    if let head { return planner.plan(head) }
    if isHanded { endPlanning() }
  }

  func endPlanning() {
    guard let next = state.withLock({ $0.endTurn() }) else { return }
    next.queue.async { [self] in take(next, isHanded: true) }
  }

  /// Takes the turn and keeps it until ``endPlanning()``: edits wait, and what was begun before is on its way to the store.
  func holdTurn() async { await withCallback { isHeld in plan(on: queue) { _ in isHeld(()) } } }

  /// The record is another log's: whoever plans an edit on this one is refused, and asks again.
  func retire() { state.withLock { $0.retire() } }

  var isRetired: Bool { state.withLock { $0.isRetired } }

  /// Another table waits for its turn.
  var isAwaited: Bool { state.withLock { $0.isAwaited } }

  /// Begins a commit, which is to be given to the store before the turn ends.
  ///
  /// - Returns: what is to be written; nil where what it was planned on is undone by now.
  func begin(_ changes: ItemChanges, making items: LocalItems, plannedOn revision: Revision) -> Commit? {
    var commit = Commit(table: storedName, durability: .full, items: changes)
    commit.base = revision
    return state.withLock { $0.begin(commit, making: items, plannedOn: revision) } ? commit : nil
  }

  /// A commit has come back: where it is stored, the tables that show the items follow. In the order of the commits, on the
  /// store's queue.
  ///
  /// - Parameter writer: what has given it to the store, whose version it was stored with.
  /// - Returns: why the commit could not be stored on which this one was planned, where that is the reason of its failure.
  @discardableResult func ended(_ result: Result<Void, StoreError>, by writer: TableWriter?) -> StoreError? {
    let (catchesUp, calls, baseFailure) = state.withLock { $0.end(result) }
    if case .success = result { tellReaders(isOwn: true, but: writer) }
    if catchesUp { queue.async { [self] in readOthers() } }
    for call in calls { queue.async(execute: call) }
    return baseFailure
  }

  /// Stores the configuration's items, where nothing is stored. `completion` is called when that is done, here or by another
  /// replica; with ``StoreError/superseded`` where that has given the record another name since.
  func storeFirst(_ completion: @escaping @Sendable (StoreError?) -> Void) {
    plan(on: queue) { [self] head in
      defer { endPlanning() }
      guard !isStored else { return completion(nil) }
      var items = head.items
      guard let commit = begin(items.takeChanges(), making: items, plannedOn: head.revision) else {
        return completion(.superseded)
      }
      context.store.commit(commit) { [self] result in
        ended(result, by: nil)
        switch result {
        case .success: completion(nil)
        case .failure(.superseded): whenCaughtUp { [self] in completion(isStored ? nil : .superseded) }
        case .failure(let error): completion(error)
        }
      }
    }
  }

  // MARK: What others have written

  /// The record stands at a revision, as the store says; perhaps known already.
  func moved(to revision: Revision) {
    queue.async { [self] in
      guard progress({ $0.base != revision && $0.commits.isEmpty }) else { return context.replica.caughtUp(storedName) }
      catchUp()
    }
  }

  func catchUp() {
    progress { $0.commits.beginCatchingUp() }
    readOthers()
  }

  private func whenCaughtUp(_ body: @escaping @Sendable () -> Void) {
    queue.async { [self] in if !progress({ $0.commits.whenStored(body, undone: body) }) { body() } }
  }

  private func readOthers() {
    let known = state.withLock { $0.committed.revision }
    context.store.changes(of: storedName, since: known) { [self] result in
      queue.async { [self] in
        guard case .success(.replaced(let nothing)) = result, nothing.items == nil, isStored else {
          return take(result)
        }
        if let name = nothing.newName {
          goOn(in: name)
          return readOthers()
        }
        findRecord(in: presentReaders.filter { $0.log === self && $0.isStored }[...]) { [self] found in
          switch found {
          case .success(nil): take(result)
          case .success(let name?):
            goOn(in: name)
            readOthers()
          case .failure(let error): take(.failure(error))
          }
        }
      }
    }
  }

  private func take(_ others: Result<CatchUp, StoreError>) {
    switch others {
    case .success(let others):
      let wasStored = isStored
      if state.withLock({ $0.follow(others) }) { tellReaders(isOwn: false) }
      // One that nobody reads any more is about to be another log's.
      if wasStored, !isStored, !presentReaders.isEmpty { storeFirst { _ in } }
      context.replica.caughtUp(storedName)
    case .failure(let error):
      context.logger.error(
        "What others wrote could not be read",
        metadata: ["source": "\(source)", "reason": "\(error)"]
      )
    }
    for call in progress({ $0.commits.end(isStored: false, retry: nil) }) { call() }
  }

  /// Finds the name that another replica has given the record: whatever shows it calls it so, too, since then. Nil: the store has lost
  /// it.
  private func findRecord(
    in tables: ArraySlice<TableWriter>,
    _ completion: @escaping @Sendable (Result<String?, StoreError>) -> Void
  ) {
    guard let table = tables.first else { return completion(.success(nil)) }
    context.store.restore(table.storedName) { [self] result in
      queue.async { [self] in
        let name = result.map { $0.inputs.own == storedName ? nil : $0.inputs.own }
        if case .success(nil) = name { findRecord(in: tables.dropFirst(), completion) } else { completion(name) }
      }
    }
  }

  private func goOn(in name: String) {
    let former = record.withLock { record in
      defer { record = name }
      return record
    }
    for reader in presentReaders { reader.input(former, isCalled: name) }
    context.replica.caughtUp(former)
  }

  // MARK: Readers

  /// The items for those members of families that map them in common: one value for all of these.
  func sharedContent(of snapshot: ItemSnapshot) -> SourceContent {
    shared.withLock { shared in
      if let shared, shared.revision == snapshot.revision { return shared.content }
      var content = SourceContent.owned(MappedItems(items: snapshot.items))
      content.shared = SharedMappings(after: shared?.content.shared)
      shared = (snapshot.revision, content)
      return content
    }
  }

  /// A table follows from now on, and is given what was committed since it was made.
  func add(_ reader: TableWriter) {
    let number = readerCount.add(1, ordering: .relaxed).newValue
    readers.withLock { $0[ObjectIdentifier(reader)] = WeakWriter(value: reader, number: number) }
    reader.follow(self, isOwn: false)
  }

  func remove(_ reader: TableWriter) {
    readers.withLock { $0[ObjectIdentifier(reader)] = nil }
  }

  private func tellReaders(isOwn: Bool, but writer: TableWriter? = nil) {
    for reader in presentReaders where reader !== writer { reader.follow(self, isOwn: isOwn) }
  }

  /// In the order in which they came, not in that of their addresses.
  private var presentReaders: [TableWriter] {
    readers.withLock { $0.values.sorted { $0.number < $1.number }.compactMap(\.value) }
  }
}

extension ItemLog: ReadInput {
  var needsReadBarrier: Bool { isShared }

  func readBarrier(_ completion: @escaping StoreLooks.Completion) { look(completion) }
}
