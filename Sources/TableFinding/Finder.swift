internal import Synchronization
public import TableModel

/// Finds in the versions of one table, and keeps what was found for those who go on from there: what goes first is what was
/// used least recently. On any thread; what is new is best made on one.
public final class Finder: Sendable {
  public let schema: FindSchema
  private let framing: Framing
  private let memory: FindMemory
  private let kept = Mutex(Kept())

  /// A version by its epoch and number.
  public struct Version: Hashable, Sendable {
    public let epoch: Epoch
    public let number: UInt64

    public init(_ cursor: Cursor) { (epoch, number) = (cursor.epoch, cursor.version) }
  }

  struct Key: Hashable, Sendable {
    var version: Version
    var search: FindSearch
  }

  private struct OrderKey: Hashable {
    var version: Version
    var sort: [UInt8]
  }

  private struct Kept {
    var found: [Key: FoundTable] = [:]
    var orders: [OrderKey: (order: RowOrder, sections: [Section])] = [:]
    /// By search, its versions from the oldest on.
    var versions: [FindSearch: [Version]] = [:]
    var orderVersions: [[UInt8]: [Version]] = [:]
  }

  /// How many versions of one search are kept.
  private static let maximumVersions = 8

  public init(_ schema: FindSchema, _ framing: Framing, memory: FindMemory) {
    (self.schema, self.framing, self.memory) = (schema, framing, memory)
  }

  deinit { memory.forget(all: ObjectIdentifier(self)) }

  /// Returns the result, if it is known already. O(1).
  public func known(_ search: FindSearch, _ version: Version) -> FoundTable? {
    let found = kept.withLock { $0.found[Key(version: version, search: search)] }
    if found != nil { memory.use(ObjectIdentifier(self), search) }
    return found
  }

  /// The search whose digest is given in place of itself, if it is one that is kept.
  public func search(where matches: (FindSearch) -> Bool) -> FindSearch? {
    kept.withLock { $0.versions.keys.first(where: matches) }
  }

  /// The rows that a search finds in a version.
  ///
  /// - Complexity: O(changes · log rows) where another version's is known, else O(rows), or of what a wider search has found.
  public func found(_ search: FindSearch, _ version: Version, _ table: Table) -> FoundTable {
    if let known = known(search, version) { return known }
    let order = order(search.sort, version, table)
    let (before, wider) = kept.withLock { kept -> (FoundTable?, FoundTable?) in
      let last = kept.versions[search]?.last { $0.epoch == version.epoch } ?? kept.versions[search]?.last
      let before = last.flatMap { kept.found[Key(version: $0, search: search)] }
      // A search that goes on looks at what changed alone: no wider one helps it, and to choose one looks at all.
      guard before == nil else { return (before, nil) }
      return (
        nil,
        kept.found.lazy.filter { $0.key.version == version && $0.key.search.sort == search.sort }
          .filter { search.findsWithin($0.key.search) && $0.value.order.hasSameTrees(as: order) }
          .map(\.value).min { $0.count < $1.count }
      )
    }
    let made =
      before.map { FoundTable(following: $0, in: table, order) }
      ?? FoundTable(search, in: table, order, schema, framing, within: wider)
    keep(made, version)
    return made
  }

  private func keep(_ made: FoundTable, _ version: Version) {
    let search = made.search
    let bytes = kept.withLock { kept in
      kept.found[Key(version: version, search: search)] = made
      kept.versions[search, default: []].removeAll { $0 == version }
      kept.versions[search]?.append(version)
      while let versions = kept.versions[search], versions.count > Self.maximumVersions {
        kept.found[Key(version: versions[0], search: search)] = nil
        kept.versions[search]?.removeFirst()
      }
      let versions = kept.versions[search] ?? []
      return versions.dropLast().reduce(made.allBytes) { sum, version in
        sum + (kept.found[Key(version: version, search: search)]?.bytes ?? 0)
      }
    }
    memory.charge(ObjectIdentifier(self), search, bytes) { [weak self] in self?.forget(search) }
  }

  private func order(_ sort: [UInt8]?, _ version: Version, _ table: Table) -> RowOrder {
    guard let sort, let number = schema.sorts.firstIndex(where: { $0.id.utf8.elementsEqual(sort) }) else {
      return RowOrder(table.sections)
    }
    let key = OrderKey(version: version, sort: sort)
    let (known, before) = kept.withLock { kept in
      (
        kept.orders[key]?.order,
        kept.orderVersions[sort]?.last.flatMap { kept.orders[OrderKey(version: $0, sort: sort)] }
      )
    }
    let pseudo = FindSearch(sort: sort)
    if let known {
      memory.use(ObjectIdentifier(self), pseudo)
      return known
    }
    let made =
      before?.order.following(before?.sections ?? [], to: table.sections, by: number, schema)
      ?? RowOrder.sorted(table.sections, by: number, schema, sharing: nil)
    kept.withLock { kept in
      kept.orders[key] = (made, table.sections)
      kept.orderVersions[sort, default: []].append(version)
      while let versions = kept.orderVersions[sort], versions.count > Self.maximumVersions {
        kept.orders[OrderKey(version: versions[0], sort: sort)] = nil
        kept.orderVersions[sort]?.removeFirst()
      }
    }
    memory.charge(ObjectIdentifier(self), pseudo, made.bytes) { [weak self] in self?.forget(pseudo) }
    return made
  }

  private func forget(_ search: FindSearch) {
    kept.withLock { kept in
      for version in kept.versions.removeValue(forKey: search) ?? [] {
        kept.found[Key(version: version, search: search)] = nil
      }
      guard let sort = search.sort, search.words.isEmpty, search.choices.isEmpty else { return }
      for version in kept.orderVersions.removeValue(forKey: sort) ?? [] {
        kept.orders[OrderKey(version: version, sort: sort)] = nil
      }
    }
  }
}

extension FindSearch {
  /// Returns whether all rows that have this search's words have the other's: each of those begins one of these.
  func findsWithin(_ other: FindSearch) -> Bool {
    !other.words.isEmpty && other.words.allSatisfy { wide in words.contains { $0.starts(with: wide) } }
  }
}

/// The memory of all tables' searches, bounded together: the least recently used goes first, and is made anew when it
/// is asked for again.
public final class FindMemory: Sendable {
  private struct Entry {
    var bytes: Int
    var used: UInt64
    var forget: @Sendable () -> Void
  }

  private struct Name: Hashable {
    var owner: ObjectIdentifier
    var search: FindSearch
  }

  private struct State {
    var entries: [Name: Entry] = [:]
    var bytes = 0
    var clock: UInt64 = 0
    var maximum: Int
  }

  private let state: Mutex<State>

  /// - Parameter maximumBytes: of all together; what was made last is kept in any case.
  public init(maximumBytes: Int) { state = Mutex(State(maximum: maximumBytes)) }

  /// The size of all kept searches, about, in bytes.
  public var byteCount: Int { state.withLock { $0.bytes } }
  /// How many searches.
  public var count: Int { state.withLock { $0.entries.count } }

  public func set(maximumBytes: Int) { state.withLock { $0.maximum = maximumBytes } }

  func use(_ owner: ObjectIdentifier, _ search: FindSearch) {
    state.withLock { state in
      state.clock += 1
      state.entries[Name(owner: owner, search: search)]?.used = state.clock
    }
  }

  /// - Parameter bytes: of all that is kept of the search.
  package func charge(
    _ owner: ObjectIdentifier,
    _ search: FindSearch,
    _ bytes: Int,
    _ forget: @escaping @Sendable () -> Void
  ) {
    let name = Name(owner: owner, search: search)
    let gone = state.withLock { state -> [@Sendable () -> Void] in
      state.clock += 1
      state.bytes += bytes - (state.entries[name]?.bytes ?? 0)
      state.entries[name] = Entry(bytes: bytes, used: state.clock, forget: forget)
      var gone: [@Sendable () -> Void] = []
      guard state.bytes > state.maximum else { return gone }
      // To nine tenths, so that not each new one looks through all.
      let goal = state.maximum / 10 * 9
      for (old, entry) in state.entries.sorted(by: { $0.value.used < $1.value.used })
      where state.bytes > goal && old != name {
        state.entries[old] = nil
        state.bytes -= entry.bytes
        gone.append(entry.forget)
      }
      return gone
    }
    for forget in gone { forget() }
  }

  package func forget(all owner: ObjectIdentifier) {
    state.withLock { state in
      for (name, entry) in state.entries where name.owner == owner {
        state.entries[name] = nil
        state.bytes -= entry.bytes
      }
    }
  }
}
