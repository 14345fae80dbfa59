import DequeModule
import Foundation
import GRDB
import Queues
import Synchronization

/// A store in one SQLite file, in WAL mode.
///
/// **What is promised, and how.** A commit of `full` durability is acknowledged after SQLite has synced the
/// write-ahead log (`synchronous=FULL`). One of `process` durability is acknowledged when the kernel has it
/// (`synchronous=NORMAL`), which outlives the process but not the machine. SQLite keeps a prefix of the commits
/// in either case, so after a power loss such versions may be missing at the end, and their numbers must not be
/// given to others under the same epoch: clients hold them. So a table's first commit of that kind in a run is
/// made with `full` and marks the table as *at risk*; a clean close takes the mark away; and who opens the file
/// after another boot of the machine (the kernel's boot identity tells) and finds marks gives those tables new
/// epochs. Tables whose commits were all `full` go on in theirs.
///
/// **Groups.** Commits that arrive while others are written are written next, in one transaction: one wait for
/// the disk for all. Where a group fails, its commits are tried one by one, so each succeeds or fails alone.
///
/// **Long versions.** Rows that are very many are written ahead of their version, a thousand at once, so that no other
/// table's commit waits for all of them (``StoreWriter/Slice``).
///
/// **The log.** Its pages are brought into the database beside those who write (``Checkpoints``).
///
/// **Threads.** Commits are written on the database's queue, or where nothing is being written and the caller may
/// block, on the caller's thread, which takes what is there now and leaves the rest to the queue.
public final class SQLiteStore: SingleProcessStore {
  let path: String
  let pool: DatabasePool
  let history: Int
  let now: @Sendable () -> Int64
  let lock: StoreLock
  /// The name of this run (``StoreMark``).
  private let run: String
  let checkpoints: Checkpoints
  private let files: StoreFiles
  private let observers = StoreObservers()
  let jobs = Mutex(Jobs())
  /// The queue that makes the rows of long versions ready to be written.
  let slicing: WorkQueue
  /// The queue that begins writing; nil: the database's own queue.
  private let begins: WorkQueue?
  private let closing: WorkQueue
  /// Touched on the database's writer queue alone.
  let writer: WriterBox

  typealias Completion = StoreCompletion<Void>

  /// `@unchecked Sendable`: `value` is read and changed only by jobs, which run one at a time on the writer's
  /// serial queue.
  final class WriterBox: @unchecked Sendable {
    var value: StoreWriter
    init(_ value: StoreWriter) { self.value = value }
  }

  init(
    path: String,
    pool: DatabasePool,
    history: Int,
    now: @escaping @Sendable () -> Int64,
    bounds: ReplyBounds,
    lock: StoreLock,
    run: String,
    checkpoints: Checkpoints,
    queues: QueueFactory
  ) {
    self.path = path
    self.pool = pool
    self.history = history
    self.now = now
    self.lock = lock
    self.run = run
    self.checkpoints = checkpoints
    files = StoreFiles(of: path)
    slicing = queues.concurrent("tablecast.store.slices")
    closing = queues.serial("tablecast.store.close")
    begins = queues.isGiven ? queues.serial("tablecast.store") : nil
    writer = WriterBox(StoreWriter(path: path, history: history, bounds: bounds, checkpoints.failedSync))
  }

  public func commit(_ commit: Commit, mayBlock: Bool, completion: @escaping StoreCompletion<Void>) {
    if !enqueue(.commit(QueuedCommit(commit, completion)), mayBlock: mayBlock) { completion(.failure(.closed)) }
  }

  public func restore(_ table: String, completion: @escaping StoreCompletion<StoredTable>) {
    perform(about: table, completion) { [self] db, writer in
      let stored = try writer.restore(table, in: db, readers)
      if writer.isForgetting { forget() }
      return stored
    }
  }

  public func changes(of table: String, since revision: Revision, completion: @escaping StoreCompletion<CatchUp>) {
    perform(about: table, completion) { [self] db, writer in
      let changes = try writer.changes(of: table, since: revision, in: db, readers)
      if writer.isForgetting { forget() }
      return changes
    }
  }

  public func observe(_ observer: @escaping @Sendable (StoreEvent) -> Void) -> StoreObservation {
    observers.add(observer)
  }

  public func rename(_ record: String, to name: String, completion: @escaping StoreCompletion<Void>) {
    perform(completion) { [self] db, writer in
      if let error = missingFile { throw error }
      try writer.rename(record, to: name, in: db)
    }
  }

  public func remove(_ table: String, completion: @escaping StoreCompletion<Void>) {
    let finish: StoreCompletion<Void> = { [observers] result in
      completion(result)
      if case .success = result { observers.tell(.removed(table: table)) }
    }
    perform(finish) { db, writer in try writer.remove(table, in: db) }
  }

  public func reply(_ key: ReplyKey, completion: @escaping StoreCompletion<StoredReply?>) {
    guard jobs.withLock({ !$0.isClosed }) else { return completion(.failure(.closed)) }
    let now = now()
    let read: @Sendable (Result<Database, any Error>) -> Void = { [path] result in
      completion(
        Result {
          try StoreWriter.reply(key, now: now, in: try result.get())
        }.mapError { StoreError($0, path: path) }
      )
    }
    guard let begins else { return pool.asyncRead(read) }
    begins.async { [pool] in
      do { try pool.read { read(.success($0)) } } catch { read(.failure(error)) }
    }
  }

  public func flush(completion: @escaping StoreCompletion<Void>) {
    perform(completion) { db, writer in try writer.sync(db) }
  }

  public func close(completion: @escaping StoreCompletion<Void>) {
    let finish: @Sendable (Database, inout StoreWriter) -> Void = { [self] db, writer in
      let closedMark = StoreMark(run: run, isClosed: true)
      lock.leave([StoreMark(run: run, log: StoreMark.log(of: path)), closedMark])
      let result = Result { try writer.finish(db) }.mapError { StoreError($0, path: path) }
      // Closing waits for the writer's queue, so it can't be done on it.
      closing.async { [self] in
        let closed = Result { try pool.close() }.mapError { StoreError($0, path: path) }
        if case (.success, .success) = (result, closed) { lock.leave([closedMark]) }
        lock.release()
        completion(result.flatMap { closed })
      }
    }
    checkpoints.close { [self] in
      if !enqueue(.task(about: nil, finish), closing: true) { completion(.failure(.closed)) }
    }
  }

  /// - Parameter record: the only one that is read or changed; nil: any may be.
  private func perform<Value: Sendable>(
    about record: String? = nil,
    _ completion: @escaping StoreCompletion<Value>,
    _ body: @escaping @Sendable (Database, inout StoreWriter) throws -> Value
  ) {
    let job = Job.task(about: record) { [path] db, writer in
      completion(Result { try writer.perform { try body(db, &$0) } }.mapError { StoreError($0, path: path) })
    }
    if !enqueue(job) { completion(.failure(.closed)) }
  }

  /// False where the store is closed.
  private func enqueue(_ job: Job, mayBlock: Bool = false, closing: Bool = false) -> Bool {
    let (accepted, starts, blocks) = jobs.withLock { jobs in
      guard !jobs.isClosed else { return (false, false, false) }
      jobs.isClosed = closing
      jobs.waiting.append(job)
      defer { jobs.isRunning = true }
      return (true, !jobs.isRunning, mayBlock && jobs.isQuick)
    }
    guard starts else { return accepted }
    if blocks, let group = next() {
      pool.writeWithoutTransaction { db in run(group, db) }
      guard isMoreWaiting() else { return accepted }
    }
    write { [self] db in work(db) }
    return accepted
  }

  /// Has a body do with the database what it likes, outside of a transaction.
  func write(_ body: @escaping @Sendable (Database) -> Void) {
    guard let begins else { return pool.asyncWriteWithoutTransaction(body) }
    begins.async { [pool] in pool.writeWithoutTransaction(body) }
  }

  /// The readers beside the writer; nil where all is done on one thread.
  private var readers: StoreReaders? { begins == nil ? StoreReaders(pool) : nil }

  /// Performs what waits, until nothing does.
  func work(_ db: Database) {
    while let group = next() { run(group, db) }
  }

  /// Performs what was taken from those that wait.
  private func run(_ jobs: [Job], _ db: Database) {
    var group: [QueuedCommit] = []
    var held = HeldJobs()
    for job in jobs {
      switch job {
      case .commit(let pending):
        // One before it in the same group may have begun.
        let isAhead = self.jobs.withLock { $0.isAhead(of: pending.commit.records) }
        if isAhead || held.shareRecord(with: pending.commit.records) {
          held.append(job)
        } else if !begins(pending, behind: group, db) {
          group.append(pending)
        }
      case .task(_, let task): task(db, &writer.value)
      }
    }
    if !held.jobs.isEmpty { self.jobs.withLock { $0.waiting.prepend(contentsOf: held.jobs) } }
    write(group, db)
  }

  /// Why nothing is to be written: nobody would find it.
  private var missingFile: StoreError? {
    files.missing.map { .failed("\($0) was moved or removed while it is in use: put it back, or start anew") }
  }

  /// Writes a group of commits, and completes them.
  func write(_ group: [QueuedCommit], _ db: Database) {
    guard !group.isEmpty else { return }
    if let error = missingFile {
      for entry in group { entry.completion(.failure(error)) }
      return
    }
    let clock = ContinuousClock()
    let began = clock.now
    let results = writer.value.write(group, now: now(), in: db)
    let isQuick = clock.now - began < Self.quick
    self.jobs.withLock { $0.isQuick = isQuick }
    for (entry, result) in zip(group, results) {
      entry.completion(result)
      guard case .success = result else { continue }
      entry.commit.forEachPart { part in
        guard part.changesTable else { return }
        observers.tell(.moved(table: part.table, revision: writer.value.revision(of: part.table)))
      }
    }
    checkpoints.note(db)
    if writer.value.isForgetting { forget() }
  }

  /// The next task alone, or the commits up to the next task; nil where nothing waits that may be done now.
  private func next() -> [Job]? {
    jobs.withLock { jobs in
      var (taken, held) = ([Job](), HeldJobs())
      loop: while let job = jobs.waiting.first, taken.count < Self.groupLimit {
        if jobs.isAhead(of: job.records) || held.shareRecord(with: job.records) {
          held.append(jobs.waiting.removeFirst())
          continue
        }
        switch job {
        case .task(let record, _):
          if taken.isEmpty, record != nil || jobs.ahead.isEmpty { taken.append(jobs.waiting.removeFirst()) }
          break loop
        case .commit: taken.append(jobs.waiting.removeFirst())
        }
      }
      jobs.waiting.prepend(contentsOf: held.jobs)
      jobs.isRunning = !taken.isEmpty
      return taken.isEmpty ? nil : taken
    }
  }

  /// After a group that a caller wrote: whether the queue has to go on.
  private func isMoreWaiting() -> Bool {
    jobs.withLock { jobs in
      jobs.isRunning = !jobs.waiting.isEmpty
      return jobs.isRunning
    }
  }

  /// So that the first of a group does not wait for ever more behind it.
  private static let groupLimit = 512

  /// How long a commit may keep its caller: what takes longer does not feel two changes of threads.
  private static let quick: Duration = .milliseconds(1)
}
