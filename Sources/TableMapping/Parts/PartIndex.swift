internal import Expressions

/// Finds a source's items by what an equality asks of them.
struct PartIndex: Sendable {
  /// By item; nil: only a look at the item can tell.
  private var keys: [Key?]
  /// In ascending places.
  private var places: [Key: [Int32]] = [:]
  /// The items without a key.
  private var others: [Int32] = []

  /// More changes are not made one by one, each of which moves the places of all items with the same key.
  private static let fewChanges = 64

  /// Values that are equal have equal keys.
  enum Key: Hashable {
    case null
    case boolean(Bool)
    case number(Double)
    case text(String)

    /// Nil for lists and objects.
    init?(_ value: Value) {
      switch value.kind {
      case .null: self = .null
      case .boolean: self = .boolean(value.boolValue ?? false)
      case .number:
        guard let number = value.doubleValue else { return nil }
        self = .number(number)
      case .string:
        guard let text = value.string else { return nil }
        self = .text(text)
      case .array, .object: return nil
      }
    }
  }

  /// - Parameters:
  ///   - previous: of the items before.
  ///   - turnover: what has become of these: the others are looked at alone.
  /// - Complexity: O(items), and a look at each that changed.
  init(
    _ equality: CommonPlan.Equality,
    of source: CachedSource,
    after previous: PartIndex?,
    _ turnover: CommonMapping.Turnover?
  ) {
    keys = []
    let reading = ItemReading(source, reading: equality.ofItem.itemSelection)
    var scope = Scope()
    let key = { (position: Int) -> Key? in
      reading.withItem(at: position) { item in
        scope.item = item
        return (try? equality.ofItem.evaluate(in: scope)).flatMap { Key($0) }
      }
    }
    guard let previous, let turnover else {
      keys = source.items.indices.map(key)
      fill()
      return
    }
    if let moved = turnover.places {
      keys = [Key?](repeating: nil, count: source.items.count)
      for (former, place) in moved.enumerated() where place >= 0 { keys[Int(place)] = previous.keys[former] }
    } else if turnover.changed.count > Self.fewChanges {
      keys = previous.keys
    } else {
      self = previous
      for position in turnover.changed { replace(Int(position), with: key(Int(position))) }
      return
    }
    for position in turnover.changed { keys[Int(position)] = key(Int(position)) }
    fill()
  }

  private mutating func fill() {
    for (position, key) in keys.enumerated() {
      if let key { places[key, default: []].append(Int32(position)) } else { others.append(Int32(position)) }
    }
  }

  private mutating func replace(_ position: Int, with key: Key?) {
    let place = Int32(position)
    guard keys[position] != key else { return }
    if let old = keys[position] {
      places[old]?.removeAll { $0 == place }
      if places[old]?.isEmpty == true { places[old] = nil }
    } else {
      others.removeAll { $0 == place }
    }
    keys[position] = key
    let insert = { (list: inout [Int32]) in
      list.insert(place, at: list.firstIndex { $0 > place } ?? list.endIndex)
    }
    if let key { insert(&places[key, default: []]) } else { insert(&others) }
  }

  /// Returns the positions of items for which the equality may hold, ascending.
  func candidates(_ key: Key) -> [Int32] {
    let found = places[key] ?? []
    return others.isEmpty ? found : (found + others).sorted()
  }

  /// True if every item is found by its key.
  var hasAllKeys: Bool { others.isEmpty }

  func key(at position: Int32) -> Key? { keys[Int(position)] }

  /// Returns whether the equality may hold for an item.
  func mayTake(_ position: Int32, _ key: Key) -> Bool { keys[Int(position)].map { $0 == key } ?? true }
}
