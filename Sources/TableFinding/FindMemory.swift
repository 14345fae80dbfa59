internal import Synchronization
package import TableModel

/// The memory of all tables' searches, bounded together: the least recently used goes first, and is made anew when it
/// is asked for again. Any thread; event loops use it, so that nothing here looks through all searches.
public final class FindMemory: Sendable {
  private struct Entry {
    let owner: ObjectIdentifier
    let search: FindSearch
    var bytes: Int
    var forget: @Sendable () -> Void
    /// The places of the entries that were used before and after it; -1 where there is none.
    var previous = -1
    var next = -1
  }

  private struct State {
    /// By owner: there may be very many of one, and very many owners that go.
    var places: [ObjectIdentifier: [FindSearch: Int]] = [:]
    /// Linked in the order of their last use; nil where there is room.
    var entries: [Entry?] = []
    var free: [Int] = []
    var (oldest, newest) = (-1, -1)
    var count = 0
    var bytes = 0
    var maximum: Int

    init(maximum: Int) { self.maximum = maximum }

    mutating func link(_ place: Int) {
      entries[place]?.previous = newest
      entries[place]?.next = -1
      if newest < 0 { oldest = place } else { entries[newest]?.next = place }
      newest = place
    }

    mutating func unlink(_ place: Int) {
      guard let entry = entries[place] else { return }
      if entry.previous < 0 { oldest = entry.next } else { entries[entry.previous]?.next = entry.next }
      if entry.next < 0 { newest = entry.previous } else { entries[entry.next]?.previous = entry.previous }
    }

    mutating func use(_ place: Int) {
      guard place != newest else { return }
      unlink(place)
      link(place)
    }

    mutating func add(_ entry: Entry) {
      let place = free.popLast() ?? entries.count
      if place == entries.count { entries.append(entry) } else { entries[place] = entry }
      places[entry.owner, default: [:]][entry.search] = place
      count += 1
      bytes += entry.bytes
      link(place)
    }

    mutating func resize(_ place: Int, to size: Int) {
      bytes += size - (entries[place]?.bytes ?? 0)
      entries[place]?.bytes = size
    }

    /// - Returns: what forgets it.
    @discardableResult
    mutating func remove(_ place: Int) -> (@Sendable () -> Void)? {
      guard let gone = entries[place] else { return nil }
      unlink(place)
      entries[place] = nil
      free.append(place)
      places[gone.owner]?[gone.search] = nil
      if places[gone.owner]?.isEmpty ?? false { places[gone.owner] = nil }
      count -= 1
      bytes -= gone.bytes
      return gone.forget
    }
  }

  private let state: Mutex<State>
  /// So many go at once beyond those for which there is no room.
  private static let maximumSpare = 256

  /// - Parameter maximumBytes: of all together; what was made last is kept in any case.
  public init(maximumBytes: Int) { state = Mutex(State(maximum: maximumBytes)) }

  /// The size of all kept searches, about, in bytes.
  public var byteCount: Int { state.withLock { $0.bytes } }
  /// How many searches.
  public var count: Int { state.withLock { $0.count } }

  public func set(maximumBytes: Int) { state.withLock { $0.maximum = maximumBytes } }

  /// O(1).
  func use(_ owner: ObjectIdentifier, _ search: FindSearch) {
    state.withLock { state in
      if let place = state.places[owner]?[search] { state.use(place) }
    }
  }

  /// O(1), and what has to go.
  ///
  /// - Parameter bytes: of all that is kept of the search.
  package func charge(
    _ owner: ObjectIdentifier,
    _ search: FindSearch,
    _ bytes: Int,
    _ forget: @escaping @Sendable () -> Void
  ) {
    let gone = state.withLock { state -> [@Sendable () -> Void] in
      if let place = state.places[owner]?[search] {
        state.resize(place, to: bytes)
        state.entries[place]?.forget = forget
        state.use(place)
      } else {
        state.add(Entry(owner: owner, search: search, bytes: bytes, forget: forget))
      }
      var gone: [@Sendable () -> Void] = []
      guard state.bytes > state.maximum else { return gone }
      // To nine tenths, so that not each new one has others go.
      let goal = state.maximum / 10 * 9
      // The entry that was charged now was used last.
      while state.bytes > goal, state.oldest != state.newest,
        gone.count < Self.maximumSpare || state.bytes > state.maximum, let forget = state.remove(state.oldest)
      {
        gone.append(forget)
      }
      return gone
    }
    for forget in gone { forget() }
  }

  /// Something of searches is not kept any more: sets the size of what is; nil: nothing is. They are not used by that, and take no
  /// more than before: of which version all is counted may be another one now.
  func set(_ owner: ObjectIdentifier, _ sizes: [(search: FindSearch, bytes: Int?)]) {
    state.withLock { state in
      for (search, bytes) in sizes {
        guard let place = state.places[owner]?[search], let entry = state.entries[place] else { continue }
        if let bytes { state.resize(place, to: min(bytes, entry.bytes)) } else { state.remove(place) }
      }
    }
  }

  /// O(searches of this one).
  package func forget(all owner: ObjectIdentifier) {
    state.withLock { state in
      for place in (state.places[owner] ?? [:]).values { state.remove(place) }
    }
  }
}

extension FindSearch {
  /// Its size, about, in bytes.
  package var footprint: Int {
    let texts = words.reduce(0) { $0 + $1.count + 48 }
    let chosen = choices.reduce(0) { $0 + $1.filter.count + $1.value.count + 96 }
    return 128 + texts + chosen + (sort?.count ?? 0)
  }
}
