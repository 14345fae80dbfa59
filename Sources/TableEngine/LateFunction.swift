import Synchronization

/// A function that is given to its owner after that was made, and may be called on any thread.
///
/// It is generic, so that the lock holds a value of unknown type. In a `Mutex` of a function type, as in every generic
/// container that is accessed in place, each access wraps the function once more: after a million of them one call goes through a
/// million thunks.
final class LateFunction<Function: Sendable>: Sendable {
  private let held = Mutex<Function?>(nil)

  /// Nil where none was given yet.
  var function: Function? { held.withLock { $0 } }

  func set(_ function: Function) { held.withLock { $0 = function } }
}
