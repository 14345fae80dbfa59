import Synchronization
import TableModel
import Upstream

/// The changes of a live table as such, rather than in it: its sources, its end, and the upstream's refusal of its
/// readers. A value without I/O: the caller that changes it wakes those who wait.
struct TableLifecycle {
  enum Phase: Equatable {
    case living
    /// A family's member that made room: whoever waits is answered as if the time were over, and the next request
    /// makes another member.
    case retired
    /// A family's member for which there is no room: its readers are told why.
    case refused(TableError)
    /// The configuration no longer has it.
    case removed
    /// The configuration has a family of its name: what is shown in its place depends on who asks, who is answered as if the time
    /// were over.
    case replacedByFamily
  }
  private(set) var phase = Phase.living
  var sources: [PolledSource] = []
  /// Every source has answered or failed, since the table was made or since it was frozen.
  private(set) var isSettled = false
  /// Nobody reads it, and what a last fetch says is not for those who will.
  private(set) var isFrozen = false
  /// True while the stored state of a shared member is not known yet, so that nobody is shown it.
  var isUnknown = false
  /// An upstream's refusal of those who read it: 401, 403 and 404 are passed on to them.
  private(set) var refusal: TableError?

  /// True if readers should wait for the upstream's answer.
  var isAwaitingUpstream: Bool { (!isSettled || isUnknown) && phase == .living }

  /// Once ended, it stays so: a member that made room is not removed later.
  mutating func end(_ phase: Phase) {
    guard self.phase == .living else { return }
    self.phase = phase
    if case .refused(let error) = phase { refusal = error }
  }

  /// True once the upstream's answers count no more.
  private var isRefused: Bool { if case .refused = phase { true } else { false } }

  /// Until it is read again. What it has of a caller's own is then not shown before the upstream has agreed again:
  /// credentials may be revoked while nobody asks.
  mutating func freeze(isPrivate: Bool) {
    isFrozen = true
    if isPrivate { isSettled = false }
  }

  mutating func thaw() { isFrozen = false }

  /// A source is about to be published: a waiter that this wakes is refused, and not shown a table that is stale.
  mutating func refuse(_ refusal: TableError?) {
    if let refusal, !isRefused { self.refusal = refusal }
  }

  /// The store has it as it is shown. Returns whether that changes anything for those who wait.
  mutating func noteStored(isSettled: Bool) -> Bool {
    let changes = isUnknown || isSettled && !self.isSettled
    isUnknown = false
    if isSettled { self.isSettled = true }
    return changes
  }

  /// Takes the upstream's refusal of the readers from another replica. Returns whether that is news.
  mutating func follow(_ refusal: TableError?) -> Bool {
    guard !isRefused, self.refusal != refusal else { return false }
    self.refusal = refusal
    return true
  }

  /// A source has said something, and that is published.
  mutating func settle(_ hasSettled: Bool, refusal: TableError?, isPrivate: Bool) {
    guard !isRefused else { return }
    self.refusal = refusal
    guard !(isPrivate && isFrozen) else { return }
    isSettled = hasSettled || refusal != nil
  }
}

/// How those who wait for a table are answered when there is nothing more to wait for.
package enum WaitEnding: Sendable {
  /// As if the time were over: their next request makes another member.
  case withoutNews
  /// Another one is in its place, which they wait for from now on.
  case replaced(by: LiveTable)
  case refused(TableError)
}
