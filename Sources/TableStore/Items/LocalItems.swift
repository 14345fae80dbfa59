internal import FieldValues
internal import HashTreeCollections
public import JSON

/// The items that the service owns, of one table, in their order. A pure value.
///
/// Every item has a *rank*, a 64-bit number that grows along the order with room between neighbours: adding
/// or moving an item changes no other one, nor writes it anew. Only where the room between two neighbours is
/// used up are the ranks of a small neighbourhood spread again.
///
/// A copy shares everything with the original, and an edit costs O(log n) before and after it. What edits did since
/// the last time is taken by ``takeChanges()``, for the store. To undo edits, keep the value from before.
public struct LocalItems: Sendable {
  /// The limits on the next edits. Items beyond them stay, and may become less.
  public var limits: Limits
  /// The length of all bodies together.
  public private(set) var bytes = 0

  /// In order; the ranks grow strictly.
  var entries = ItemSequence()
  /// The rank of every item: items are found from here.
  var rankByID = ItemRanks()
  /// The items whose identities clients have chosen, told from others by their bytes: two spellings of “é” are two.
  var named: TreeDictionary<ByteText, ItemID> = [:]
  /// The number that the next item gets.
  public private(set) var nextID: UInt64 = 1
  /// The items to be written, net: an item added and deleted since is not in it.
  var touched: Set<ItemID> = []

  public static let defaultLimit = 100_000
  /// Between neighbours that were added at the end.
  static let spacing: Int64 = 1 << 32
  /// Identities fit 40 bits: a store has the rest of a key for the table.
  static let identityLimit: UInt64 = 1 << 40

  /// A table's first items, with identities 1, 2, 3 …; what `source.local.items` says, when nothing was stored.
  ///
  /// - Throws: ``EditError/notAnObject(found:)``, ``EditError/tooManyItems(limit:)``.
  public init(seed: [JSONValue] = [], limit: Int = LocalItems.defaultLimit) throws(EditError) {
    limits = Limits(count: limit)
    for value in seed { try insert(value) }
  }

  /// No items; nothing was given out yet.
  public static let empty = LocalItems(stored: [], nextID: 1)

  /// The next item's identity is this one, or a later one.
  mutating func skipIdentities(to next: UInt64) { nextID = Swift.max(nextID, next) }

  /// Items as a store has kept them, each once. O(n) where both their identities and ranks ascend, else O(n log n).
  init(stored: some Sequence<StoredItem>, nextID: UInt64, limits: Limits = Limits()) {
    self.limits = limits
    let stored = Array(stored)
    rankByID = ItemRanks(stored)
    let isSorted = zip(stored, stored.dropFirst()).allSatisfy { $0.rank < $1.rank }
    let sorted = isSorted ? stored : stored.sorted { $0.rank < $1.rank }
    entries = ItemSequence(sorted: sorted)
    bytes = sorted.reduce(0) { $0 + $1.item.body.count }
    self.nextID = sorted.reduce(nextID) { Swift.max($0, $1.item.id.rawValue &+ 1) }
    for entry in sorted { if let name = entry.item.name { named[ByteText(name)] = entry.item.id } }
  }
}

// MARK: - Reading

extension LocalItems: RandomAccessCollection {
  public var startIndex: Int { 0 }
  public var endIndex: Int { entries.count }
  /// O(log n).
  public subscript(position: Int) -> Item { entries[position].item }

  /// Over all at once. O(n).
  public func makeIterator() -> IndexingIterator<[Item]> {
    var items: [Item] = []
    items.reserveCapacity(entries.count)
    entries.forEach { items.append($0.item) }
    return items.makeIterator()
  }

  /// All of them with their ranks, in order. O(n).
  public var stored: [StoredItem] {
    var stored: [StoredItem] = []
    stored.reserveCapacity(entries.count)
    entries.forEach { stored.append($0) }
    return stored
  }

  /// Returns an item's place. O(log n).
  public func index(of id: ItemID) -> Int? {
    guard let rank = rankByID[id] else { return nil }
    var index = entries.index(atLeast: rank)
    // One item has one rank, unless somebody else has written the database.
    while index < entries.count, entries[index].rank == rank {
      if entries[index].item.id == id { return index }
      index += 1
    }
    return nil
  }

  /// O(log n).
  public subscript(id: ItemID) -> Item? {
    index(of: id).map { entries[$0].item }
  }
}

extension LocalItems {
  /// How many items there may be, and how large.
  public struct Limits: Hashable, Sendable {
    public var count: Int
    /// The most bytes of an item's body, as it is stored.
    public var itemBytes: Int
    /// The most bytes of all bodies together.
    public var tableBytes: Int

    public init(count: Int = LocalItems.defaultLimit, itemBytes: Int = 256 << 10, tableBytes: Int = 1 << 30) {
      self.count = count
      self.itemBytes = itemBytes
      self.tableBytes = tableBytes
    }
  }
}

// MARK: - Editing

extension LocalItems {
  /// Adds an item and gives it an identity.
  ///
  /// Members that `body` lacks are taken from `defaultItem`, as wholes: the members of a member are not merged.
  /// A member that is null in `body` is not lacking. O(log n).
  ///
  /// - Parameter name: the identity that a client has chosen; nil: the item is called by its number.
  @discardableResult
  public mutating func insert(
    _ body: JSONValue,
    named name: String? = nil,
    default defaultItem: JSONValue = .object([]),
    at place: Place = .end
  ) throws(EditError) -> Item {
    guard case .object = body else { throw .notAnObject(found: body.kindName) }
    guard entries.count < limits.count else { throw .tooManyItems(limit: limits.count) }
    guard nextID < Self.identityLimit else { throw .exhausted }
    if let name { try checkIsFree(name) }
    let position = try position(of: place, for: nil)
    let item = Item(id: ItemID(rawValue: nextID), name: name, body: body.completed(by: defaultItem).bytes)
    try check(item.body, replacing: [])
    nextID += 1
    put(item, at: position)
    return item
  }

  /// Puts another body in the place of an item's. Its identity and place stay; members that the body lacks are taken from
  /// `defaultItem`, as when it was added. O(log n).
  ///
  /// - Returns: The item as it is now; the same object where that changes nothing.
  @discardableResult
  public mutating func replace(
    _ id: ItemID,
    with body: JSONValue,
    default defaultItem: JSONValue = .object([])
  ) throws(EditError) -> Item {
    guard let index = index(of: id) else { throw .unknownItem(id) }
    guard case .object = body else { throw .notAnObject(found: body.kindName) }
    return try exchange(at: index, for: body.completed(by: defaultItem).bytes)
  }

  /// Applies a JSON merge patch (RFC 7396) to an item. Its identity and place stay. O(log n).
  ///
  /// - Returns: The item as it is now; the same object where the patch changes nothing.
  @discardableResult
  public mutating func patch(_ id: ItemID, with patch: JSONValue) throws(EditError) -> Item {
    guard let index = index(of: id) else { throw .unknownItem(id) }
    // RFC 7396 §2: a patch that is no object replaces the whole target, which has to stay an object here.
    guard case .object = patch else { throw .notAnObject(found: patch.kindName) }
    guard let value = try? JSONValue(parsing: entries[index].item.body) else { throw .notAnObject(found: "not JSON") }
    return try exchange(at: index, for: value.merging(patch: patch).bytes)
  }

  private mutating func exchange(at index: Int, for body: [UInt8]) throws(EditError) -> Item {
    let entry = entries[index]
    let old = entry.item
    // Compared by their bytes: Swift holds texts equal that are written differently.
    if body == old.body { return old }
    try check(body, replacing: old.body)
    let item = old.with(body)
    entries.replace(at: index, with: StoredItem(item: item, rank: entry.rank))
    bytes += body.count - old.body.count
    touched.insert(item.id)
    return item
  }

  /// Removes an item. O(log n).
  @discardableResult
  public mutating func delete(_ id: ItemID) throws(EditError) -> Item {
    guard let index = index(of: id) else { throw .unknownItem(id) }
    return take(at: index)
  }

  /// Moves an item; places count after it has left its own. O(log n).
  public mutating func move(_ id: ItemID, to place: Place) throws(EditError) {
    guard let index = index(of: id) else { throw .unknownItem(id) }
    let position = try position(of: place, for: index)
    guard position != index else { return }
    put(take(at: index), at: position)
  }

  /// The index of a place; for a move, in the items without the one at `moving`.
  private func position(of place: Place, for moving: Int?) throws(EditError) -> Int {
    let count = moving == nil ? entries.count : entries.count - 1
    switch place {
    case .end: return count
    case .index(let index):
      guard (0...count).contains(index) else { throw .indexOutOfRange(index, count: count) }
      return index
    case .before(let neighbor): return try position(beside: neighbor, for: moving)
    case .after(let neighbor): return try position(beside: neighbor, for: moving) + 1
    }
  }

  private func position(beside neighbor: ItemID, for moving: Int?) throws(EditError) -> Int {
    guard let index = index(of: neighbor) else { throw .unknownNeighbor(neighbor) }
    guard let moving else { return index }
    guard moving != index else { throw .besideItself(neighbor) }
    return moving < index ? index - 1 : index
  }

  private mutating func take(at index: Int) -> Item {
    let item = entries.remove(at: index).item
    bytes -= item.body.count
    rankByID[item.id] = nil
    if let name = item.name { named[ByteText(name)] = nil }
    touched.insert(item.id)
    return item
  }

  private mutating func put(_ entry: StoredItem, at position: Int) {
    entries.insert(entry, at: position)
    bytes += entry.item.body.count
    rankByID[entry.item.id] = entry.rank
    if let name = entry.item.name { named[ByteText(name)] = entry.item.id }
  }

  private func check(_ body: [UInt8], replacing old: [UInt8]) throws(EditError) {
    // A change that makes an item no larger is always possible: limits may have become tighter.
    guard body.count > old.count else { return }
    guard body.count <= limits.itemBytes else { throw .itemTooLarge(bytes: body.count, limit: limits.itemBytes) }
    let sum = bytes - old.count + body.count
    guard sum <= limits.tableBytes else { throw .tableTooLarge(bytes: sum, limit: limits.tableBytes) }
  }

  private mutating func put(_ item: Item, at position: Int) {
    let rank = makeRoom(at: position)
    put(StoredItem(item: item, rank: rank), at: position)
    touched.insert(item.id)
  }
}

extension LocalItems {
  /// Takes over what somebody else's edits have made of the items. O(changes · log n).
  public mutating func apply(_ changes: ItemChanges) {
    let written = touched
    for id in changes.deleted { if let index = index(of: id) { _ = take(at: index) } }
    for entry in changes.stored { if let index = index(of: entry.item.id) { _ = take(at: index) } }
    for entry in changes.stored {
      put(entry, at: entries.index(atLeast: entry.rank))
    }
    nextID = Swift.max(nextID, changes.nextID)
    // They are stored already.
    touched = written
  }
}

extension LocalItems {
  /// A difference: the former item, and the present one.
  public struct Difference: Sendable {
    public var before: StoredItem?
    public var after: StoredItem?
  }

  /// The items that are not as they were in another value, nor where they were.
  ///
  /// - Returns: nil where they are more than `maximum`.
  /// - Complexity: O(differences · log n) where one of both was made from the other; no more than `maximum` are looked for.
  public func differences(from other: LocalItems, atMost maximum: Int) -> [ItemID: Difference]? {
    struct TooMany: Error {}
    var found: [ItemID: Difference] = [:]
    do {
      try ItemSequence.forEachDifference(other.entries, entries) { before, after in
        if let before { found[before.item.id, default: Difference()].before = before }
        if let after { found[after.item.id, default: Difference()].after = after }
        guard found.count <= maximum else { throw TooMany() }
      }
    } catch {
      return nil
    }
    return found
  }
}
