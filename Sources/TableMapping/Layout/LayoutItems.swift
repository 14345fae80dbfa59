internal import HashTreeCollections
internal import TableModel

/// The items of a source as they were laid out, by their numbers and by what they are found by: those of the last whole
/// mapping in the lists that it has made, which costs nothing, and what edits have made of them since in trees, of which a
/// copy shares all.
struct LayoutItems: Sendable {
  private var base: Base
  /// Nil: the item is gone.
  private var changed: TreeDictionary<UInt64, LayoutItem?> = [:]
  /// By the fingerprints of what items are found by: the identities of their rows, or of the row that they would have. Nil:
  /// nothing is found by it any more.
  private var names: TreeDictionary<UInt64, UInt64?> = [:]
  /// The items that a section takes and that have no row.
  private(set) var skipped: TreeSet<UInt64> = []

  /// Items that the service owns, in their order.
  ///
  /// - Parameters:
  ///   - lookup: what became of them.
  ///   - skipped: the places of those that a section takes and that have no row.
  /// - Returns: nil where one of them has no number of its own.
  /// - Complexity: O(items).
  init?(_ given: [SourceItem], _ lookup: ItemLookup, skipped: [Int]) {
    let numbers = given.compactMap { $0.owned?.number }
    guard given.count == lookup.items.count, numbers.count == given.count, let places = NumberedPlaces(numbers) else {
      return nil
    }
    self.init(Base(lookup, .owned(given, places)), skipped)
  }

  /// Items of a response, whose numbers are their places in it. As the other one; O(skipped).
  init(_ texts: ItemTexts, _ lookup: ItemLookup, skipped: [Int]) { self.init(Base(lookup, .parts(texts)), skipped) }

  private init(_ base: Base, _ skipped: [Int]) {
    self.base = base
    self.skipped = TreeSet(skipped.map { base.number(at: $0) })
  }

  /// True if their numbers are not their places in a response.
  var areOwned: Bool { base.areOwned }

  /// How many there were at the last whole mapping, or in the last response.
  var mappedCount: Int { base.lookup.items.count }

  /// Goes on with the items of the next response, in which each stands where it stood, if another one now. What they are found by is
  /// told apart from that. O(1).
  mutating func follow(_ items: MappedItems, _ texts: ItemTexts) {
    base = Base(ItemLookup(items: items, index: base.lookup.index), .parts(texts))
  }

  /// The result of a whole mapping.
  private final class Base: Sendable {
    let lookup: ItemLookup
    private let texts: Texts

    enum Texts: Sendable {
      case owned([SourceItem], NumberedPlaces)
      case parts(ItemTexts)
    }

    init(_ lookup: ItemLookup, _ texts: Texts) { (self.lookup, self.texts) = (lookup, texts) }

    var areOwned: Bool { if case .owned = texts { true } else { false } }

    func number(at place: Int) -> UInt64 {
      if case .owned(let given, _) = texts, let owned = given[place].owned { return owned.number }
      return UInt64(place)
    }

    func item(_ number: UInt64) -> LayoutItem? {
      switch texts {
      case .owned(_, let places): places.place(of: number).map { item(at: $0) }
      case .parts: number < UInt64(lookup.items.count) ? item(at: Int(number)) : nil
      }
    }

    func item(at place: Int) -> LayoutItem {
      switch texts {
      case .owned(let given, _):
        LayoutItem(lookup.items[place], given[place].owned?.rank ?? 0, .own(given[place].bytes))
      case .parts(let texts):
        LayoutItem(lookup.items[place], ListEdits.rank(ofResponse: place), .part(of: texts, at: place))
      }
    }
  }

  // MARK: By number

  /// O(log items).
  subscript(number: UInt64) -> LayoutItem? {
    get {
      if let changed = changed[number] { return changed }
      return base.item(number)
    }
    set {
      // An item that came with one edit and went with another leaves no trace.
      if newValue == nil, base.item(number) == nil {
        changed[number] = .none
      } else {
        changed.updateValue(newValue, forKey: number)
      }
    }
  }

  /// In the order of the source. O(items); after edits O(items + changes · log changes).
  var ordered: [(number: UInt64, item: LayoutItem)] {
    let places = base.lookup.items.indices
    guard !changed.isEmpty else { return places.map { (base.number(at: $0), base.item(at: $0)) } }
    let own = changed.compactMap { number, item in item.map { (number: number, item: $0) } }
      .sorted { $0.item.rank < $1.item.rank }
    var (all, next): ([(number: UInt64, item: LayoutItem)], Int) = ([], 0)
    all.reserveCapacity(places.count + own.count)
    for place in places {
      let number = base.number(at: place)
      guard changed[number] == nil else { continue }
      let item = base.item(at: place)
      while next < own.count, own[next].item.rank < item.rank {
        all.append(own[next])
        next += 1
      }
      all.append((number, item))
    }
    return all + own[next...]
  }

  // MARK: By name

  /// The item that is found by a name which `isMatch` finds it to have. O(log items).
  func number(named name: Fingerprint, where isMatch: (MappedItem) -> Bool) -> UInt64? {
    if let known = names[name.rawValue] { return known }
    let place = base.lookup.index.first(name) { isMatch(base.lookup.items[$0]) }
    return place.map { base.number(at: $0) }
  }

  /// False where one of its names is taken.
  mutating func add(namesOf item: MappedItem, for number: UInt64) -> Bool {
    var areFree = true
    item.forEachName { name in
      areFree = areFree && self.number(named: name) { _ in true } == nil
      names.updateValue(number, forKey: name.rawValue)
    }
    if item.details?.skip != nil { skipped.insert(number) }
    return areFree
  }

  mutating func remove(namesOf item: MappedItem, for number: UInt64) {
    item.forEachName { name in
      let isOfBase = base.lookup.index.first(name) { _ in true } != nil
      if isOfBase { names.updateValue(nil, forKey: name.rawValue) } else { names[name.rawValue] = .none }
    }
    if item.details?.skip != nil { skipped.remove(number) }
  }
}

/// An item as it was laid out.
struct LayoutItem: Sendable {
  let mapped: MappedItem
  /// The number that orders it among the others.
  let rank: Int64
  let text: Text

  enum Text: Sendable {
    case own([UInt8])
    case part(of: ItemTexts, at: Int)

    var bytes: [UInt8] {
      switch self {
      case .own(let bytes): bytes
      case .part(let texts, let place): texts.bytes(of: place)
      }
    }
  }

  init(_ mapped: MappedItem, _ rank: Int64, _ text: Text) { (self.mapped, self.rank, self.text) = (mapped, rank, text) }

  /// As the source gave it, or an edit. O(bytes) for a part of a response: a copy.
  var bytes: [UInt8] { text.bytes }

  /// Its memory, about, without the response that it is a part of.
  var cost: Int {
    if case .own(let bytes) = text { mapped.cost + bytes.count } else { mapped.cost }
  }
}
