import JSON
import TestSupport
import Testing

@testable import TableStore

/// Items whose identities clients have chosen, beside those that are called by their numbers.
@Suite struct ItemNameTests {
  @Test func anItemIsFoundByWhatItIsCalled() throws {
    var items = try LocalItems(seed: [["n": 1]])
    let id = try items.insert(["n": 2], named: "a").id
    #expect(items.id(of: "a") == id && items.id(of: "1") == ItemID(rawValue: 1))
    // Its number is nobody's identity.
    #expect(items.id(of: "2") == nil && items[id]?.identity == "a")
    try items.replace(id, with: ["n": 3])
    #expect(items.id(of: "a") == id && items[id]?.name == "a")
    try items.patch(id, with: ["n": 4])
    try items.move(id, to: .index(0))
    #expect(items.id(of: "a") == id && items.map(\.identity) == ["a", "1"])
    try items.delete(id)
    #expect(items.id(of: "a") == nil)
    // Another item, which undoing the one before can't be taken for.
    #expect(try items.insert([:], named: "a").id == ItemID(rawValue: 3))
  }

  @Test func whatIsTakenOrANumberIsRefused() throws {
    var items = try LocalItems()
    try items.insert([:], named: "e\u{301}")
    // Swift holds both equal.
    try items.insert([:], named: "\u{E9}")
    #expect(throws: EditError.taken("e\u{301}")) { try items.insert([:], named: "e\u{301}") }
    for name in ["7", "007", "18446744073709551616", ""] {
      #expect(throws: EditError.unusableName(name)) { try items.insert([:], named: name) }
    }
    #expect(items.count == 2 && items.nextID == 3)
    try items.insert([:], named: "٣")
  }

  @Test func replacingIsWholeAndFillsInTheDefault() throws {
    var items = try LocalItems(seed: [["a": 1, "b": 2]])
    let id = ItemID(rawValue: 1)
    let fallback: JSONValue = ["c": 3]
    let item = try items.replace(id, with: ["a": 5], default: fallback)
    #expect(String(decoding: item.body, as: UTF8.self) == #"{"a":5,"c":3}"#)
    #expect(try items.replace(id, with: ["a": 5], default: fallback) === item, "nothing is changed")
    #expect(items.bytes == item.body.count)
    #expect(throws: EditError.notAnObject(found: "an array")) { try items.replace(id, with: []) }
  }

  @Test(arguments: StoreKind.allCases) func namesAreKept(kind: StoreKind) throws {
    let names = ["a", "é", "e\u{301}", "\u{200F}rtl", "a/b c", "😀"]
    try kind.withStore { store in
      var items = try LocalItems(seed: [["n": 0]])
      var commit = Commit(table: "t", durability: .full, items: items.takeChanges())
      commit.base = try store.restored().revision
      try store.written(commit)
      let base = try #require(commit.revision)
      for name in names { try items.insert(["n": 1], named: name) }
      commit = Commit(table: "t", durability: .full, items: items.takeChanges())
      commit.base = base
      try store.written(commit)
      let revision = try #require(commit.revision)
      let first = try #require(items.id(of: "a"))
      try items.patch(first, with: ["n": 2])
      try items.delete(try #require(items.id(of: "é")))
      try items.insert([:], named: "é", at: .index(0))
      commit = Commit(table: "t", durability: .full, items: items.takeChanges())
      commit.base = revision
      try store.written(commit)
      // As another process hears of it.
      guard case .changes(let changes) = try store.changes(since: base) else { throw StoreError.closed }
      var followed = try LocalItems(seed: [["n": 0]])
      followed.apply(try #require(changes.items))
      #expect(followed.map { Array($0.identity.utf8) } == items.map { Array($0.identity.utf8) })
      let restored = try #require(try store.restored().items)
      #expect(restored.map { Array($0.identity.utf8) } == items.map { Array($0.identity.utf8) })
      #expect(restored.map(\.body) == items.map(\.body))
      for name in names { #expect(restored.id(of: name) == items.id(of: name), "\(name)") }
    }
  }

  /// A record that another process wrote reads as it was written; a release before chosen identities reads what it knows.
  @Test func recordsHaveTheNamesBehindAllElse() throws {
    var items = try LocalItems(seed: [["n": 0]])
    var plain = Commit(table: "t", durability: .full, items: items.takeChanges())
    plain.toggles = [ToggleChange(row: "r", isToggled: true)]
    var named = plain
    try items.insert([:], named: "a")
    named.items?.merge(items.takeChanges())
    let (short, long) = (EditRecord(plain).bytes, EditRecord(named).bytes)
    #expect(try EditRecord(long).items?.stored.map(\.item.identity) == ["1", "a"])
    #expect(try EditRecord(short).items?.stored.map(\.item.identity) == ["1"])
    // What stands in front is the record as it was ever written: its count of items is two.
    #expect(short.first == long.first && long.suffix(4) == [1, 2, 1, UInt8(ascii: "a")])
    for count in 1..<long.count { _ = try? EditRecord(Array(long.prefix(count))) }
  }

  @Test(arguments: [1, 2, 3, 4, 5] as [UInt64]) func agreesWithAModel(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var items = try LocalItems()
    var model: [(identity: String, n: Int)] = []
    var stored: [ItemID: StoredItem] = [:]
    let names = ["a", "b", "c", "é", "e\u{301}", "x/y"].map { Array($0.utf8) }
    func place(of name: String) -> Int? { model.firstIndex { Array($0.identity.utf8) == Array(name.utf8) } }
    for step in 0..<500 {
      let name = String(decoding: names.randomElement(using: &generator) ?? [], as: UTF8.self)
      let body: JSONValue = ["n": .integer(Int64(step))]
      switch (Int.random(in: 0..<4, using: &generator), place(of: name)) {
      case (0, _):
        model.append((try items.insert(body).identity, step))
      case (1, let place?), (2, let place?):
        try items.replace(try #require(items.id(of: name)), with: body)
        model[place].n = step
      case (_, nil):
        let at = Int.random(in: 0...model.count, using: &generator)
        try items.insert(body, named: name, at: .index(at))
        model.insert((name, step), at: at)
      case (_, let place?):
        try items.delete(try #require(items.id(of: name)))
        model.remove(at: place)
      }
      #expect(
        items.map { Array($0.identity.utf8) } == model.map { Array($0.identity.utf8) },
        "seed \(seed), step \(step)"
      )
      #expect(items.map(\.body) == model.map { Array("{\"n\":\($0.n)}".utf8) }, "seed \(seed), step \(step)")
      guard step % 7 == 0 else { continue }
      let changes = items.takeChanges()
      for id in changes.deleted { stored[id] = nil }
      for entry in changes.stored { stored[entry.item.id] = entry }
      let again = LocalItems(stored: stored.values, nextID: changes.nextID)
      #expect(again.elementsEqual(items, by: ===) && again.id(of: name) == items.id(of: name))
    }
  }
}
