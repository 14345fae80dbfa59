internal import Expressions
internal import JSON

/// The service's own items as the members of a family have them in common, after a few changes: what is new is mapped, and the rest is
/// taken over with its rows.
struct OwnedTurnover {
  private(set) var source: CachedSource
  /// As ``CommonMapping/Turnover/places``.
  private(set) var places: [Int32]?
  /// As ``CommonMapping/Turnover/changed``.
  private(set) var changed: [Int32] = []
  /// How many bytes more the items and their rows take.
  private(set) var growth = 0
  private let before: CachedSource
  private var mapper: ItemMapper

  /// One that came, was changed or stands elsewhere.
  private struct Arrival {
    let item: OwnedItem
    let place: Int
    /// Nil: it is new.
    let former: Int?
  }

  /// - Parameters:
  ///   - earlier: the items that `before` was made of.
  /// - Returns: nil where everything is to be mapped: there are many changes, or an item shows where it stands.
  /// - Complexity: O(changes · log items), and O(items) to copy references.
  init?(from earlier: any OwnedItems, _ before: CachedSource, to next: any OwnedItems, _ group: PartGroup) {
    let plan = group.plan.plan
    guard before.items.count == earlier.count,
      let changes = next.changes(since: earlier, atMost: max(64, next.count / 32))
    else { return nil }
    (source, self.before) = (before, before)
    mapper = ItemMapper(
      source: plan.sources[0],
      plan: plan,
      lookups: Lookups(for: group),
      scope: group.variables.scope
    )
    var (departures, arrivals): ([Int], [Arrival]) = ([], [])
    for change in changes {
      let former = earlier.place(of: change.number)
      if let former { departures.append(former) }
      guard let item = change.after else { continue }
      guard let place = next.place(of: change.number) else { return nil }
      arrivals.append(Arrival(item: item, place: place, former: former))
    }
    arrivals.sort { $0.place < $1.place }
    if departures.count == arrivals.count, arrivals.allSatisfy({ $0.former == $0.place }) {
      replace(arrivals)
    } else {
      guard !plan.dependencies.contains(.index), move(departures.sorted(), arrivals, count: next.count) else {
        return nil
      }
    }
  }

  /// All stand where they stood.
  private mutating func replace(_ arrivals: [Arrival]) {
    var (items, texts) = (before.items, before.texts)
    for arrival in arrivals where !isAsBefore(arrival) {
      let mapped = mapped(arrival)
      growth -= cost(at: arrival.place)
      items.replace(at: arrival.place, with: mapped)
      texts.replace(at: arrival.place, with: arrival.item.bytes)
    }
    source = CachedSource(items, texts, after: before)
  }

  /// - Parameter departures: the former places of those that went, were changed or moved, ascending.
  /// - Returns: false where the changes are not those from these items to others.
  private mutating func move(_ departures: [Int], _ arrivals: [Arrival], count: Int) -> Bool {
    var places = [Int32](repeating: -1, count: before.items.count)
    var (items, texts): ([MappedItem], ItemTexts) = ([], ItemTexts())
    items.reserveCapacity(count)
    texts.reserveCapacity(count)
    var (left, come) = (departures[...], arrivals[...])
    var former = 0
    let skipDepartures = {
      while left.first == former {
        left.removeFirst()
        former += 1
      }
    }
    for place in 0..<count {
      guard let arrival = come.first, arrival.place == place else {
        skipDepartures()
        guard former < before.items.count else { return false }
        places[former] = Int32(place)
        items.append(before.items[former])
        texts.append(before.texts.text(of: former))
        former += 1
        continue
      }
      come.removeFirst()
      texts.append(arrival.item.bytes)
      if isAsBefore(arrival), let former = arrival.former {
        places[former] = Int32(place)
        items.append(before.items[former])
      } else {
        items.append(mapped(arrival))
      }
    }
    skipDepartures()
    guard former == before.items.count, come.isEmpty else { return false }
    for departure in departures where places[departure] < 0 { growth -= cost(at: departure) }
    (self.places, source) = (places, CachedSource(MappedItems(items), texts, after: before))
    return true
  }

  /// Returns whether an item has the bytes that it had: it may stand elsewhere, or another one may have its number.
  private func isAsBefore(_ arrival: Arrival) -> Bool {
    guard let former = arrival.former else { return false }
    return arrival.item.bytes.withUnsafeBytes { before.has($0, arrival.item.id, at: former) }
  }

  private mutating func mapped(_ arrival: Arrival) -> MappedItem {
    let item = arrival.item.bytes.withUnsafeBytes { mapper.item(at: arrival.place, $0, givenID: arrival.item.id) }
    growth += item.cost + arrival.item.bytes.count
    changed.append(Int32(arrival.place))
    return item
  }

  private func cost(at place: Int) -> Int {
    before.items[place].cost + before.texts.withBytes(of: place) { $0.count }
  }
}

extension CachedSource {
  /// Others in place of a local source's items.
  fileprivate init(_ items: MappedItems, _ texts: ItemTexts, after before: CachedSource) {
    self.init(
      items: items,
      texts: texts,
      seenResponses: before.seenResponses,
      lists: [],
      pageEnds: [],
      references: nil
    )
  }
}
