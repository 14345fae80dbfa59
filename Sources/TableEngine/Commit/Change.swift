import Queues
import TableModel
import TableStore

/// A change of a table that a client asks for: how it is planned, and where it is committed. Which step comes when is said by
/// ``ChangeProgress``.
protocol Change: TableJob {
  /// How the client sees the table: the answer's cursor is one of its view.
  var lens: Lens { get }
  var idempotency: Idempotency? { get }
  /// It is done before its answer can be kept, so no other replica may do it for so long: until then whoever has claimed it has done
  /// it, or never will. Nil: its commit has the answer in it.
  var claim: Duration? { get }
  /// On the table's queue.
  var terms: ChangeProgress.Terms { get }
  /// Returns whether an outcome is kept for repeats.
  func keeps(_ outcome: EditResult) -> Bool

  /// Plans it on what there is, and commits it; or says what refuses it. At its turn: on the table's queue, while nothing is being
  /// undone.
  ///
  /// - Parameter run: to be told of the outcome once, on the table's queue.
  func carryOut(_ run: ChangeRun)
}

/// Work on a table that is a type of its own: it uses the table's writer, on whose queue it is done.
protocol TableJob: Sendable {
  var writer: TableWriter { get }
}

extension TableJob {
  var content: QueueBound<TableContent> { writer.content }
  var context: EngineContext { writer.context }
  var reader: TableReader { writer.reader }
  var versions: TableVersions { writer.versions }
  var name: String { writer.name }
  var isShared: Bool { writer.isShared }
}

/// A client's change while it is under way: carries out what ``ChangeProgress`` says. It lives until it is answered.
final class ChangeRun: TableJob {
  private struct State {
    var progress: ChangeProgress
    /// Repeats of the request wait for its answer.
    var hasKey = false
    /// Other replicas wait for it, too.
    var isClaimed = false
    /// Since when another replica's version is waited for.
    var waitsSince: ContinuousClock.Instant?
  }

  private let change: any Change
  private let state: QueueBound<State>
  private let completion: @Sendable (EditResult) -> Void

  var writer: TableWriter { change.writer }

  /// Begins a change. On the table's queue.
  ///
  /// - Parameter completion: given the answer, on any queue.
  init(_ change: any Change, _ completion: @escaping @Sendable (EditResult) -> Void) {
    (self.change, self.completion) = (change, completion)
    var terms = change.terms
    terms.epoch = change.versions.epoch
    state = QueueBound(State(progress: ChangeProgress(terms)), on: change.content.queue)
  }

  /// On the table's queue.
  func begin() { take(.begun) }

  /// Goes on with what has happened. On the table's queue.
  func take(_ event: ChangeProgress.Event) {
    switch state.access({ $0.progress.next(event) }) {
    case nil: break
    case .reachStore: writer.whenStoreAnswers { [self] error in takeLater(error.map { .failed($0) } ?? .clear) }
    case .takeKey: takeKey()
    case .lookUpKey: change.idempotency.map { writer.answers.lookUp($0, claiming: nil) { [self] in take($0) } }
    case .plan:
      // Nothing is built on what is about to be undone, and nobody overtakes those who wait.
      guard !isBlocked else { return }
      change.carryOut(self)
    case .readOthers: writer.lookForNewsOfInputs { [self] in take(.read($0)) }
    case .awaitStored: awaitStored()
    case .awaitVersion(let outcome): awaitVersion(outcome)
    case .keep(let outcome):
      let key = change.keeps(outcome) ? change.idempotency : nil
      writer.answers.keep(outcome, for: key) { [self] in takeLater($0) }
    case .answer(let outcome): answer(outcome)
    }
  }

  /// The same, on any queue.
  func takeLater(_ event: ChangeProgress.Event) { content.queue.async { [self] in take(event) } }

  /// True where it has to wait until what is being undone is undone: then it is planned again. On the table's queue.
  var isBlocked: Bool { content.access { $0.commits.enqueueIfBlocked { [self] in take(.undone) } } }

  /// True where it has to wait until nothing is under way: then it is planned again. On the table's queue.
  var awaitsAll: Bool { content.access { $0.commits.waitForAll { [self] in take(.undone) } } }

  private func takeKey() {
    guard let key = change.idempotency else { return take(.clear) }
    switch writer.answers.join(key, completion) {
    case .behind: break
    case .reused: take(.failed(.keyReused))
    case .first:
      state.access { $0.hasKey = true }
      writer.answers.lookUp(key, claiming: change.claim) { [self] event in
        if case .clear = event { state.access { $0.isClaimed = change.claim != nil } }
        take(event)
      }
    }
  }

  /// Waits until the judged state is stored: the items, with edits of them through other tables, and the table.
  private func awaitStored() {
    let awaitTable: @Sendable () -> Void = { [self] in
      let isWaiting = content.access { content in
        content.commits.whenStored({ [self] in take(.stored) }, undone: { [self] in take(.undone) })
      }
      if !isWaiting { take(.stored) }
    }
    let isWaiting = writer.log?.progress { progress in
      progress.commits.whenStored(
        { [self] in content.queue.async(execute: awaitTable) },
        undone: { [self] in takeLater(.undone) }
      )
    }
    if !(isWaiting ?? false) { awaitTable() }
  }

  /// Looks for a version that has what is committed.
  private func awaitVersion(_ outcome: EditResult) {
    guard case .success(let answer) = outcome else { return take(.seen(outcome)) }
    let begun = state.access { state in
      state.waitsSince = state.waitsSince ?? .now
      return state.waitsSince ?? .now
    }
    writer.readBarrier { [self] found in
      content.queue.async { [self] in
        guard found == .read else { return take(.unseenStill(after: .now - begun)) }
        var answer = answer
        answer.cursor = reader.cursor(versions.current, change.lens)
        take(.seen(.success(answer)))
      }
    }
  }

  private func answer(_ outcome: EditResult) {
    let (hasKey, isClaimed) = state.access { ($0.hasKey, $0.isClaimed) }
    guard hasKey, let key = change.idempotency else { return completion(outcome) }
    writer.answers.end(key, with: outcome, isClaimed: isClaimed)
  }
}
