import Dispatch
import Queues
import Synchronization
package import TableModel
import TableStore

/// An input of a table that a read waits for.
protocol ReadInput: Sendable {
  /// True if a read has to wait at all, or to look.
  var needsReadBarrier: Bool { get }

  /// Has all that was committed before this call be known, and on its way to whoever shows it. On any queue.
  func readBarrier(_ completion: @escaping StoreLooks.Completion)
}

/// The read barrier: a read waits until its table shows everything that was committed before the read began, of its own
/// and of the items that it shows.
extension TableWriter: ReadInput {
  /// The inputs beside upstreams: the original of a translation, which has the same items; else the items of the
  /// service's own.
  var inputs: [any ReadInput] {
    if isTranslation, let original = table.withLock({ $0.value?.original }) { return [original] }
    return logs
  }

  /// True if a read has to wait at all, or to look. O(inputs).
  var needsReadBarrier: Bool {
    isShared || following.load(ordering: .acquiring) > 0 || inputs.contains { $0.needsReadBarrier }
  }

  /// So long is the version of another replica waited for that shows what is read, and so often is looked for it.
  private static let patience = Duration.seconds(1)
  private static let pause = DispatchTimeInterval.milliseconds(10)

  /// Has readers see all that was committed before this call, of whatever the table is made of. On any queue.
  ///
  /// - Parameter completion: On any queue.
  func readBarrier(_ completion: @escaping StoreLooks.Completion) {
    let inputs = inputs
    guard !inputs.isEmpty || following.load(ordering: .acquiring) > 0 else { return look(completion) }
    let group = DispatchGroup()
    let outcomes = Mutex(LookOutcome.read)
    for input in inputs {
      group.enter()
      input.readBarrier { outcome in
        outcomes.withLock { $0 = $0.and(outcome) }
        group.leave()
      }
    }
    // At once: where the table stands is asked of the store behind where its inputs do.
    group.enter()
    look { outcome in
      outcomes.withLock { $0 = $0.and(outcome) }
      group.leave()
    }
    // The inputs have handed over their commits before they answer: these are taken in by now.
    group.notify(queue: content.queue) { [self] in
      let outcome = outcomes.withLock { $0 }
      guard outcome == .read else { return completion(outcome) }
      guard !isToBeReplaced else { return whenDecided { [self] in readBarrierOfPresent(completion) } }
      afterFollowing { [self] in
        guard content.access({ $0.unshownCommits == 0 }) else { return completion(.late) }
        // By another configuration than the one that counts, or beside one that does not, it would be another table.
        let isComparable = isShared && context.replica.refusal == nil && !context.replica.isAmongOlder
        guard isComparable else { return completion(.read) }
        showInputs(since: .now, completion)
      }
    }
  }

  /// It has something to show and may not, as another table is about to come in its place. On the table's queue.
  private var isToBeReplaced: Bool {
    following.load(ordering: .acquiring) > 0 && content.access { $0.gate.isClosed && !$0.gate.isClosedForGood }
  }

  /// The same, of what is in the table's place by now.
  private func readBarrierOfPresent(_ completion: @escaping StoreLooks.Completion) {
    let present = table.withLock { $0.value }?.latest.writer
    guard let present, present !== self else { return afterFollowing { completion(.read) } }
    present.readBarrier(completion)
  }

  /// Waits until a stored version shows what the inputs have, which is stored from here where that is anybody's to do. On the
  /// table's queue.
  private func showInputs(since begun: ContinuousClock.Instant, _ completion: @escaping StoreLooks.Completion) {
    let latest = versions.current.table
    let isShown = content.access { content in
      guard !content.storedShowsInputs(log) else { return true }
      // Only the replica that asks the upstreams knows their answers: the stored version tells its inputs.
      guard content.inputs.isEmpty else { return false }
      let table = content.table(named: name)
      return Table.same(latest, content.share(table, with: latest))
    }
    if isShown { return completion(.read) }
    let waited = ContinuousClock.now - begun
    guard waited < Self.patience else { return completion(.late) }
    let again: @Sendable () -> Void = { [self] in
      look { [self] outcome in
        guard outcome == .read else { return completion(outcome) }
        showInputs(since: begun, completion)
      }
    }
    if followsItems ? waited > Self.courtesy : context.replica.isLeading { return publishContent { _ in again() } }
    content.queue.asyncAfter(deadline: .now() + Self.pause, execute: again)
  }

  /// The same in a view, too. `completion` is called on any queue.
  func readBarrier(view: String?, _ completion: @escaping StoreLooks.Completion) {
    readBarrier { [self] outcome in
      // A view that replicas don't share is in no store: read from there, it would be none.
      guard outcome == .read, let view, isShared else { return completion(outcome) }
      context.views.read(view, table: versions.epoch) { _ in completion(outcome) }
    }
  }
}

extension LiveTable {
  /// True if a read has to wait for others' writes, or for commits on their way here.
  package var mayBeBehind: Bool { writer.needsReadBarrier }

  /// Returns whether only a read barrier can tell a reader's answer: the request asks for the present state, or its
  /// cursor is ahead of this replica. A poll that doesn't wait asks for the present state, too. O(toggles).
  package func isBehind(_ request: LensRequest, after: Cursor?, waits: Bool) -> Bool {
    guard let after, waits else { return mayBeBehind }
    return writer.isShared && reader.isAhead(after, view: request.view)
  }

  /// Reads what other replicas have written, in a view too, and waits for what is on its way here. `completion` is called on
  /// any queue, after some seconds at most.
  package func readBarrier(view: String?, _ completion: @escaping @Sendable (LookOutcome) -> Void) {
    writer.readBarrier(view: view, completion)
  }

  /// The reply to a poll that is told nothing but where it is.
  package func unchanged(
    at cursor: Cursor,
    for asker: ReplyAsker,
    _ completion: @escaping @Sendable (EncodedReply) -> Void
  ) {
    reader.unchanged(at: cursor, for: asker, completion)
  }
}
