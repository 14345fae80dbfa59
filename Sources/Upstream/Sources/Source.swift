public import Definitions
internal import Dispatch
internal import Glibc
internal import Queues
internal import Synchronization

/// An upstream source of one table instance: fetched again and again, each outcome told to its owner.
///
/// Validators and cached responses belong to this object, so nothing is shared between instances that forward
/// different callers' headers.
///
/// `@unchecked Sendable`: everything that changes is touched on the client's queue alone.
public final class Source: @unchecked Sendable {
  public typealias Completion = @Sendable (SourceUpdate) -> Void

  public let name: String
  let client: TransferClient
  let fetcher: SourceFetcher
  private let onUpdate: Completion
  private let onNotice: @Sendable (SourceNotice) -> Void
  var schedule: RefreshSchedule
  private var timer: QueueTimer?
  private var lastUpdate: SourceUpdate?
  /// The callers that wait for the refresh under way, and for the one after it.
  private var waiting: [Completion] = []
  private var waitingForNext: [Completion] = []
  /// The attempts of the refresh under way, before the present one.
  private var attempts = 0
  /// How often it was begun to go on where another one has stopped, or given up.
  var takeOvers: UInt64 = 0
  /// How often somebody wanted everything, and the last of these times that everything was asked for after (`since`).
  private var asks: (made: Int, met: Int, begun: Int) = (0, 0, 0)
  /// The notices that were given, by their kind.
  private var noticed: Set<String> = []
  private let picture = Mutex(SourceFigures())

  /// Fetches nothing before `start`.
  ///
  /// - Parameters:
  ///   - context: parameters, environment and forwarded headers that its requests are made with.
  ///   - onNotice: called on `client.queue`, once for each kind.
  ///   - onUpdate: called on `client.queue` after each refresh, retries included; it should hand work on.
  public convenience init(
    name: String,
    definition: UpstreamDefinition,
    context: FetchContext = FetchContext(),
    client: TransferClient,
    onNotice: @escaping @Sendable (SourceNotice) -> Void = { _ in },
    onUpdate: @escaping Completion
  ) {
    var configuration = RefreshSchedule.Configuration()
    configuration.every = definition.every
    configuration.maximumAge = definition.maximumAge
    configuration.retries = definition.retries
    self.init(
      name: name,
      definition: definition,
      context: context,
      client: client,
      schedule: configuration,
      onNotice: onNotice,
      onUpdate: onUpdate
    )
  }

  init(
    name: String,
    definition: UpstreamDefinition,
    context: FetchContext,
    client: TransferClient,
    schedule: RefreshSchedule.Configuration,
    onNotice: @escaping @Sendable (SourceNotice) -> Void = { _ in },
    onUpdate: @escaping Completion
  ) {
    self.name = name
    self.client = client
    self.onUpdate = onUpdate
    self.onNotice = onNotice
    self.schedule = RefreshSchedule(schedule)
    fetcher = SourceFetcher(name: name, definition, context: context, client: client)
    fetcher.onAnswer = { [weak self] answer in
      guard let self else { return }
      var answer = answer
      answer.retries = attempts
      picture.withLock { $0.add(answer) }
    }
  }

  /// How it has done so far. From any queue.
  public var figures: SourceFigures { picture.withLock { $0 } }

  /// Fetches at once and then as configured; with `every` zero, once, and again only until it worked.
  public func start() {
    client.queue.async { self.perform(self.schedule.start(at: .now), isUrgent: false) }
  }

  /// Fetches now. Refreshes never overlap: one that is asked for during another starts after it, for all who
  /// asked meanwhile.
  ///
  /// - Parameters:
  ///   - isWhole: everything is asked for, also where the source could ask for changes alone.
  ///   - completion: on `client.queue`, with the outcome of a refresh that started after this call, or
  ///     with the last failure where the upstream asked to be left alone for now.
  public func refresh(isWhole: Bool = true, _ completion: @escaping Completion = { _ in }) {
    client.queue.async { [self] in
      if isWhole { asks.made += 1 }
      switch schedule.refreshAsked(at: .now) {
      case .joins(let action):
        waiting.append(completion)
        perform(action, isUrgent: true)
      case .joinsNext: waitingForNext.append(completion)
      case .refused: completion(lastUpdate ?? .failed(.cancelled))
      }
    }
  }

  /// Waits for the outcome of the refresh that is under way; where none is, the last one's is given, and the first is begun
  /// where there was none.
  ///
  /// - Parameter completion: on `client.queue`.
  public func whenAnswered(_ completion: @escaping Completion) {
    client.queue.async { [self] in
      switch schedule.state {
      case .fetching, .backingOff: waiting.append(completion)
      case .waiting where lastUpdate == nil:
        waiting.append(completion)
        perform(schedule.start(at: .now), isUrgent: true)
      case .waiting, .stopped: completion(lastUpdate ?? .failed(.cancelled))
      }
    }
  }

  /// Fetches everything anew, since the upstream was changed from here: a refresh under way, which may not have the
  /// change, is dropped and never told of, and what comes is `content` even where the upstream has what it had before.
  /// Who waits for a refresh waits for this one. To be called on `client.queue`.
  ///
  /// - Parameter completion: on `client.queue`, with the outcome.
  public func refreshAfterChange(_ completion: @escaping Completion = { _ in }) {
    client.queue.check()
    let answer = schedule.outdated(at: .now)
    fetcher.forget()
    guard case .joins(let action) = answer else {
      let refusal = schedule.isStopped ? nil : lastUpdate
      return completion(refusal ?? .failed(.cancelled))
    }
    waiting += waitingForNext + [completion]
    waitingForNext = []
    perform(action, isUrgent: true)
  }

  /// Fetches as ``refresh(_:)`` does, but has nothing told of a refresh that is under way: that one is dropped. To be called on
  /// `client.queue`.
  public func refreshAnew(_ completion: @escaping Completion = { _ in }) {
    client.queue.check()
    if schedule.isIdle { refresh(completion) } else { refreshAfterChange(completion) }
  }

  /// Takes what was told last, as `content`, for a failed refresh: it has turned out to be of no use. What comes next is
  /// `content`, too. To be called on `client.queue`.
  public func refuseLast(_ error: UpstreamError) {
    client.queue.check()
    guard schedule.isIdle else {
      schedule.refusedEarlier()
      return refreshAfterChange()
    }
    fetcher.forget()
    lastUpdate = .failed(error)
    picture.withLock { $0.problem = error }
    onUpdate(.failed(error))
    perform(schedule.refusedLast(at: .now, random: .random(in: 0..<1)), isUrgent: false)
  }

  /// No more polls until `resume`; a refresh that is asked for is still done.
  public func suspend() {
    client.queue.async { [self] in
      takeOvers += 1
      perform(schedule.suspend(), isUrgent: false)
    }
  }

  /// Polls again, at once where a poll was due meanwhile.
  public func resume() {
    client.queue.async { self.perform(self.schedule.resume(at: .now), isUrgent: false) }
  }

  /// Ends it for good: what is under way is cancelled, and nothing is told any more but to those who wait.
  public func stop() {
    client.queue.async { [self] in
      schedule.stop()
      fetcher.cancel()
      setTimer(nil)
      answer(waiting + waitingForNext, .failed(.cancelled))
      (waiting, waitingForNext) = ([], [])
    }
  }

  // MARK: - On the queue

  func perform(_ action: RefreshSchedule.Action, isUrgent: Bool) {
    switch action {
    case .nothing: break
    case .sleep(let until):
      setTimer(until)
      let next = until.map { Int64(time(nil)) + max(0, ($0 - .now).components.seconds) }
      picture.withLock { $0.nextFetch = next }
    case .fetch:
      setTimer(nil)
      asks.begun = asks.made
      fetcher.start(isUrgent: isUrgent, isWhole: asks.made > asks.met) { [weak self] in self?.finished($0) }
    }
  }

  private func finished(_ outcome: SourceFetcher.Outcome) {
    let result: RefreshSchedule.Outcome =
      switch outcome.update {
      case .content, .unchanged: .success(maxAge: outcome.maxAge)
      case .failed(let error): .failure(isTransient: isRetried(error), retryAfter: error.retryAfter)
      }
    if outcome.isWhole, outcome.update.isSuccess { asks.met = asks.begun }
    let step = schedule.finished(result, at: .now, random: .random(in: 0..<1))
    tell(outcome)
    count(outcome, isRetried: !step.settled)
    attempts = step.settled ? 0 : attempts + 1
    if step.settled {
      lastUpdate = outcome.update
      let answered = waiting
      (waiting, waitingForNext) = (waitingForNext, [])
      onUpdate(outcome.update)
      answer(answered, outcome.update)
      // The upstream asked to be left alone: nothing follows for those who asked meanwhile.
      if step.action != .fetch {
        answer(waiting, outcome.update)
        waiting = []
      }
    }
    perform(step.action, isUrgent: !waiting.isEmpty)
  }

  private func tell(_ outcome: SourceFetcher.Outcome) {
    let notices = [
      schedule.lengthened.map(SourceNotice.lengthened),
      outcome.limit.map { .truncated(items: outcome.itemCount, limit: $0.rawValue) },
      outcome.unreadPage.map { .unread(pageNamedBy: $0) },
      outcome.refusedElements.map { .refused(elements: $0.count, why: $0.error.detail) },
      outcome.missed.map { .missed(items: $0.items, total: $0.total) },
      outcome.ending.map { .ended(items: outcome.itemCount, why: $0) },
      outcome.unnamed > 0 ? .unnamed(changes: outcome.unnamed) : nil,
    ]
    for notice in notices.compactMap(\.self) where noticed.insert(notice.kind).inserted { onNotice(notice) }
  }

  private func count(_ outcome: SourceFetcher.Outcome, isRetried: Bool) {
    let breaker = fetcher.breaker
    picture.withLock { figures in
      if isRetried { figures.retries += 1 }
      figures.breaker = breaker
      figures.pages += outcome.pages
      if outcome.update.isSuccess { figures.missed = outcome.missed.map { ($0.items, $0.total) } }
      switch outcome.update {
      case .content(let content): (figures.problem, figures.isTruncated) = (nil, content.isTruncated)
      case .unchanged: figures.problem = nil
      case .failed(let error): figures.problem = error
      }
    }
  }

  /// A request that may have been carried out is repeated only where the method is safe (RFC 9110 section 9.2.2).
  private func isRetried(_ error: UpstreamError) -> Bool {
    let isSafe = ["GET", "HEAD"].contains(fetcher.definition.method)
    return error.isTransient && (isSafe || !error.mayHaveArrived || error.kind == .status)
  }

  private func answer(_ completions: [Completion], _ update: SourceUpdate) {
    for completion in completions { completion(update) }
  }

  private func setTimer(_ deadline: Duration?) {
    guard let deadline else {
      timer?.schedule(deadline: .distantFuture)
      return
    }
    let timer = self.timer ?? makeTimer()
    self.timer = timer
    timer.schedule(deadline: .now() + max(.zero, deadline - .now).dispatchInterval, leeway: .milliseconds(2))
  }

  private func makeTimer() -> QueueTimer {
    QueueTimer(on: client.queue) { [weak self] in
      guard let self else { return }
      perform(schedule.timerFired(at: .now), isUrgent: !waiting.isEmpty)
    }
  }
}
