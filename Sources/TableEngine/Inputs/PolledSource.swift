import Definitions
import Foundation
import Logging
import Queues
import Synchronization
import TableMapping
import TableStore
import Upstream

/// One upstream as it is polled, and the tables that it feeds.
final class PolledSource: Sendable {
  let name: String
  let definition: UpstreamDefinition
  let context: EngineContext
  let source: Source
  private let fetchContext: FetchContext
  let listeners: SourceListeners
  /// The source that is asked in its place.
  private let successor = Mutex<PolledSource?>(nil)
  /// The edits that wait for the next answer of a failing upstream, and whether it is about to be asked again for them.
  private let unanswered = Mutex<(waiters: [AnswerWaiter], isToBeAsked: Bool)>(([], false))
  /// The edits that the upstream has accepted.
  private let accepted = Mutex(AcceptedItems())
  /// It goes on where another replica has asked, and may be told that what that one has shown still holds.
  let standsForAnother = Atomic(false)
  /// It is being taken over from another replica.
  let takingOver = DispatchGroup()

  /// - Parameters:
  ///   - parameters: of a family's members, those that its requests depend on.
  ///   - forwarding: the caller's own header fields.
  ///   - environment: for `env`.
  init(
    _ name: String,
    _ definition: UpstreamDefinition,
    parameters: [String: String] = [:],
    forwarding: ForwardedFields = ForwardedFields(),
    environment: [String: String],
    context: EngineContext
  ) {
    self.name = name
    self.definition = definition
    self.context = context
    let asker = SourceListeners.Asker(parameters: parameters, caller: forwarding.label(context.secret))
    let listeners = SourceListeners(source: name, asker: asker, context: context)
    self.listeners = listeners
    fetchContext = FetchContext(
      parameters: parameters,
      environment: environment,
      forwarded: forwarding.fields,
      caller: forwarding.values
    )
    source = Source(
      name: name,
      definition: definition,
      context: fetchContext,
      client: context.client,
      onNotice: { notice in
        guard context.isFirst("\(notice.kind) of \(name)") else { return }
        context.logger.log(
          level: notice.isWarning ? .warning : .notice,
          "\(notice)",
          metadata: ["source": "\(name)", "every": "\(definition.every)"]
        )
      },
      onUpdate: { listeners.receive($0) }
    )
    listeners.whenContentIsMissing { [weak source] in source?.refreshAfterChange() }
  }

  /// Tells a table from now on, once it is read. False where the last table has left it, or another source is asked in its place: then it
  /// asks nothing any more.
  @discardableResult
  func add(_ table: LiveTable) -> Bool { listeners.withReaders { $0.add(table) } }

  /// True while it is polled, as a table that it feeds is read.
  var isAsked: Bool { listeners.withReaders { $0.pace == .running } }
  /// True once the last table has left it.
  var hasEnded: Bool { listeners.withReaders { $0.pace == .ended } }
  /// Returns whether no other table reads it.
  func isReadOnly(by table: LiveTable) -> Bool { listeners.fed.allSatisfy { $0 === table } }
  /// True if it ever gave items.
  var hasWorked: Bool { listeners.hasWorked }
  var figures: SourceFigures { source.figures }

  /// The number of the edits that its upstream has accepted.
  var acceptedCount: UInt64 { accepted.withLock { $0.count } }

  /// Notes an accepted edit, as ``AcceptedItems/note(_:of:sentAt:)`` does.
  func accept(_ edit: Edit, of item: String, sentAt mark: UInt64) -> Bool {
    var isOvertaken = accepted.withLock { $0.note(edit, of: item, sentAt: mark) }
    // The successors' edits were all sent later.
    var next = successor.withLock { $0 }
    while let source = next {
      if source.accepted.withLock({ $0.note(edit, of: item, sentAt: 0) }) { isOvertaken = true }
      next = source.successor.withLock { $0 }
    }
    return isOvertaken
  }

  // MARK: One of many readers

  /// A table is read, and is told what the upstream says from now on. What was said last counts for it too, where somebody else
  /// reads it meanwhile and it is nobody's own; else the upstream is asked.
  ///
  /// - Parameters:
  ///   - isUnheard: the table has nothing of what it was told before.
  ///   - isOutdated: the upstream has something else than when it was asked last.
  ///   - term: of the lease under which it is read, where replicas share it; nil: the present one.
  func begin(_ table: LiveTable, isUnheard: Bool, isOutdated: Bool = false, under term: UInt64? = nil) {
    let term = table.isShared ? term ?? context.replica.lease?.term : nil
    let action = listeners.withReaders { readers in
      let action = readers.begin(table, isUnheard: isUnheard, under: term)
      perform(action)
      return action
    }
    guard action != .start else { return }
    // A table that shows what it has may do so until the upstream is asked again.
    let needsAnswer = table.isPrivate || isOutdated || isUnheard && action == .resume
    context.client.queue.async { [self] in
      let answered: Source.Completion = { [listeners] _ in listeners.bring(table) }
      if table.isPrivate, listeners.withReaders({ $0.askAgain() }) { return source.refreshAnew(answered) }
      guard needsAnswer, listeners.hasAnswer else { return listeners.bring(table) }
      // Others may have been shown more by now than what it has.
      if !table.isPrivate, !isUnheard { listeners.bring(table) }
      // While nobody read the table, a client may have asked for everything.
      source.refresh(isWhole: isOutdated, answered)
    }
  }

  /// Calls back when a table that has begun to be read is about to show what was said to whoever else reads it: on the table's queue
  /// that comes next. On any queue.
  ///
  /// - Parameter body: given whether the table lacks no edit; false: the upstream fails, and another process may have laid one over its last
  ///   answer, which is not known here.
  func whenBrought(_ table: LiveTable, _ body: @escaping @Sendable (_ isKnown: Bool) -> Void) {
    context.client.queue.async { [self] in
      // A source without other readers has told nobody anything. Where another replica has asked before, there may be some that only the
      // store knows yet.
      let isAlone = isReadOnly(by: table) && !listeners.withReaders { $0.isTakenOver }
      let lacksNothing = isAlone || !context.current.editedSources.contains(name)
      if listeners.hasAnswer || isAlone { return body(lacksNothing || listeners.hasTold(table)) }
      whenAnswered { [self] in
        context.client.queue.async { [self] in body(lacksNothing || latest.listeners.hasTold(table)) }
      }
    }
  }

  /// A table is read no more: the upstream is asked as long as one of its tables is.
  ///
  /// - Parameter isForgetting: it does not keep what it was told.
  func pause(_ table: LiveTable, isForgetting: Bool = false) {
    listeners.withReaders { perform($0.pause(table, isForgetting: isForgetting)) }
  }

  /// A table has gone. With the last one the upstream is asked no more.
  ///
  /// - Parameter next: what is asked in its place, by those who wait for what it says.
  func end(_ table: LiveTable, for next: PolledSource? = nil) {
    listeners.withReaders { readers in
      let action = readers.end(table)
      if action == .stop, let next { successor.withLock { $0 = next } }
      perform(action)
    }
  }

  /// While nobody else can change who reads it: the source's queue then has it in this order.
  private func perform(_ action: SourceReaders.Action) {
    switch action {
    case .nothing: break
    case .start: source.start()
    case .suspend: source.suspend()
    case .resume: source.resume()
    case .stop: source.stop()
    }
  }

  // MARK: From one configuration to another

  /// True if it may have been told something that a table doesn't have which has no answer of it: then its next answer
  /// may be that nothing has changed.
  var hasBeenHeard: Bool { hasWorked || standsForAnother.load(ordering: .acquiring) }

  /// Ends it.
  func stop() { source.stop() }

  /// Asks nothing more; whoever waits for what it says goes on waiting until ``goOn(with:)`` tells for what.
  func makeRoom() {
    listeners.withReaders { $0.isReplaced = true }
    listeners.hold()
    source.stop()
  }

  /// Ends what ``makeRoom()`` has begun.
  ///
  /// - Parameter next: what is asked in its place; nil: nothing is, as no table reads it.
  func goOn(with next: PolledSource?) {
    if let next { successor.withLock { $0 = next } }
    listeners.release()
  }

  /// The source that is asked in its place now, as often as another configuration came; itself where there is none.
  var latest: PolledSource {
    var latest = self
    while let next = latest.successor.withLock({ $0 }) { latest = next }
    return latest
  }

  /// Fetches now; `completion` is called when what the upstream said is published. Where another source takes its place
  /// meanwhile, when what that one was told is.
  ///
  /// - Parameter isWhole: everything is asked for, also where the source could ask for changes alone.
  func refresh(isWhole: Bool = true, _ completion: @escaping @Sendable () -> Void) {
    listeners.noteNews()
    source.refresh(isWhole: isWhole) { [self] update in
      whenShown { next in
        guard let next else { return completion() }
        // This one had stopped before it was asked: what the next one was told may be of a request from before this call.
        if update.isCancelled { next.whenAnswered(completion) } else { next.refresh(isWhole: isWhole, completion) }
      }
    }
  }

  /// Calls back when what it says is published: of the refresh that is under way, of the last one, or of the first.
  func whenAnswered(_ completion: @escaping @Sendable () -> Void) {
    source.whenAnswered { [self] _ in
      whenShown { next in
        if let next { next.whenAnswered(completion) } else { completion() }
      }
    }
  }

  /// - Parameter body: given the source that is asked in its place, if there is one.
  private func whenShown(_ body: @escaping @Sendable (_ next: PolledSource?) -> Void) {
    listeners.afterDeliveries { [self] in body(successor.withLock { $0 }) }
  }

  /// Fetches everything anew after an edit, where `forward` has called back.
  func refreshAfterChange() {
    listeners.noteNews()
    source.refreshAfterChange()
  }

  /// The same. Where that fails, it is tried again for some seconds.
  ///
  /// - Parameter completion: when what the upstream said is published; false: it has not answered, or is asked no more.
  func showChange(_ completion: @escaping @Sendable (_ isAnswered: Bool) -> Void) {
    listeners.noteNews()
    let waiter = AnswerWaiter(completion)
    context.client.queue.asyncAfter(deadline: .now() + Self.patience) { waiter.end(isAnswered: false) }
    source.refreshAfterChange { [self] in settle($0, for: [waiter]) }
  }

  /// One question for all who wait. On the sources' queue.
  private func settle(_ update: SourceUpdate, for waiters: [AnswerWaiter]) {
    guard case .failed = update, !update.isCancelled else {
      return listeners.afterDeliveries { for waiter in waiters { waiter.end(isAnswered: update.isSuccess) } }
    }
    let begins = unanswered.withLock { unanswered in
      unanswered.waiters += waiters.filter { !$0.hasEnded }
      defer { unanswered.isToBeAsked = !unanswered.waiters.isEmpty }
      return !unanswered.isToBeAsked && !unanswered.waiters.isEmpty
    }
    guard begins else { return }
    context.client.queue.asyncAfter(deadline: .now() + Self.pause) { [self] in
      source.refresh { [self] update in
        let waiters = unanswered.withLock { unanswered in
          defer { unanswered = ([], false) }
          return unanswered.waiters
        }
        settle(update, for: waiters)
      }
    }
  }

  /// So long is an upstream that fails asked again for what it has made of an edit, and so often.
  private static let patience = DispatchTimeInterval.seconds(5)
  static let pause = DispatchTimeInterval.milliseconds(500)

  /// Returns the caller's own fields that an edit would be sent with.
  func sends(_ caller: ForwardedFields, of table: TableDefinition) -> ForwardedFields {
    caller.sent(to: definition, of: table)
  }

  /// Sends an edit to the upstream, with the table's parameters and the fields of the caller who edits.
  func forward(
    _ edit: ForwardedEdit,
    as request: EditRequestDefinition,
    parameters: [String: String],
    caller: ForwardedFields,
    of table: TableDefinition,
    _ completion: @escaping @Sendable (Upstream.EditOutcome) -> Void
  ) {
    var fetchContext = fetchContext
    fetchContext.parameters = parameters
    fetchContext.forwarded = caller.sent(to: definition, of: table).fields
    fetchContext.caller = caller.values
    EditForwarder(source: name, definition, context: fetchContext, client: context.client)
      .forward(edit, as: request, completion: completion)
  }

  /// Takes an answer for a failed fetch, whose items have turned out to be no JSON. The first table to find that says it for
  /// all.
  func refuse(_ refused: RefusedAnswer) {
    guard listeners.refuse(refused.answer) else { return }
    context.client.queue.async { [self] in
      if listeners.answer == refused.answer { source.refuseLast(refused.error) }
    }
  }
}
