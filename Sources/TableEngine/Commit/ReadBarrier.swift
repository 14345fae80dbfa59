import Dispatch
import Queues
import Synchronization
import TableModel
import TableStore
import Upstream

/// An input of a table that a read waits for.
protocol ReadInput: Sendable {
  /// True if a read has to wait at all, or to look.
  var needsReadBarrier: Bool { get }

  /// Has all that was committed before this call be known, and on its way to whoever shows it. On any queue.
  func readBarrier(_ completion: @escaping StoreLooks.Completion)
}

/// The read barrier: a read waits until its table shows everything that was committed before the read began, of its own and of the items
/// that it shows.
struct ReadBarrier: TableJob {
  let writer: TableWriter

  /// So long is the version of another replica waited for that shows what is read, and so often is looked for it.
  private static let patience = Duration.seconds(1)
  static let pause = DispatchTimeInterval.milliseconds(10)

  /// Has readers see all that was committed before this call, of whatever the table is made of. On any queue.
  ///
  /// - Parameter completion: On any queue.
  func pass(_ completion: @escaping StoreLooks.Completion) {
    guard writer.isMember, let table = writer.table.withLock({ $0.value })?.untranslated else {
      return passInputs(completion)
    }
    KeptMember(table: table).whenKeptUp(read: passInputs, then: completion)
  }

  private func passInputs(_ completion: @escaping StoreLooks.Completion) {
    LeadersTable(writer: writer).look { outcome in
      guard outcome == .read else { return completion(outcome) }
      passOwnInputs(completion)
    }
  }

  private func passOwnInputs(_ completion: @escaping StoreLooks.Completion) {
    let inputs = writer.inputs
    guard !inputs.isEmpty || writer.following.load(ordering: .acquiring) > 0 else {
      return writer.look { completion($0 == .read && isLost ? .late : $0) }
    }
    let outcomes = JoinedCalls(LookOutcome.read) { $0 = $0.and($1) }
    for input in inputs { input.readBarrier(outcomes.begin()) }
    // At once: where the table stands is asked of the store behind where its inputs do.
    writer.look(outcomes.begin())
    // The inputs have handed over their commits before they answer: these are taken in by now.
    outcomes.notify(on: content.queue) { outcome in
      guard outcome == .read else { return completion(outcome) }
      guard !isLost else { return completion(.late) }
      guard !isToBeReplaced else { return writer.whenDecided { passPresent(completion) } }
      passFollowing(completion)
    }
  }

  /// Waits until what the inputs have handed over is shown. On the table's queue.
  private func passFollowing(_ completion: @escaping StoreLooks.Completion) {
    writer.afterFollowing {
      guard !writer.isBehindInputs else { return completion(.late) }
      guard isShared else { return completion(.read) }
      showInputs(since: .now, completion)
    }
  }

  /// The database has lost it, and another replica begins it again. On the table's queue.
  private var isLost: Bool { content.access { $0.isLost } }

  /// It has something to show and may not, as another table has come in its place or is about to. On the table's queue.
  private var isToBeReplaced: Bool {
    writer.following.load(ordering: .acquiring) > 0 && content.access { $0.gate.isClosed }
  }

  /// The same, of what is in the table's place by now.
  private func passPresent(_ completion: @escaping StoreLooks.Completion) {
    let present = writer.table.withLock { $0.value }?.latest.writer
    guard let present, present !== writer else { return passFollowing(completion) }
    present.readBarrier(completion)
  }

  /// Waits until a stored version shows what the inputs have, which is stored from here where that is anybody's to do. On the
  /// table's queue.
  private func showInputs(since begun: ContinuousClock.Instant, _ completion: @escaping StoreLooks.Completion) {
    let latest = versions.current.table
    let isShown = content.access { content in
      guard !content.storedShowsInputs(writer.log) else { return true }
      // Only the replica that asks the upstreams knows their answers: the stored version tells its inputs. One that was made by an
      // older configuration may be of others, and is all there is until the upstreams have answered.
      guard content.inputs.isEmpty else {
        return context.replica.isAmongOlder && !content.storedInputRevisions.haveSameRecords(as: content.inputRevisions)
      }
      let table = content.table(named: name)
      guard Table.same(latest, content.share(table, with: latest)) else { return false }
      // No stored version says so: the next one may be made of older items.
      content.passedInputs = content.committedInputs(writer.log)
      return true
    }
    if isShown { return completion(.read) }
    // By another configuration than the one that counts it would be another table.
    guard context.replica.refusal == nil else { return askLeader(completion) }
    let waited = ContinuousClock.now - begun
    guard waited < Self.patience else { return completion(.late) }
    let again: @Sendable () -> Void = {
      writer.look { outcome in
        guard outcome == .read else { return completion(outcome) }
        showInputs(since: begun, completion)
      }
    }
    if writer.followsItems ? waited > TableWriter.courtesy : context.replica.isLeading {
      return writer.publishContent { _ in again() }
    }
    content.queue.asyncAfter(deadline: .now() + Self.pause, execute: again)
  }

  // MARK: Asking the leader

  /// Has the replica that asks the sources show what the inputs have, where a version of this one's would not be stored, and keep up a
  /// member. One question for all who ask meanwhile. On any queue.
  ///
  /// - Parameter completion: On the table's queue, after a second at most.
  func askLeader(_ completion: @escaping StoreLooks.Completion) {
    content.queue.async {
      if content.access({ $0.questions.ask(completion) }) { askLeader() }
    }
  }

  private func askLeader() {
    let number = content.access { $0.questions.number }
    content.queue.asyncAfter(deadline: .now() + Self.patience.dispatchInterval) {
      endQuestion(number, context.replica.isReachable ? .late : .unreachable)
    }
    context.replica.askLeader(.showItems(writer.sharedName)) { outcome in
      guard case .success = outcome else { return content.queue.async { endQuestion(number, .late) } }
      writer.look { endQuestion(number, $0) }
    }
  }

  private func endQuestion(_ number: UInt64, _ outcome: LookOutcome) {
    let (told, begins) = content.access { $0.questions.end(number) }
    for completion in told { completion(outcome) }
    if begins { askLeader() }
  }
}
