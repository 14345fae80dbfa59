import JSON
import TestSupport
import Testing

@testable import TableStore

@Suite struct LocalItemsTests {
  private func items(_ count: Int) throws -> LocalItems {
    try LocalItems(seed: (1...count).map { .object([.init(name: "n", value: .integer(Int64($0)))]) })
  }

  private func text(_ item: Item?) -> String { String(decoding: item?.body ?? [], as: UTF8.self) }

  @Test(
    arguments: [
      ("0", 0), ("7", 7), ("1024", 1024), ("18446744073709551615", UInt64.max), ("18446744073709551616", nil),
      ("99999999999999999999", nil), ("07", nil), ("00", nil), ("+7", nil), ("-7", nil), (" 7", nil), ("7 ", nil),
      ("", nil),
      ("7.0", nil), ("٣", nil), ("0x7", nil),
    ] as [(String, UInt64?)]
  )
  func anIdentityIsItsDigits(text: String, value: UInt64?) { #expect(ItemID(text)?.rawValue == value) }

  @Test func addedItemTakesWhatItLacksFromTheDefault() throws {
    var items = try LocalItems()
    let fallback: JSONValue = ["title": "New", "tags": ["a": 1, "b": 2]]
    #expect(text(try items.insert([:], default: fallback)) == #"{"title":"New","tags":{"a":1,"b":2}}"#)
    let item = try items.insert(["tags": ["c": 3], "title": nil], default: fallback)
    #expect(text(item) == #"{"tags":{"c":3},"title":null}"#)
    #expect(items.map(\.id.rawValue) == [1, 2])
  }

  @Test func patchFollowsRFC7396() throws {
    var items = try LocalItems(seed: [["a": "b", "c": ["d": "e", "f": "g"]]])
    let id = ItemID(rawValue: 1)
    try items.patch(id, with: ["a": "z", "c": ["f": nil]])
    #expect(text(items[id]) == #"{"a":"z","c":{"d":"e"}}"#)
    let before = items[id]
    #expect(try items.patch(id, with: ["a": "z"]) === before)
  }

  @Test func whatSwiftHoldsEqualIsAChangeAllTheSame() throws {
    var items = try LocalItems(seed: [["title": "\u{E9}"]])
    let id = ItemID(rawValue: 1)
    try items.patch(id, with: ["title": "e\u{301}"])
    #expect(Array(text(items[id]).utf8) == Array("{\"title\":\"e\u{301}\"}".utf8))
  }

  @Test func identitiesAreNotGivenAgain() throws {
    var items = try items(2)
    try items.delete(ItemID(rawValue: 2))
    #expect(try items.insert([:]).id.rawValue == 3)
  }

  @Test func impossibleEditsSayWhyAndChangeNothing() throws {
    let original = try items(3)
    let (first, missing) = (ItemID(rawValue: 1), ItemID(rawValue: 9))
    let cases: [(EditError, (inout LocalItems) throws -> Void)] = [
      (.unknownItem(missing), { try $0.delete(missing) }),
      (.unknownItem(missing), { try $0.patch(missing, with: [:]) }),
      (.unknownItem(missing), { try $0.move(missing, to: .end) }),
      (.unknownNeighbor(missing), { try $0.insert([:], at: .before(missing)) }),
      (.besideItself(first), { try $0.move(first, to: .after(first)) }),
      (.indexOutOfRange(4, count: 3), { try $0.insert([:], at: .index(4)) }),
      (.indexOutOfRange(3, count: 2), { try $0.move(first, to: .index(3)) }),
      (.indexOutOfRange(-1, count: 3), { try $0.insert([:], at: .index(-1)) }),
      (.notAnObject(found: "an array"), { try $0.insert([]) }),
      (.notAnObject(found: "null"), { try $0.patch(first, with: nil) }),
    ]
    for (expected, edit) in cases {
      var items = original
      #expect(throws: expected) { try edit(&items) }
      #expect(items.map(\.id) == original.map(\.id))
    }
    #expect(throws: EditError.tooManyItems(limit: 1)) { try LocalItems(seed: [[:], [:]], limit: 1) }
  }

  /// Against a plain array; ranks and what the store is told are checked by rebuilding from the changes.
  @Test(arguments: [1, 2, 3, 4, 5] as [UInt64]) func agreesWithAnArray(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var items = try LocalItems()
    var model: [ItemID] = []
    var stored: [ItemID: StoredItem] = [:]
    for step in 0..<700 {
      let place: Place =
        switch (Int.random(in: 0..<5, using: &generator), model.randomElement(using: &generator)) {
        case (0, _), (_, nil): .end
        // The same place over and over: what uses up the room between two ranks.
        case (1, _): .index(min(1, model.count))
        case (2, _): .index(Int.random(in: 0...model.count, using: &generator))
        case (3, let id?): .before(id)
        case (_, let id?): .after(id)
        }
      switch Int.random(in: 0..<10, using: &generator) {
      case 0...4: model.insert(try items.insert([:], at: place).id, at: index(of: place, in: model))
      case 5...7:
        guard let id = model.randomElement(using: &generator), place != .before(id), place != .after(id) else { break }
        let rest = model.filter { $0 != id }
        if case .index(let index) = place, index > rest.count { break }
        try items.move(id, to: place)
        model = rest
        model.insert(id, at: index(of: place, in: rest))
      case 8:
        guard let id = model.randomElement(using: &generator) else { break }
        try items.delete(id)
        model.removeAll { $0 == id }
      default:
        guard let id = model.randomElement(using: &generator) else { break }
        try items.patch(id, with: ["step": .integer(Int64(step))])
      }
      #expect(items.map(\.id) == model, "seed \(seed), step \(step)")
      if let id = model.randomElement(using: &generator) { #expect(items.index(of: id) == model.firstIndex(of: id)) }
      if step % 7 == 0 {
        let changes = items.takeChanges()
        for id in changes.deleted { stored[id] = nil }
        for entry in changes.stored { stored[entry.item.id] = entry }
        let again = LocalItems(stored: stored.values, nextID: changes.nextID)
        #expect(again.elementsEqual(items, by: ===), "seed \(seed), step \(step)")
        #expect(again.nextID == items.nextID)
      }
    }
  }

  private func index(of place: Place, in model: [ItemID]) -> Int {
    switch place {
    case .end: model.count
    case .index(let index): index
    case .before(let id): model.firstIndex(of: id) ?? -1
    case .after(let id): (model.firstIndex(of: id) ?? -2) + 1
    }
  }

  @Test func addingAtOnePlaceWritesFewOthers() throws {
    var items = try items(1000)
    _ = items.takeChanges()
    var written = 0
    for _ in 0..<2000 {
      try items.insert([:], at: .index(1))
      written += items.takeChanges().stored.count
    }
    #expect(written < 2000 * 4)
  }
}

/// How large items and tables may be, and that it costs nothing to know.
@Suite struct ItemLimitTests {
  private func text(_ count: Int) -> JSONValue { .string(String(repeating: "x", count: count)) }

  @Test func whatIsTooLargeIsRefusedAndCountedBeforeItIsThere() throws {
    var items = try LocalItems()
    items.limits = LocalItems.Limits(itemBytes: 100, tableBytes: 250)
    #expect(throws: EditError.itemTooLarge(bytes: 108, limit: 100)) { try items.insert(["a": text(100)]) }
    let id = try items.insert(["a": text(80)]).id
    try items.insert(["a": text(80)])
    #expect(items.bytes == 176)
    #expect(throws: EditError.tableTooLarge(bytes: 264, limit: 250)) { try items.insert(["a": text(80)]) }
    #expect(throws: EditError.itemTooLarge(bytes: 117, limit: 100)) { try items.patch(id, with: ["b": text(22)]) }
    #expect(items.bytes == 176 && items.count == 2)
    // Limits that became tighter take nothing away, and keep nobody from making it less.
    items.limits = LocalItems.Limits(itemBytes: 10, tableBytes: 10)
    try items.patch(id, with: ["a": text(1)])
    #expect(items.bytes == 97)
    try items.delete(id)
    #expect(items.bytes == 88)
    var again = LocalItems(stored: items.takeChanges().stored, nextID: 3)
    #expect(again.bytes == 88)
    again.apply(ItemChanges(nextID: 9))
    #expect(again.nextID == 9)
  }

  /// A thousand edits of thirty thousand items, with a copy kept before each, as an engine keeps it to undo.
  @Test func manyEditsOfManyItems() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var generator = SeededGenerator(seed: seed)
    let stored = (0..<30_000).map {
      StoredItem(item: Item(id: ItemID(rawValue: UInt64($0 + 1)), body: Array("{}".utf8)), rank: Int64($0) << 32)
    }
    var items = LocalItems(stored: stored, nextID: 30_001)
    var model = items.map(\.id)
    items.limits.count = 200_000
    var before: [LocalItems] = []
    for _ in 0..<1000 {
      before.append(items)
      let index = Int.random(in: 0..<model.count, using: &generator)
      switch Int.random(in: 0..<3, using: &generator) {
      case 0: model.insert(try items.insert([:], at: .index(index)).id, at: index)
      case 1: try items.delete(model.remove(at: index))
      default:
        let target = Int.random(in: 0..<model.count, using: &generator)
        let id = model.remove(at: index)
        model.insert(id, at: target)
        try items.move(id, to: .index(target))
      }
    }
    #expect(items.map(\.id) == model, "seed \(seed)")
    #expect(before[0].count == 30_000 && before[0].elementsEqual(stored.map(\.item), by: ===), "seed \(seed)")
  }
}
