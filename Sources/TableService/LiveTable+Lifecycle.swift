import Dispatch
import HTTPServer
import Synchronization
import TableModel

/// What changes about a live table as such, rather than in it: what feeds it, who waits, whether it is still there.
struct TableLifecycle {
  enum Phase {
    case living
    /// A family's member that made room: whoever waits is answered as if the time were over, and the next request
    /// makes another member.
    case retired
    /// The configuration no longer has it.
    case removed
  }
  var phase = Phase.living
  var sources: [SourceFeed] = []
  var waiters = 0
  /// Whether every source has answered or failed once; until then the first readers of a family's member wait here.
  var isSettled = false
  var firstReaders: [@Sendable () -> Void] = []
  /// An upstream's refusal of a family's member: 401, 403 and 404 are passed on to its readers.
  var refusal: ServiceError?
}

extension LiveTable {
  /// What is polled for it.
  var sources: [SourceFeed] { lifecycle.withLock { $0.sources } }

  func attach(_ source: SourceFeed) { lifecycle.withLock { $0.sources.append(source) } }

  /// Before another definition's sources are attached.
  func forgetSources() { lifecycle.withLock { $0.sources = [] } }

  var waiterCount: Int { lifecycle.withLock { $0.waiters } }
  func beginWaiting() { lifecycle.withLock { $0.waiters += 1 } }
  func endWaiting() { lifecycle.withLock { $0.waiters -= 1 } }

  var phase: TableLifecycle.Phase { lifecycle.withLock { $0.phase } }

  func remove() { end(.removed) }

  func retire() {
    for source in sources { source.stop() }
    end(.retired)
  }

  private func end(_ phase: TableLifecycle.Phase) {
    let readers = lifecycle.withLock { lifecycle in
      lifecycle.phase = phase
      defer { lifecycle.firstReaders = [] }
      return lifecycle.firstReaders
    }
    for reader in readers { reader() }
    context.wake([topic])
  }

  // MARK: A member's first fetch

  /// Lets a reader of a family's member wait for the first fetch; false where there is nothing to wait for.
  func waitForFirstFetch(_ reader: @escaping @Sendable () -> Void) -> Bool {
    guard !isStored else { return false }
    return lifecycle.withLock { lifecycle in
      guard !lifecycle.isSettled, lifecycle.phase == .living else { return false }
      lifecycle.firstReaders.append(reader)
      return true
    }
  }

  /// Called on the table's queue when a source has said something.
  func settleFirstFetch() {
    guard !isStored else { return }
    let (isSettled, status) = content.access { content in
      (content.isSettled, content.inputs.values.compactMap(\.status).first { [401, 403, 404].contains($0) })
    }
    let refusal = status.map { status in
      ServiceError(
        status: Status(status),
        detail: "The upstream answers \(status) for `\(name)`.",
        headers: status == 401 ? [HeaderField(.wwwAuthenticate, "Bearer")] : []
      )
    }
    let readers = lifecycle.withLock { lifecycle in
      lifecycle.refusal = refusal
      guard isSettled else { return [] as [@Sendable () -> Void] }
      lifecycle.isSettled = true
      defer { lifecycle.firstReaders = [] }
      return lifecycle.firstReaders
    }
    for reader in readers { content.queue.async(execute: reader) }
  }

  /// The upstream's own refusal, for those who read a family's member.
  var refusal: ServiceError? { lifecycle.withLock { $0.refusal } }

  /// Nil: it lives. Else what its waiters are told: that it is not there, or nothing new.
  var ended: ServiceError?? {
    lifecycle.withLock { lifecycle in
      switch lifecycle.phase {
      case .living: lifecycle.refusal.map { .some($0) }
      case .retired: .some(nil)
      case .removed: .some(.notFound("The table `\(name)` is no longer there."))
      }
    }
  }
}
