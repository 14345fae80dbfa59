import Synchronization

/// Values that are shared by all who ask with the same key, for as long as somebody has them.
///
/// A value calls ``forget(_:)`` with its key in its `deinit`; until then its entry is empty, and a new value can take the place.
final class WeakValues<Key: Hashable & Sendable, Value: AnyObject & Sendable>: Sendable {
  private struct Entry {
    weak var value: Value?
  }

  private let entries = Mutex<[Key: Entry]>([:])

  /// How many values there are.
  var count: Int { entries.withLock { $0.count } }

  /// Returns the value of a key: the one that somebody has, or a new one. `make` runs under a lock. O(1).
  func value(for key: Key, _ make: () -> Value) -> Value {
    entries.withLock { entries in
      if let value = entries[key]?.value { return value }
      let value = make()
      entries[key] = Entry(value: value)
      return value
    }
  }

  /// Removes the entry of a value that is no more, unless another one has its place. O(1).
  func forget(_ key: Key) {
    // The last reference to a value must not go under the lock, which its `deinit` takes.
    let other = entries.withLock { entries in
      let other = entries[key]?.value
      if other == nil { entries[key] = nil }
      return other
    }
    withExtendedLifetime(other) {}
  }
}
