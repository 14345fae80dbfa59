import JSON
import Testing

@testable import TableStore

@Suite struct LocalItemsTests {
  private func items(_ count: Int) throws -> LocalItems {
    try LocalItems(seed: (1...count).map { .object([.init(name: "n", value: .integer(Int64($0)))]) })
  }

  private func text(_ item: Item?) -> String { String(decoding: item?.body ?? [], as: UTF8.self) }

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
