internal import Expressions
internal import JSON
internal import Synchronization
internal import TableModel

/// The rows of one answer's items, of which the members of a family show parts. Immutable, and shared by them.
final class CommonMapping: Sendable {
  let group: PartGroup
  let source: CachedSource
  let index: PartIndex?
  /// The changes since the mapping before.
  let turnover: Turnover?
  let isTruncated: Bool
  /// The charge of its mapping, in bytes.
  private let spent: Int
  /// The items, where the service owns them.
  private let owned: (any OwnedItems)?
  /// Its own among all.
  private let number: UInt64
  private static let numbers = Atomic<UInt64>(0)

  /// From one mapping to the next. An item is the same one where its bytes are, wherever it stands; one that the service owns, where it has
  /// its number, too.
  struct Turnover: Sendable {
    fileprivate let before: UInt64
    /// By former place: where the item stands now, -1 where it has gone. Nil: all stand where they stood.
    let places: [Int32]?
    /// The positions of items that are new or were changed, ascending.
    let changed: [Int32]
  }

  /// Nil where the answer can't be mapped.
  ///
  /// - Complexity: where the service owns the items, and few have changed, a mapping of these, and O(items) without a look at one. Else
  ///   as for a mapping; an item that is as it was in the mapping before costs a comparison of its bytes.
  init?(_ group: PartGroup, _ contents: [String: SourceContent], after previous: CommonMapping?) {
    let plan = group.plan.plan
    // Members find items by their places among all: edits are a part of the answer.
    guard let content = contents[group.source]?.settled(of: plan.sources[0]) else { return nil }
    let previous = previous.flatMap {
      $0.group.plan.plan === plan && $0.group.variables == group.variables ? $0 : nil
    }
    (self.group, owned, isTruncated) = (group, content.owned, content.isTruncated)
    number = Self.numbers.add(1, ordering: .relaxed).newValue
    if let previous, let earlier = previous.owned, let owned,
      let next = OwnedTurnover(from: earlier, previous.source, to: owned, group)
    {
      (source, spent) = (next.source, previous.spent + next.growth)
      turnover = Turnover(before: previous.number, places: next.places, changed: next.changed)
    } else {
      var reader = SourceReader(
        source: plan.sources[0],
        plan: plan,
        content: content,
        previous: previous?.source,
        layout: nil,
        lookups: Lookups(for: group),
        scope: group.variables.scope,
        budget: MappingBudget(group.maximumBytes, workPerItem: plan.workPerItem)
      )
      guard (try? reader.read()) != nil else { return nil }
      let source = reader.cached
      (self.source, spent) = (source, reader.budget.spent)
      turnover = previous.map { Turnover(from: $0.source.items, to: source.items, before: $0.number) }
    }
    let (source, turnover) = (source, turnover)
    index = group.plan.equality.map { PartIndex($0, of: source, after: previous?.index, turnover) }
  }

  /// The memory of the items and their rows, about.
  var byteCount: Int { spent + source.items.count * 24 }

  /// Returns the changes since a mapping; nil where that is not the one before this.
  func turnover(since other: CommonMapping) -> Turnover? {
    turnover.flatMap { $0.before == other.number ? $0 : nil }
  }
}

extension Lookups {
  /// None: members that look anything up have rows of their own.
  init(for group: PartGroup) {
    self.init([], [:], previous: [], variables: group.variables, workPerItem: group.plan.plan.workPerItem)
  }
}

extension CommonMapping.Turnover {
  /// O(items), without looking into one.
  fileprivate init(from old: MappedItems, to new: MappedItems, before: UInt64) {
    self.before = before
    if old.count == new.count {
      let changed = new.indices.filter { old[$0] !== new[$0] }
      // Some that are others now where they stood: nothing has moved.
      if changed.count <= max(64, new.count / 8) {
        let ids = Set(changed.map { ObjectIdentifier(old[$0]) })
        if !changed.contains(where: { ids.contains(ObjectIdentifier(new[$0])) }) {
          (places, self.changed) = (nil, changed.map { Int32($0) })
          return
        }
      }
    }
    var former: [ObjectIdentifier: Int32] = [:]
    former.reserveCapacity(old.count)
    for position in old.indices { former[ObjectIdentifier(old[position])] = Int32(position) }
    var places = [Int32](repeating: -1, count: old.count)
    var changed: [Int32] = []
    for position in new.indices {
      if let place = former.removeValue(forKey: ObjectIdentifier(new[position])) {
        places[Int(place)] = Int32(position)
      } else {
        changed.append(Int32(position))
      }
    }
    (self.places, self.changed) = (places, changed)
  }
}

/// The items of a source, read one after the other by expressions.
struct ItemReading {
  private let source: CachedSource
  private let reader: ListReader?

  init(_ source: CachedSource, reading selection: MemberSelection) {
    self.source = source
    let list = source.lists.count == 1 ? source.lists[0]?.text : nil
    reader = list.flatMap { list in
      list.elements.count == source.items.count ? ListReader(list, selecting: selection) : nil
    }
  }

  func byteCount(at position: Int) -> Int { source.texts.withBytes(of: position) { $0.count } }

  /// Calls the body with an item, which must not leave it; with null where it is no JSON.
  func withItem<Result>(at position: Int, _ body: (Value) -> Result) -> Result {
    if let view = try? reader?.unmanagedElement(position) { return body(Value(view)) }
    return source.texts.withBytes(of: position) { bytes in
      guard let document = try? Document(bytes), let root = try? document.unmanagedRoot() else { return body(.null) }
      return withExtendedLifetime(document) { body(Value(root)) }
    }
  }
}
