import DequeModule
import Synchronization
public import TableModel

/// The versions of one table: the last ones held, one of them current.
///
/// Any thread reads; one owner (the table's serial queue) prepares and publishes. A version becomes visible in
/// two steps, so that it can be made durable in between: ``prepare(_:)`` numbers it, ``publish(_:)`` shows it.
/// Several may be prepared before the first is published (a store groups their commits); where one could not be
/// stored, ``withdraw()`` forgets it and all that were built on it, and their numbers are given again: nobody
/// has seen them.
public final class TableVersions: Sendable {
  /// The table's name, as in URLs.
  public let name: String
  /// How many published versions are held at most, the current one included.
  public let history: Int
  private let state: Mutex<State>

  private struct State {
    /// The last one is current.
    var published: HeldVersions
    /// The most memory of the versions before the current one.
    var historyBytes: Int
    /// Numbered on from the current version.
    var prepared: Deque<Version> = []

    var latest: Version { prepared.last ?? published.last }
  }

  /// Version numbers count within it. Random, or that of the restored versions; another one where what is stored was
  /// replaced. Whoever needs it beside a version takes the version's own.
  public var epoch: Epoch { current.cursor.epoch }

  /// Versions of which version 1 is `initial`, or one that goes on from what a store has kept.
  ///
  /// - Parameters:
  ///   - initial: The first state: without sections, `loading`. Not used where something is restored.
  ///   - history: How many versions are held; at least 1.
  ///   - historyBytes: What those before the current one may take in memory, about: else the oldest go.
  ///   - restored: What the store has of the table. Versions beyond `history` are dropped.
  public init(
    initial: Table,
    history: Int = 64,
    historyBytes: Int = .max,
    restored: StoredVersions? = nil,
    epoch: Epoch = .random()
  ) {
    name = initial.name
    self.history = max(history, 1)
    let first = Version(cursor: Cursor(epoch: epoch, version: 1), table: initial)
    state = Mutex(
      State(published: HeldVersions(first, atMost: history, bytes: historyBytes), historyBytes: historyBytes)
    )
    if let restored { replace(with: restored) }
  }

  /// The version that readers see. O(1).
  public var current: Version {
    state.withLock { $0.published.last }
  }

  /// The first version that is held. O(1).
  public var oldest: Version {
    state.withLock { $0.published.all[0] }
  }

  /// The last version prepared, or the current one: what the next edit is built on. O(1).
  public var latest: Version {
    state.withLock { $0.latest }
  }

  /// A held version by its number. O(1).
  public func version(_ number: UInt64) -> Version? {
    state.withLock { Self.held(number, in: $0.published.all) }
  }

  /// Returns the version that a client's cursor names. O(1).
  public func lookup(_ cursor: Cursor) -> CursorLookup {
    state.withLock { state in
      let current = state.published.last
      guard cursor.epoch == current.cursor.epoch else { return .epoch }
      if cursor.version == current.number { return .current(current) }
      if cursor.version > current.number { return .ahead }
      guard let version = Self.held(cursor.version, in: state.published.all) else { return .expired }
      return .held(version)
    }
  }

  private static func held(_ number: UInt64, in versions: Deque<Version>) -> Version? {
    guard let first = versions.first, number >= first.number else { return nil }
    let offset = number - first.number
    return offset < UInt64(versions.count) ? versions[Int(offset)] : nil
  }
}

// MARK: - The owner's side

extension TableVersions {
  /// Numbers `table` as the version after ``latest``, without showing it; nil where it is the same to the byte.
  ///
  /// A table that is the same replaces the current one's objects, without a new version: its rows may know more
  /// than their bytes tell (what a tap toggles, the fallbacks) after the configuration was read again.
  /// O(sections) where digests settle it, else O(rows).
  public func prepare(_ table: Table) -> Version? {
    // The comparison runs outside the lock: only the owner changes what `latest` is.
    let latest = latest
    let table = table.sharing(with: latest.table)
    if Table.same(latest.table, table) {
      state.withLock { state in
        guard state.prepared.isEmpty else { return }
        state.published.replaceLast(with: Version(cursor: latest.cursor, table: table))
      }
      return nil
    }
    let version = Version(cursor: Cursor(epoch: latest.cursor.epoch, version: latest.number + 1), table: table)
    state.withLock { $0.prepared.append(version) }
    return version
  }

  /// Shows the oldest prepared version, which has to be `version`; false where it was withdrawn.
  ///
  /// - Complexity: O(changes), to see what the version before takes.
  @discardableResult
  public func publish(_ version: Version) -> Bool {
    // Outside the lock: only the owner changes what is current.
    let footprint = current.table.footprint(without: version.table)
    let gone: [Version]? = state.withLock { state in
      guard let first = state.prepared.first, first === version else { return nil }
      state.prepared.removeFirst()
      return state.published.append(version, replacing: footprint)
    }
    return gone != nil
  }

  /// Forgets every version that is prepared and not published; ``latest`` is the current one again. O(prepared).
  public func withdraw() {
    state.withLock { $0.prepared.removeAll() }
  }

  /// Forgets the version that was prepared last, which was given to no store.
  public func withdraw(_ version: Version) {
    state.withLock { state in
      if state.prepared.last === version { state.prepared.removeLast() }
    }
  }

  /// Shows what others have published after the current version; what was prepared is forgotten, for it was built on
  /// something else. Versions that don't follow are left out. O(versions).
  public func follow(_ versions: [Version]) {
    _ = state.withLock { state in
      state.prepared.removeAll()
      return versions.flatMap { version -> [Version] in
        let current = state.published.last
        guard version.cursor.epoch == current.cursor.epoch, version.number == current.number + 1 else { return [] }
        return state.published.append(version)
      }
    }
  }

  /// Shows what is stored in place of all that there was: clients get a snapshot. O(versions).
  public func replace(with stored: StoredVersions) {
    guard let first = stored.all.first else { return }
    let historyBytes = state.withLock { $0.historyBytes }
    var published = HeldVersions(first, atMost: history, bytes: historyBytes)
    for version in stored.all.dropFirst() { _ = published.append(version) }
    _ = state.withLock { state in
      defer { state = State(published: published, historyBytes: historyBytes) }
      return state
    }
  }

  /// Goes on with another bound for what the versions before the current one may take in memory. O(versions).
  public func bound(historyBytes: Int) {
    _ = state.withLock { state in
      state.historyBytes = historyBytes
      return state.published.bound(bytes: historyBytes)
    }
  }

  /// Prepares and publishes at once, for what no store keeps; nil where nothing changed.
  public func publish(_ table: Table) -> Version? {
    guard let version = prepare(table) else { return nil }
    return publish(version) ? version : nil
  }
}
