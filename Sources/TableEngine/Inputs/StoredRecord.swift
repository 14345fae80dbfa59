import Dispatch
import Queues
import TableModel
import TableStore
import Upstream

/// How far a record of the store is known here: a table's versions, or a source's items.
struct RecordProgress: Sendable {
  /// The base of the next commit: the record's revision with all commits under way. Nil: it is not stored.
  var base: Revision?
  /// The revision without that: what is gone back to where a commit fails.
  var durable: Revision?
  var commits = CommitsUnderWay()
  var looks = StoreLooks()
}

/// A record that other replicas may write, too. What is heard of their writing comes some milliseconds later, so before something
/// is said that it may have changed, the store is asked where the record stands.
protocol StoredRecord: AnyObject, Sendable {
  var storedName: String { get }
  var context: EngineContext { get }
  /// The queue of all of it.
  var queue: WorkQueue { get }
  /// Others may write to it.
  var isShared: Bool { get }
  /// True if a store that has nothing of it has lost it, which is not known here yet. On ``queue``.
  ///
  /// - Parameter known: the revision that was stored, as far as was known here, when the store was asked.
  func isLost(since known: Revision?) -> Bool

  /// On ``queue``.
  func progress<Value>(_ body: (inout RecordProgress) -> Value) -> Value

  /// Asks for what others have written since what is known to be stored. Until it is there, it counts as a commit under
  /// way: whoever has to be laid out anew waits for it. On ``queue``.
  func catchUp()

  func noteLook(isRead: Bool)
}

/// So long may the store take to say where a record stands, and to be read.
let patienceOfLooks = Duration.seconds(1)
private let patience = patienceOfLooks.dispatchInterval

/// So often is what a look has found to be missing read, where own commits are in the way.
private let attemptsOfLooks = 4

extension [any StoredRecord] {
  /// Has readers see all that was committed to any of these before this call. On any queue.
  ///
  /// - Parameter completion: On `queue`: false where one could not be read.
  func lookForNews(on queue: WorkQueue, _ completion: @escaping @Sendable (_ areRead: Bool) -> Void) {
    let areRead = JoinedCalls(true) { $0 = $0 && $1 }
    for record in self { record.lookForNews(areRead.begin()) }
    areRead.notify(on: queue, completion)
  }
}

extension StoredRecord {
  /// Has readers see all that was committed before this call, by whichever replica. On any queue.
  ///
  /// - Parameter completion: On ``queue``: false where the store could not be read.
  func lookForNews(_ completion: @escaping @Sendable (_ isRead: Bool) -> Void) {
    look { completion($0 == .read) }
  }

  /// The same. On any queue.
  ///
  /// - Parameter completion: On ``queue``.
  func look(_ completion: @escaping StoreLooks.Completion) {
    queue.async { [self] in
      guard isShared else { return completion(.read) }
      if progress({ $0.looks.ask(completion) }) { look() }
    }
  }

  /// The same, tried again where the store can't be read.
  func lookForNews(attempts: Int, _ completion: @escaping @Sendable (_ isRead: Bool) -> Void) {
    lookForNews { [self] isRead in
      guard !isRead, attempts > 1 else { return completion(isRead) }
      queue.asyncAfter(deadline: .now() + .milliseconds(100)) { [self] in
        lookForNews(attempts: attempts - 1, completion)
      }
    }
  }

  private func look() {
    let (number, known) = progress { ($0.looks.number, $0.durable) }
    let (name, begun) = (storedName, DispatchTime.now())
    queue.asyncAfter(deadline: begun + patience) { [weak self] in self?.expire(number, begun: begun) }
    context.store.revision(of: name) { [self] result in
      queue.async { [self] in
        switch result {
        case .failure(let error): endLook(number, LookOutcome(error))
        case .success(let revision): reach(revision, of: name, since: known, look: number, attempts: attemptsOfLooks)
        }
      }
    }
  }

  private func expire(_ number: UInt64, begun: DispatchTime) {
    if progress({ $0.looks.expire(number, begun: begun) }) { return look() }
    endLook(number, context.replica.isReachable ? .late : .unreachable)
  }

  /// Goes on until a revision, or a later one, can be seen.
  ///
  /// - Parameter known: what was stored, as far as was known here, when the look began: a store that stands before that has lost
  ///   it.
  private func reach(
    _ revision: Revision?,
    of name: String,
    since known: Revision?,
    look number: UInt64,
    attempts: Int
  ) {
    // It was found under another name.
    guard name == storedName else { return look() }
    let again: @Sendable () -> Void = { [self] in
      reach(revision, of: name, since: known, look: number, attempts: attempts - 1)
    }
    // With something of its own under way, what others wrote shows when that comes back.
    if progress({ $0.commits.whenStored(again, undone: again) }) { return }
    let isLost = revision == nil && isLost(since: known)
    let revision = isLost ? StoredTable().revision : revision
    let isSetBack = known.map { known in revision.map { $0.number < known.number } ?? false } ?? false
    guard let revision, let base = progress({ $0.base }), base != revision || isLost,
      base.number <= revision.number || isSetBack && base == known
    else { return endLook(number, .read) }
    guard attempts > 0 else { return endLook(number, context.replica.isReachable ? .late : .unreachable) }
    catchUp()
    if !progress({ $0.commits.whenStored(again, undone: again) }) { endLook(number, .late) }
  }

  private func endLook(_ number: UInt64, _ outcome: LookOutcome) {
    let (told, begins) = progress { $0.looks.end(number) }
    guard !told.isEmpty else { return }
    if isShared { context.replica.noteLook(outcome) }
    noteLook(isRead: outcome == .read)
    for completion in told { completion(outcome) }
    if begins { look() }
  }
}
