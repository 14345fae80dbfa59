import FieldValues
import JSON
import TableModel
import TestSupport
import Testing

@testable import TableStore

/// What a version is made of is stored with it, and none is stored that is made of older items than the one before.
@Suite struct InputRevisionsTests {
  private func inputs(own: String? = nil, _ numbers: [String: UInt64]) -> InputRevisions {
    var inputs = InputRevisions()
    inputs.own = own
    for (name, number) in numbers { inputs[name] = number }
    return inputs
  }

  private func commit(_ versions: TableVersions, _ title: String, _ inputs: InputRevisions?) throws -> (Commit, Version)
  {
    let version = try #require(versions.prepare(table([("s", [row("1", title)])])))
    var commit = Commit(table: "t", durability: .full, version: version)
    commit.inputs = inputs
    return (commit, version)
  }

  /// A record gets another name: so it is called by all that is made of it, and by nothing else.
  @Test(arguments: StoreKind.allCases) func anInputGetsAnotherName(kind: StoreKind) throws {
    let made = [
      "own": inputs(own: "@items.a", ["@items.a": 5, "@items.ab": 1]),
      "beside": inputs(["@items.b": 7, "@items.a": 5]), "other": inputs(own: "@items.ab", ["@items.ab": 1]),
    ]
    let expected = [
      "own": inputs(own: "@items.c", ["@items.c": 5, "@items.ab": 1]),
      "beside": inputs(["@items.b": 7, "@items.c": 5]), "other": inputs(own: "@items.ab", ["@items.ab": 1]),
    ]
    try kind.withStore { store in
      for (name, inputs) in made {
        let versions = TableVersions(initial: table(), history: 8, historyBytes: .max, restored: nil)
        var commit = Commit(table: name, durability: .full, version: versions.current)
        commit.inputs = inputs
        try store.written(commit)
      }
      var items = try LocalItems(seed: [["a": 1]])
      try store.written(Commit(table: "@items.a", durability: .full, items: items.takeChanges()))
      try result { store.rename("@items.a", to: "@items.c", completion: $0) } as Void
      for (name, inputs) in expected { #expect(try store.restored(name).inputs == inputs, "\(name)") }
      // Nothing is called so any more.
      try result { store.rename("@items.a", to: "@items.d", completion: $0) } as Void
      for (name, inputs) in expected { #expect(try store.restored(name).inputs == inputs, "\(name)") }
    }
  }

  @Test(arguments: StoreKind.allCases) func aVersionThatSetsAnInputBackIsRefused(kind: StoreKind) throws {
    try kind.withStore { store in
      let before = try store.restored()
      #expect(before.inputs.isEmpty)
      let versions = TableVersions(initial: table(), history: 8, historyBytes: .max, restored: nil)
      try store.written(Commit(table: "t", durability: .full, version: versions.current))
      let (first, version) = try commit(versions, "first", inputs(own: "@items.a", ["@items.a": 5, "@items.b": 2]))
      try store.written(first)
      versions.publish(version)
      let revision = try store.restored().revision
      let olds: [[String: UInt64]] = [
        ["@items.a": 4, "@items.b": 3], ["@items.b": 1], ["@items.a": 0, "@items.c": 9],
      ]
      for back in olds {
        var (late, _) = try commit(versions, "late", inputs(back))
        late.base = revision
        #expect(throws: StoreError.superseded, "\(back)") { try store.written(late) }
        versions.withdraw()
      }
      let kept = try store.restored()
      #expect(kept.versions?.all.last?.number == version.number && kept.revision == revision)
      #expect(kept.inputs.own == "@items.a" && kept.inputs["@items.b"] == 2 && kept.objects.isEmpty)
      // The same and newer ones, and others; or none of which it is said.
      let news: [[String: UInt64]?] = [
        ["@items.a": 5, "@items.b": 2], ["@items.a": 6, "@items.c": 1], nil, ["@items.a": 6],
      ]
      for next in news {
        let (commit, version) = try commit(versions, "\(next ?? [:])", next.map { inputs(own: "@items.a", $0) })
        try store.written(commit)
        versions.publish(version)
      }
      #expect(throws: StoreError.superseded) {
        try store.written(try commit(versions, "back", inputs(["@items.a": 5])).0)
      }
      guard case .changes(let changes) = try store.changes(since: revision) else { throw StoreError.closed }
      #expect(changes.inputs?["@items.a"] == 6 && changes.objects.isEmpty && changes.versions.count == 4)
    }
  }

  /// Another process has not read the table whole.
  @Test func anotherProcessIsRefusedToo() throws {
    let address = try PostgresServer.shared.get().newDatabase()
    let (one, two) = (try PostgresStore(address: address), try PostgresStore(address: address))
    let versions = TableVersions(initial: table(), history: 8, historyBytes: .max, restored: nil)
    try one.written(Commit(table: "t", durability: .full, version: versions.current))
    let (first, version) = try commit(versions, "first", inputs(["@items.a": 5]))
    try one.written(first)
    versions.publish(version)
    #expect(throws: StoreError.superseded) { try two.written(try commit(versions, "back", inputs(["@items.a": 4])).0) }
    versions.withdraw()
    try two.written(try commit(versions, "on", inputs(["@items.a": 7])).0)
    #expect(try one.changes(since: .none).inputs?["@items.a"] == 7)
    for store in [one, two] { try store.closed() }
  }

  @Test(
    arguments: [
      ["@items.a": 1], ["@items.a": 1, "@items.b 2": .max, "@items.ö": 0], ["@items.b": 3], [:],
    ] as [[String: UInt64]]
  ) func theyAreReadAsTheyWereWritten(numbers: [String: UInt64]) {
    let written = inputs(own: numbers["@items.a"] == nil ? nil : "@items.a", numbers)
    var objects: [ByteText: [UInt8]] = ["row": [1], ByteText(written.object.row): written.object.bytes ?? []]
    #expect(InputRevisions(takingFrom: &objects) == written && objects == ["row": [1]])
    var changes = [ObjectChange(row: "row", bytes: nil), written.object]
    #expect(InputRevisions.taken(from: &changes) == written && changes.map(\.row) == ["row"])
    #expect(InputRevisions.taken(from: &changes) == nil)
  }

  /// Whoever shares the database may have written anything.
  @Test(arguments: ["", "\n\n", "-\nx", "5", "-1 a\n18446744073709551616 b", "\u{0} \u{0}\n \n"])
  func whatIsNoListSaysNothing(text: String) {
    #expect(InputRevisions(Array(text.utf8)).isEmpty)
  }
}

extension CatchUp {
  fileprivate var inputs: InputRevisions? {
    switch self {
    case .changes(let changes): changes.inputs
    case .replaced(let stored): stored.inputs
    }
  }
}
