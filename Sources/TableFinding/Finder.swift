internal import Digests
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

  private struct KeptOrder {
    var order: RowOrder
    /// The version's, which it is the order of.
    var sections: [Section]
  }

  private struct Kept {
    var found: [Version: [FindSearch: FoundTable]] = [:]
    var orders: [Version: [[UInt8]: KeptOrder]] = [:]
    /// By search, its versions from the oldest on.
    var versions: [FindSearch: [Version]] = [:]
    var orderVersions: [[UInt8]: [Version]] = [:]
    /// The searches in `versions`. Anyone can make digests up, and there may be very many searches.
    var byDigest: [LensTag.Digest: FindSearch] = [:]

    /// - Returns: the versions of a search that is not kept any more.
    mutating func removeVersions(of search: FindSearch) -> [Version] {
      let digest = search.digest
      if byDigest[digest] == search { byDigest[digest] = nil }
      return versions.removeValue(forKey: search) ?? []
    }

    mutating func remove(_ search: FindSearch, in version: Version) {
      found[version]?[search] = nil
      if found[version]?.isEmpty ?? false { found[version] = nil }
    }

    mutating func removeOrder(_ sort: [UInt8], in version: Version) {
      orders[version]?[sort] = nil
      if orders[version]?.isEmpty ?? false { orders[version] = nil }
    }

    /// The size of all that is kept of a search, and under a sort's name of its orders, about, in bytes; nil: nothing is.
    func bytes(of search: FindSearch) -> Int? {
      let results = (versions[search] ?? []).compactMap { found[$0]?[search] }
      var sizes = results.dropLast().map(\.bytes)
      if let last = results.last { sizes.append(last.allBytes) }
      if let sort = search.sort, search.words.isEmpty, search.choices.isEmpty {
        sizes += (orderVersions[sort] ?? []).compactMap { orders[$0]?[sort]?.order.bytes }
      }
      return sizes.isEmpty ? nil : sizes.reduce(0, +)
    }

    mutating func retire(before first: Version) -> Retired {
      func isOld(_ version: Version) -> Bool { version.epoch != first.epoch || version.number < first.number }
      var retired = Retired()
      var searches: Set<FindSearch> = []
      for version in found.keys.filter(isOld) {
        guard let gone = found.removeValue(forKey: version) else { continue }
        for search in gone.keys {
          versions[search]?.removeAll { $0 == version }
          if versions[search]?.isEmpty ?? false { _ = removeVersions(of: search) }
          searches.insert(search)
        }
        retired.found.append(gone)
      }
      for version in orders.keys.filter(isOld) {
        guard let gone = orders.removeValue(forKey: version) else { continue }
        for sort in gone.keys {
          orderVersions[sort]?.removeAll { $0 == version }
          if orderVersions[sort]?.isEmpty ?? false { orderVersions[sort] = nil }
          searches.insert(FindSearch(sort: sort))
        }
        retired.orders.append(gone)
      }
      retired.searches = searches.map { ($0, bytes(of: $0)) }
      return retired
    }
  }

  /// Results and orders that are not kept any more.
  private struct Retired {
    var found: [[FindSearch: FoundTable]] = []
    var orders: [[[UInt8]: KeptOrder]] = []
    /// The searches that were among it, with the size of what is still kept of them.
    var searches: [(search: FindSearch, bytes: Int?)] = []
  }

  /// How many versions of one search are kept.
  private static let maximumVersions = 8

  public init(_ schema: FindSchema, _ framing: Framing, memory: FindMemory) {
    (self.schema, self.framing, self.memory) = (schema, framing, memory)
  }

  deinit { memory.forget(all: ObjectIdentifier(self)) }

  /// Returns the result, if it is known already. O(1).
  public func known(_ search: FindSearch, _ version: Version) -> FoundTable? {
    let found = kept.withLock { $0.found[version]?[search] }
    if found != nil { memory.use(ObjectIdentifier(self), search) }
    return found
  }

  /// The search whose digest is given in place of itself, if it is one that is kept. O(1).
  public func search(_ digest: LensTag.Digest) -> FindSearch? { kept.withLock { $0.byDigest[digest] } }

  /// The rows that a search finds in a version.
  ///
  /// - Complexity: O(changes · log rows) where another version's is known, else O(rows), or of what a wider search has found.
  public func found(_ search: FindSearch, _ version: Version, _ table: Table) -> FoundTable {
    if let known = known(search, version) { return known }
    let order = order(search.sort, version, table)
    let (before, wider) = kept.withLock { kept -> (FoundTable?, FoundTable?) in
      let last = kept.versions[search]?.last { $0.epoch == version.epoch } ?? kept.versions[search]?.last
      let before = last.flatMap { kept.found[$0]?[search] }
      // A search that goes on looks at what changed alone: no wider one helps it, and to choose one looks at all.
      guard before == nil else { return (before, nil) }
      return (
        nil,
        (kept.found[version] ?? [:]).lazy
          .filter { $0.key.sort == search.sort && search.findsWithin($0.key) && $0.value.order.hasSameTrees(as: order) }
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
      if kept.versions[search] == nil { kept.byDigest[search.digest] = search }
      kept.found[version, default: [:]][search] = made
      kept.versions[search, default: []].removeAll { $0 == version }
      kept.versions[search]?.append(version)
      while let versions = kept.versions[search], versions.count > Self.maximumVersions {
        kept.remove(search, in: versions[0])
        kept.versions[search]?.removeFirst()
      }
      return kept.bytes(of: search) ?? 0
    }
    memory.charge(ObjectIdentifier(self), search, bytes) { [weak self] in self?.forget(search) }
  }

  private func order(_ sort: [UInt8]?, _ version: Version, _ table: Table) -> RowOrder {
    guard let sort, let number = schema.sorts.firstIndex(where: { $0.id.utf8.elementsEqual(sort) }) else {
      return RowOrder(table.sections)
    }
    let (known, before) = kept.withLock { kept -> (RowOrder?, KeptOrder?) in
      (kept.orders[version]?[sort]?.order, kept.orderVersions[sort]?.last.flatMap { kept.orders[$0]?[sort] })
    }
    let pseudo = FindSearch(sort: sort)
    if let known {
      memory.use(ObjectIdentifier(self), pseudo)
      return known
    }
    let made =
      before?.order.following(before?.sections ?? [], to: table.sections, by: number, schema)
      ?? RowOrder.sorted(table.sections, by: number, schema, sharing: nil)
    let bytes = kept.withLock { kept in
      kept.orders[version, default: [:]][sort] = KeptOrder(order: made, sections: table.sections)
      kept.orderVersions[sort, default: []].append(version)
      while let versions = kept.orderVersions[sort], versions.count > Self.maximumVersions {
        kept.removeOrder(sort, in: versions[0])
        kept.orderVersions[sort]?.removeFirst()
      }
      return kept.bytes(of: pseudo) ?? 0
    }
    memory.charge(ObjectIdentifier(self), pseudo, bytes) { [weak self] in self?.forget(pseudo) }
    return made
  }

  private func forget(_ search: FindSearch) {
    kept.withLock { kept in
      for version in kept.removeVersions(of: search) { kept.remove(search, in: version) }
      guard let sort = search.sort, search.words.isEmpty, search.choices.isEmpty else { return }
      for version in kept.orderVersions.removeValue(forKey: sort) ?? [] {
        kept.removeOrder(sort, in: version)
      }
    }
  }

  /// Forgets what was found in versions before one, and in those of other epochs, once nobody stands there any more. Nothing else may
  /// hold their rows, which are not counted here, and a search that nobody makes again would hold them for as long as there is room.
  ///
  /// - Complexity: O(versions + what is forgotten).
  public func retire(before first: Version) {
    let retired = kept.withLock { kept in kept.retire(before: first) }
    guard !retired.searches.isEmpty else { return }
    memory.set(ObjectIdentifier(self), retired.searches)
    // Let go outside of the lock, as it may be much.
    withExtendedLifetime(retired) {}
  }
}

extension FindSearch {
  /// A digest, for cursors that the search doesn't fit into.
  public var digest: LensTag.Digest { LensTag.Digest(prefixOf: SHA256.digest(of: Array(description.utf8))) }

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

  private struct State {
    /// By owner: there may be very many of one, and very many owners that go.
    var entries: [ObjectIdentifier: [FindSearch: Entry]] = [:]
    var count = 0
    var bytes = 0
    var clock: UInt64 = 0
    var maximum: Int

    mutating func set(_ entry: Entry, _ owner: ObjectIdentifier, _ search: FindSearch) {
      let former = entries[owner, default: [:]].updateValue(entry, forKey: search)
      count += former == nil ? 1 : 0
      bytes += entry.bytes - (former?.bytes ?? 0)
    }

    mutating func remove(_ owner: ObjectIdentifier, _ search: FindSearch) {
      guard let gone = entries[owner]?.removeValue(forKey: search) else { return }
      if entries[owner]?.isEmpty ?? false { entries[owner] = nil }
      count -= 1
      bytes -= gone.bytes
    }
  }

  private let state: Mutex<State>

  /// - Parameter maximumBytes: of all together; what was made last is kept in any case.
  public init(maximumBytes: Int) { state = Mutex(State(maximum: maximumBytes)) }

  /// The size of all kept searches, about, in bytes.
  public var byteCount: Int { state.withLock { $0.bytes } }
  /// How many searches.
  public var count: Int { state.withLock { $0.count } }

  public func set(maximumBytes: Int) { state.withLock { $0.maximum = maximumBytes } }

  func use(_ owner: ObjectIdentifier, _ search: FindSearch) {
    state.withLock { state in
      state.clock += 1
      state.entries[owner]?[search]?.used = state.clock
    }
  }

  /// - Parameter bytes: of all that is kept of the search.
  package func charge(
    _ owner: ObjectIdentifier,
    _ search: FindSearch,
    _ bytes: Int,
    _ forget: @escaping @Sendable () -> Void
  ) {
    let gone = state.withLock { state -> [@Sendable () -> Void] in
      state.clock += 1
      state.set(Entry(bytes: bytes, used: state.clock, forget: forget), owner, search)
      var gone: [@Sendable () -> Void] = []
      guard state.bytes > state.maximum else { return gone }
      // To nine tenths, so that not each new one looks through all.
      let goal = state.maximum / 10 * 9
      let all = state.entries.flatMap { owner, entries in
        entries.map { (owner: owner, search: $0.key, entry: $0.value) }
      }
      // The entry that was charged now was used last.
      for old in all.sorted(by: { $0.entry.used < $1.entry.used }).dropLast() where state.bytes > goal {
        state.remove(old.owner, old.search)
        gone.append(old.entry.forget)
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
        guard var entry = state.entries[owner]?[search] else { continue }
        if let bytes {
          entry.bytes = min(bytes, entry.bytes)
          state.set(entry, owner, search)
        } else {
          state.remove(owner, search)
        }
      }
    }
  }

  /// O(searches of this one).
  package func forget(all owner: ObjectIdentifier) {
    state.withLock { state in
      guard let gone = state.entries.removeValue(forKey: owner) else { return }
      state.count -= gone.count
      state.bytes -= gone.values.reduce(0) { $0 + $1.bytes }
    }
  }
}
