import Dispatch
import Queues
import Synchronization
import TableModel
import TableStore

/// Shows the service's own items: those of the table's own source, which can be edited through it, and those that it looks up
/// or shows beside them. All are their logs' (``ItemLog``), and followed.
extension TableWriter {
  /// All items of the service's own that it shows.
  var logs: [ItemLog] { (log.map { [$0] } ?? []) + otherLogs.withLock { $0 } }

  /// It lays out items that every replica edits: what comes of them is stored by whoever has edited, and by the one that asks the
  /// sources where that one doesn't. On the table's queue.
  var followsItems: Bool { log != nil && isStored && content.access { $0.inputs.isEmpty } }

  /// It lays out such items beside what upstreams say: only the replica that asks these knows what comes of that. On the table's
  /// queue.
  var awaitsLeader: Bool { isShared && log != nil && content.access { !$0.inputs.isEmpty } }

  /// It shows items of the service's own beside what upstreams say, be they looked up: the replica that asks these tells the others
  /// at which revisions of the items its version is made. On the table's queue.
  var tellsInputs: Bool { isShared && content.access { !$0.inputs.isEmpty && !$0.inputRevisions.isEmpty } }

  /// True if versions of it are made here, as far as that depends on upstreams' answers. On the table's queue.
  var makesVersions: Bool { !awaitsLeader || context.replica.isLeading && content.access { $0.isSettled } }

  /// Follows the items from now on, where it has not until now.
  func followItems() { for log in logs { log.add(self) } }

  func leaveItems() { for log in logs { log.remove(self) } }

  /// Shows what was committed to the items. On any queue.
  ///
  /// - Parameter isOwn: by this process.
  func follow(_ log: ItemLog, isOwn: Bool) {
    following.add(1, ordering: .acquiringAndReleasing)
    content.queue.async { [self] in
      guard content.access({ $0.take(log.committed, of: log) }) else {
        // An edit from here may be under way that is built on this: readers see both when that is stored.
        return afterFollowing { [self] in following.subtract(1, ordering: .acquiringAndReleasing) }
      }
      guard publishes(log, isOwn: isOwn) else {
        content.access { $0.isResultOld = true }
        updateTranslations(publishing: false)
        following.subtract(1, ordering: .acquiringAndReleasing)
        return followsItems && context.replica.isLeading ? showLater() : ()
      }
      publishContent { [self] error in followed(error) }
    }
  }

  /// What was committed to an input is shown, or is left to another replica; or could not be stored: then it is tried again, and
  /// reads wait for that. On the table's queue.
  func followed(_ error: StoreError?) {
    switch error {
    case nil, .fenced?: following.subtract(1, ordering: .acquiringAndReleasing)
    case .some: content.access { $0.unshownCommits += 1 }
    }
  }

  /// Returns whether this process has to show commits to items.
  private func publishes(_ log: ItemLog, isOwn: Bool) -> Bool {
    // Without a store each replica shows its own items.
    guard isShared else { return true }
    return log === self.log && followsItems ? isOwn : context.replica.isLeading
  }

  /// So long is it left to whoever has edited to store the version that shows that: two that do so at once are in each other's way.
  static let courtesy = Duration.milliseconds(100)

  /// Shows what another replica has edited, where that one hasn't after a while.
  private func showLater() {
    content.queue.asyncAfter(deadline: .now() + .milliseconds(100)) { [weak self] in
      guard let self, context.replica.isLeading, !content.access({ $0.storedShowsInputs(log) }) else { return }
      publishContent()
    }
  }

  /// Goes back to the items as they are committed, where what was planned on top of them could not be stored. On the table's queue.
  func goBackToCommitted() {
    guard let log else { return }
    content.access { $0.show(log.committed, of: log) }
  }
}
