import TableEngine
import TableModel

/// A long poll as `Poll` of the service has it: answered at once where its client is behind, else registered, compared again, and
/// woken.
///
/// `@unchecked Sendable`: touched on its service's loop alone.
final class Waiter: @unchecked Sendable {
  let number: Int
  private let service: Service
  private(set) var table: LiveTable
  let query: TableQuery
  private let wait: Double
  private let done: @Sendable (ReadAnswer) -> Void
  private(set) var topics: [ChangeTopic] = []
  private(set) var isAnswered = false
  private var isTimedOut = false
  /// Nobody could tell whether it is behind, at some time: it waits until its time is over then.
  private var wasInDoubt = false
  /// What it would have been told when its time was over.
  private var late: [UInt8]?
  /// The same, where nobody has woken it since.
  private var missed: [UInt8]?
  nonisolated(unsafe) private static var count = 0

  init(
    _ service: Service,
    _ table: LiveTable,
    _ query: TableQuery,
    wait: Double,
    _ done: @escaping @Sendable (ReadAnswer) -> Void
  ) {
    Self.count += 1
    (number, self.service, self.table, self.query, self.wait, self.done) = (
      Self.count, service, table, query, wait, done
    )
  }

  func begin() {
    while case .replaced(let next)? = table.ending { table = next }
    if move() { return }
    guard wait > 0 else { return finish(hasWaited: false) }
    table.willWait(PollKind(lens: query.lens, variant: "") { _ in })
    // Other threads go on meanwhile.
    service.loop.async { [self] in register() }
  }

  private func register() {
    guard !service.isEnding else { return finish() }
    table.beginWaiting(query.lens, after: query.after)
    topics = table.topics(query.lens)
    service.register(self)
    service.world.after(wait * 1_000, on: service.loop) { [self] in timeOut() }
    // What it compared may have changed before it was registered.
    service.loop.async { [self] in if !isAnswered { look() } }
  }

  /// It was woken.
  func look() {
    if case .replaced? = table.ending {
      leave()
      while case .replaced(let next)? = table.ending { table = next }
      if move() { return }
      table.beginWaiting(query.lens, after: query.after)
      topics = table.topics(query.lens)
      service.register(self)
      service.loop.async { [self] in if !isAnswered, !topics.isEmpty { _ = moveAndLeave() } }
      return
    }
    _ = moveAndLeave()
  }

  private func moveAndLeave() -> Bool {
    guard isBehind else { return false }
    leave()
    return move()
  }

  private func leave() {
    guard !topics.isEmpty else { return }
    service.unregister(self)
    topics = []
    table.endWaiting(query.lens)
  }

  private var isCurrent: Bool {
    if table.isUnanswerable(query, isLate: false, waits: false) { wasInDoubt = true }
    return table.state(for: query).isCurrent
  }

  /// Whether there is something to be told.
  private var isBehind: Bool {
    switch table.ending {
    case .refused?, .withoutNews?, .replaced?: true
    case nil: !table.isAwaitingUpstream && !isCurrent
    }
  }

  /// Answers, where the table is not where the client is.
  private func move() -> Bool {
    switch table.ending {
    case .refused(let error)?:
      answer(.refused(error))
      return true
    case .withoutNews?, .replaced?:
      finish()
      return true
    case nil where table.isAwaitingUpstream: return false
    case nil:
      guard !isCurrent else { return false }
      finish(hasWaited: false)
      return true
    }
  }

  /// Its time is over. If it would be told something new then, a wake has to be on its way: whether it is behind may be known wrongly.
  func timeOut() {
    guard !isAnswered, !isTimedOut else { return }
    isTimedOut = true
    if table.ending == nil, !table.isAwaitingUpstream, !wasInDoubt {
      table.render(query, for: ReplyAsker(share: 0)) { [self] reply in
        service.loop.async { [self] in late = reply.body }
      }
    }
    awaitWake()
  }

  private func awaitWake() {
    let start = service.world.now
    service.world.after(500, on: service.loop) { [self] in
      guard !isAnswered else { return }
      // A process that was stopped meanwhile has had no time to wake anybody.
      guard service.host.pausedUntil <= start else { return awaitWake() }
      leave()
      // A wake that was on its way may have come while the database was away.
      if !wasInDoubt { missed = late }
      if !move() { finish() }
    }
  }

  /// The service ends.
  func end() {
    guard !isAnswered else { return }
    leave()
    finish()
  }

  private func finish(hasWaited: Bool = true) {
    guard !isAnswered else { return }
    isAnswered = true
    guard !table.isUnanswerable(query, isLate: false, waits: wait > 0) else { return done(.unavailable) }
    table.render(query, for: ReplyAsker(share: 0)) { [done, table, query, missed] reply in
      guard !table.isUnanswerable(query, by: reply, hasWaited: hasWaited) else { return done(.unavailable) }
      done(.reply(reply.body, missed.map { .missed($0) } ?? .changes))
    }
  }

  private func answer(_ answer: ReadAnswer) {
    guard !isAnswered else { return }
    isAnswered = true
    done(answer)
  }
}
