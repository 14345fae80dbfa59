import Dispatch
import HTTPServer
import Synchronization
import TableModel
import Upstream

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
  /// Of a family's member: every source has answered or failed, since it was made or since it was frozen.
  var isSettled = false
  /// Of a family's member: nobody reads it, and what a last fetch says is not for those who will.
  var isFrozen = false
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
    lifecycle.withLock { $0.phase = phase }
    context.wake([topic])
  }

  // MARK: What a family's member hears of its upstream

  /// Whether its readers should wait for what the upstream says.
  var isAwaitingUpstream: Bool {
    !isStored && lifecycle.withLock { !$0.isSettled && $0.phase == .living }
  }

  /// Until it is read again. What it has of a caller's own is then not shown before the upstream has agreed again:
  /// credentials may be revoked while nobody asks.
  func freeze() { lifecycle.withLock { ($0.isFrozen, $0.isSettled) = (true, !isPrivate && $0.isSettled) } }
  func thaw() { lifecycle.withLock { $0.isFrozen = false } }

  /// Called on the table's queue before what a source has said is published: a waiter that this wakes is refused,
  /// and not shown a table that is stale.
  func refuseReaders() {
    guard !isStored, let refusal = upstreamRefusal else { return }
    lifecycle.withLock { $0.refusal = refusal }
  }

  /// Called on the table's queue when a source has said something, and that is published.
  func settle() {
    guard !isStored else { return }
    let refusal = upstreamRefusal
    let isSettled = content.access { $0.isSettled }
    lifecycle.withLock { lifecycle in
      lifecycle.refusal = refusal
      guard !(isPrivate && lifecycle.isFrozen) else { return }
      lifecycle.isSettled = isSettled || refusal != nil
    }
    context.wake([topic])
  }

  /// On the table's queue.
  private var upstreamRefusal: ServiceError? {
    content.access { $0.inputs.values.lazy.compactMap(\.error).compactMap(self.refusal).first }
  }

  /// What the upstream says of the instance, or of the caller, as such; nil: it is the service's own trouble, and
  /// the table is stale.
  private func refusal(_ error: UpstreamError) -> ServiceError? {
    guard !error.isPartial else { return nil }
    switch error.status {
    case 404, 410: return ServiceError(error, status: .notFound)
    case 403 where isPrivate: return ServiceError(error, status: .forbidden)
    case 401 where isPrivate: return ServiceError(error, status: .unauthorized)
    default: return nil
    }
  }

  /// The upstream's own refusal, for those who read a family's member.
  var refusal: ServiceError? { isStored ? nil : lifecycle.withLock { $0.refusal } }

  /// Why nobody can go on waiting for it; nil where they can.
  var ending: WaitEnding? {
    lifecycle.withLock { lifecycle in
      switch lifecycle.phase {
      case .living: lifecycle.refusal.map { .refused($0) }
      case .retired: .withoutNews
      case .removed: .refused(.notFound("The table `\(name)` is no longer there."))
      }
    }
  }
}

/// How those who wait for a table are answered when there is nothing more to wait for.
enum WaitEnding {
  /// As if the time were over: their next request finds another member in its place.
  case withoutNews
  case refused(ServiceError)
}
