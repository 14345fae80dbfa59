import Synchronization
import TableModel
import TableStore

/// Cursors that other replicas have given, of versions and taps that this one has not read yet. On any queue.
extension TableReader {
  /// Returns whether a cursor names a state that this process doesn't know and another one may have given. O(toggles).
  ///
  /// - Parameter name: the view that it is asked with.
  func isAhead(_ after: Cursor, view name: String?) -> Bool {
    let current = versions.current.cursor
    guard after.epoch == current.epoch else { return true }
    if after.version > current.version { return true }
    guard let name, after.taps > 0 || after.lensTag?.view != nil else { return false }
    guard let view = view(Lens(view: name)) else { return true }
    guard after.taps <= view.taps else { return true }
    // Nothing can be found out about a version that is no longer held.
    return held(after).map { after.lensTag?.view != view.digest(over: $0) } ?? false
  }

  /// A cursor that only the store knows, while that can't be read: whoever has it waits rather than be set back.
  /// Once the store has been looked at, a cursor that is not here is nobody's.
  func isBeyondReach(_ after: Cursor, _ lens: Lens) -> Bool {
    guard context.replica.isShared, isAhead(after, view: lens.view) else { return false }
    guard let looked = lastLook.withLock({ $0 }) else { return false }
    return !context.replica.isReachable || ContinuousClock.now - looked > Self.validityOfLooks
  }

  /// The table stands where the store has it; or nobody can tell any more.
  func noteLook(isRead: Bool = true) {
    lastLook.withLock { last in
      guard isRead || last != nil else { return }
      last = isRead ? .now : .now - Self.validityOfLooks * 2
    }
  }

  /// Longer than whoever has asked for a look takes to answer.
  private static let validityOfLooks = Duration.milliseconds(500)
}
