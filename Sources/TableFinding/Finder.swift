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
      var bytes = results.dropLast().reduce(0) { $0 + $1.footprint(withShared: false) }
      if let last = results.last { bytes += last.footprint(withShared: true) + last.matching.footprint }
      var isKept = !results.isEmpty
      if let sort = search.sort, search.words.isEmpty, search.choices.isEmpty {
        let sorted = (orderVersions[sort] ?? []).compactMap { orders[$0]?[sort]?.order }
        // Each shares with the one before, of which the first one may be gone.
        bytes += max(sorted.reduce(0) { $0 + $1.bytes }, sorted.last?.allBytes ?? 0)
        isKept = isKept || !sorted.isEmpty
      }
      // It is a key of several dictionaries, and anyone can make up long ones.
      return isKept ? bytes + 2 * search.footprint : nil
    }

    /// Takes out what was found in versions before one, and in those of other epochs. O(versions).
    mutating func retire(before first: Version) -> Retired {
      func isOld(_ version: Version) -> Bool { version.epoch != first.epoch || version.number < first.number }
      var retired = Retired()
      for version in found.keys.filter(isOld) { retired.found += found.removeValue(forKey: version).map { [$0] } ?? [] }
      for version in orders.keys.filter(isOld) {
        retired.orders += orders.removeValue(forKey: version).map { [$0] } ?? []
      }
      return retired
    }

    /// Forgets in which of the versions that are no longer kept a search was made.
    ///
    /// - Returns: the size of what is still kept of it.
    mutating func retire(_ search: FindSearch) -> Int? {
      if let former = versions[search] {
        let left = former.filter { found[$0]?[search] != nil }
        if left.isEmpty { _ = removeVersions(of: search) } else { versions[search] = left }
      }
      if let sort = search.sort, let former = orderVersions[sort] {
        let left = former.filter { orders[$0]?[sort] != nil }
        orderVersions[sort] = left.isEmpty ? nil : left
      }
      return bytes(of: search)
    }
  }

  /// Results and orders that are not kept any more.
  private struct Retired {
    var found: [[FindSearch: FoundTable]] = []
    var orders: [[[UInt8]: KeptOrder]] = []

    /// The searches that were among it.
    var searches: Set<FindSearch> {
      var searches: Set<FindSearch> = []
      for gone in found { searches.formUnion(gone.keys) }
      for gone in orders { searches.formUnion(gone.keys.map { FindSearch(sort: $0) }) }
      return searches
    }
  }

  /// How many versions of one search are kept.
  private static let maximumVersions = 8
  /// How many searches of a version are looked at for a wider one.
  private static let maximumWider = 1_024
  /// How many searches are retired at once, under the lock that event loops take.
  private static let retiredAtOnce = 256

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
    let before = kept.withLock { kept -> FoundTable? in
      let last = kept.versions[search]?.last { $0.epoch == version.epoch } ?? kept.versions[search]?.last
      return last.flatMap { kept.found[$0]?[search] }
    }
    // A search that goes on looks at what changed alone: no wider one helps it, and to choose one looks at many.
    let made =
      before.map { FoundTable(following: $0, in: table, order) }
      ?? FoundTable(search, in: table, order, schema, framing, within: wider(search, version, order))
    keep(made, version)
    return made
  }

  /// The result of a wider search with the fewest rows: it finds all that this one does. Of very many some are looked at.
  private func wider(_ search: FindSearch, _ version: Version, _ order: RowOrder) -> FoundTable? {
    guard !search.words.isEmpty else { return nil }
    // Looked through outside of the lock, which event loops take.
    let others = kept.withLock { $0.found[version] ?? [:] }
    return others.prefix(Self.maximumWider).lazy
      .filter { $0.key.sort == search.sort && search.findsWithin($0.key) && $0.value.order.hasSameTrees(as: order) }
      .map(\.value).min { $0.count < $1.count }
  }

  /// More of a result has been made than was there when it was kept.
  private func recharge(_ grown: FoundTable, _ version: Version) {
    let search = grown.search
    let bytes = kept.withLock { $0.found[version]?[search] === grown ? $0.bytes(of: search) : nil }
    guard let bytes else { return }
    memory.charge(ObjectIdentifier(self), search, bytes) { [weak self] in self?.forget(search) }
  }

  private func keep(_ made: FoundTable, _ version: Version) {
    let search = made.search
    made.tell { [weak self] grown in self?.recharge(grown, version) }
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
    let searches = Array(retired.searches)
    for start in stride(from: 0, to: searches.count, by: Self.retiredAtOnce) {
      let some = searches[start..<min(start + Self.retiredAtOnce, searches.count)]
      let sizes = kept.withLock { kept in some.map { (search: $0, bytes: kept.retire($0)) } }
      memory.set(ObjectIdentifier(self), sizes)
    }
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
