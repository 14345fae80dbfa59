import TableDiff
import TableFinding
import TableModel
import TestSupport
import Testing

/// Whatever is searched in whatever version, and by way of whatever was found before, is what looking at each item finds.
@Suite struct FoundTableTests {
  @Test(arguments: [UInt64](1...24)) func `finds what an oracle finds, from any search to any other`(seed: UInt64)
    throws
  {
    var random = SeededGenerator(seed: seed)
    var trial = FindingTrial(rows: [3, 40, 300, 300, 2_400].pick(using: &random), using: &random)
    let memory = FindMemory(maximumBytes: seed % 3 == 0 ? 20_000 : 1 << 26)
    let finder = Finder(FindingTrial.schema, trial.framing, memory: memory)
    var searches = (0..<6).map { _ in trial.search(using: &random) }
    var shown: [(table: Table, search: FindSearch)] = []
    for number in 1...8 {
      trial.change(using: &random)
      let table = trial.table
      let version = Finder.Version(Cursor(epoch: trial.epoch, version: UInt64(number)))
      for place in searches.indices {
        if Int.random(in: 0..<4, using: &random) == 0 {
          searches[place] = trial.narrowed(searches[place], using: &random)
        }
        if Int.random(in: 0..<9, using: &random) == 0 { searches[place] = trial.search(using: &random) }
        let search = searches[place]
        let found = finder.found(search, version, table)
        let expected = trial.expected(search)
        let context = "seed \(seed), version \(number), search \(search)"
        // Half of the time only windows are looked at, as they are made otherwise.
        let isWhole = Bool.random(using: &random)
        if isWhole {
          try #require(Table.same(found.whole, expected), "\(context)")
          #expect(search.isEmpty || found.whole.sections.allSatisfy { !$0.rows.isEmpty })
        }
        #expect(found.count == expected.rowCount, "\(context)")
        let start = Int.random(in: 0...max(1, expected.rowCount), using: &random)
        let window = try #require(WindowRange(from: start, rows: Int.random(in: 1...60, using: &random)))
        #expect(Table.same(found.table(window), expected.cut(to: window)), "\(context), rows \(window)")
        if Int.random(in: 0..<3, using: &random) == 0 {
          #expect(found.menu(FindingTrial.offer) == trial.expectedMenu(search), "\(context)")
        }
        if isWhole {
          if let other = shown.randomElement(using: &random) {
            #expect(throws: Never.self, "\(context), from \(other.search)") {
              try verify(from: other.table, to: found.whole)
            }
          }
          shown.append((found.whole, search))
          if shown.count > 12 { shown.removeFirst() }
        }
      }
    }
    #expect(memory.byteCount < 1 << 26)
  }

  /// Of few letters, so that each text has many beginnings of what is searched for.
  @Test(arguments: [UInt64](1...20)) func `letters are found wherever they stand`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    func text(_ count: ClosedRange<Int>) -> String {
      (0..<Int.random(in: count, using: &random)).map { _ in ["日", "日", "日", "本", "月"].pick(using: &random) }.joined()
    }
    let texts = (0..<200).map { _ in text(0...40) }
    let items = texts.enumerated().map { FindingTrial.Item(id: "\($0)", texts: [$1], states: ["open"]) }
    let trial = FindingTrial(items: items)
    let finder = Finder(FindingTrial.schema, .plain, memory: FindMemory(maximumBytes: 1 << 26))
    let version = Finder.Version(Cursor(epoch: trial.epoch, version: 1))
    for _ in 0..<40 {
      let word = text(1...9)
      let found = finder.found(FindSearch(words: Folding.terms(of: word)), version, trial.table).whole
      let expected = texts.indices.filter { place in
        let text = texts[place].utf8
        return text.indices.contains { text[$0...].starts(with: word.utf8) }
      }
      #expect(found.sections.flatMap { $0.rows.map(\.id) } == expected.map { "\($0)" }, "seed \(seed), \(word)")
    }
  }

  @Test(arguments: [
    ("ラーメン", "ーメン", true), ("ラーメン", "メン", true), ("ラーメン", "ラー", true), ("ラーメン", "ー", true), ("ﾗｰﾒﾝ", "ーメ", true),
    ("ラーメン", "ｰﾒﾝ", true), ("ラーメン", "ラメ", false), ("〆切日", "切日", true), ("今〆切", "〆切", true), ("東京タワー", "ワー", true),
    ("swimmer", "mer", false),
  ]) func `a word may begin at any letter of scripts without spaces`(text: String, word: String, isFound: Bool) {
    let trial = FindingTrial(items: [FindingTrial.Item(id: "a", texts: [text], states: ["open"])])
    let finder = Finder(FindingTrial.schema, .plain, memory: FindMemory(maximumBytes: 1 << 26))
    let version = Finder.Version(Cursor(epoch: trial.epoch, version: 1))
    let found = finder.found(FindSearch(words: Folding.terms(of: word)), version, trial.table)
    #expect(found.count == (isFound ? 1 : 0))
  }

  @Test func `a search without anything finds the plain table, with its empty sections`() throws {
    let trial = FindingTrial(items: [FindingTrial.Item(id: "a", texts: ["one"], states: ["open"])])
    let finder = Finder(FindingTrial.schema, trial.framing, memory: FindMemory(maximumBytes: 1 << 26))
    func found(_ table: Table, _ version: UInt64) -> FoundTable {
      finder.found(FindSearch(), .init(Cursor(epoch: trial.epoch, version: version)), table)
    }
    let first = found(trial.table, 1)
    #expect(first.whole.sections.map(\.id) == ["s0", "s1", "s2"])
    #expect(Table.same(first.whole, trial.table))
    let window = try #require(WindowRange(from: 0, rows: 2))
    #expect(Table.same(first.table(window), trial.table.cut(to: window)))
    var changed = trial.table
    let header = CellModel(cellIdentifier: "Header", encoded: Array("changed".utf8))
    changed.sections[2] = Section(id: "s2", header: header, rows: trial.table.sections[2].rows)
    let next = found(changed, 2)
    #expect(Table.firstAffectedRow(from: first.whole, to: next.whole) != nil)
    #expect(Table.firstAffectedRow(from: first.table(window), to: next.table(window)) != nil)
  }

  @Test func `a version goes on from the one before: what has not changed is shared`() {
    var random = SeededGenerator(seed: 1)
    var trial = FindingTrial(rows: 20_000, using: &random)
    let finder = Finder(FindingTrial.schema, trial.framing, memory: FindMemory(maximumBytes: 1 << 26))
    for sort in [nil, Array("size".utf8)] {
      let search = FindSearch(choices: [.init(filter: Array("state".utf8), value: Array("open".utf8))], sort: sort)
      let first = finder.found(search, .init(Cursor(epoch: trial.epoch, version: sort == nil ? 1 : 3)), trial.table)
      let before = first.whole
      trial.replaceOne(using: &random)
      let second = finder.found(search, .init(Cursor(epoch: trial.epoch, version: sort == nil ? 2 : 4)), trial.table)
      let after = second.whole
      let rows = zip(before.sections, after.sections).map { RowList.commonEnds($0.rows, $1.rows) { _, _ in false } }
      #expect(rows.reduce(0) { $0 + $1.prefix + $1.suffix } > after.rowCount / 2)
      #expect(Table.same(after, trial.expected(search)))
    }
  }

  @Test func `what a row is found by is nobody's business who looks at it, and a version of its own`() throws {
    var items = [FindingTrial.Item(id: "a", texts: ["one"], states: ["open"]), .init(id: "b", texts: [], states: [])]
    for index in items.indices { items[index].isSecret = true }
    let before = FindingTrial(items: items).table
    items[0].texts = ["two"]
    let after = FindingTrial(items: items).table
    #expect(!Table.same(before, after))
    #expect(Changeset(from: before, to: after).stages.isEmpty)
    #expect(Table.firstAffectedRow(from: before, to: after) == nil)
    items[1].note = 1
    let seen = FindingTrial(items: items).table
    #expect(Table.firstAffectedRow(from: before, to: seen) == 1 || Table.firstAffectedRow(from: before, to: seen) == 0)
    #expect(Changeset(from: after, to: seen).stages.first?.rows.update.map(\.row.id) == ["b"])
  }

  @Test func `very many rows that are found by something else are no change to who looks at them`() {
    let tables = ["one", "two"].map { text in
      FindingTrial(
        items: (0..<25_000).map { FindingTrial.Item(id: "\($0)", texts: [text], states: [], isSecret: true) }
      ).table
    }
    #expect(Table.firstAffectedRow(from: tables[0], to: tables[1]) == nil)
    #expect(Table.firstAffectedRow(from: tables[0], to: tables[1], seenAs: { $0 }) == nil)
  }

  /// Groups may be as many as rows: those that stay are looked for by their names, one by one.
  @Test func `a search goes on in very many sections, wherever they go`() {
    let finder = Finder(FindingTrial.schema, .plain, memory: FindMemory(maximumBytes: 1 << 26))
    let epoch = Epoch.random()
    func table(_ groups: [Int], note: Int) -> Table {
      let sections = groups.map { group in
        let states = [group % 3 == 0 ? "closed" : "open"]
        let rows = (0..<2).map { number in
          FindingTrial.Item(id: "\(group) \(number)", texts: [], states: states, note: number * note).row
        }
        return Section(id: "s\(group)", rows: rows)
      }
      return Table(name: "trial", title: "Trial", state: .ready, sections: sections)
    }
    let search = FindSearch(choices: [.init(filter: Array("state".utf8), value: Array("open".utf8))])
    var random = SeededGenerator(seed: 6)
    var groups = Array(0..<20_000)
    for number in 1...4 {
      let plain = table(groups, note: number)
      let found = finder.found(search, .init(Cursor(epoch: epoch, version: UInt64(number))), plain)
      var expected = plain
      expected.sections = zip(groups, plain.sections).filter { $0.0 % 3 != 0 }.map(\.1)
      #expect(Table.same(found.whole, expected), "version \(number)")
      groups.swapAt(Int.random(in: groups.indices, using: &random), Int.random(in: groups.indices, using: &random))
      groups.removeSubrange(0..<Int.random(in: 1..<100, using: &random))
      groups.append(contentsOf: 20_000 + number * 100..<20_050 + number * 100)
    }
  }

  /// An order that is made anew has other trees than the one by which the wider search was made.
  @Test(arguments: [20, 120]) func `a search goes on from a wider one whose order was forgotten`(added: Int) {
    var random = SeededGenerator(seed: 3)
    var trial = FindingTrial(rows: 5_000, using: &random)
    let memory = FindMemory(maximumBytes: 1 << 26)
    let finder = Finder(FindingTrial.schema, trial.framing, memory: memory)
    func search(_ word: String) -> FindSearch { FindSearch(words: [Array(word.utf8)], sort: Array("all".utf8)) }
    func version(_ number: UInt64) -> Finder.Version { .init(Cursor(epoch: trial.epoch, version: number)) }
    _ = finder.found(search("ete"), version(1), trial.table)
    trial.add(added, using: &random)
    _ = finder.found(search("s"), version(2), trial.table)
    // The order is what was used least recently.
    _ = finder.known(search("ete"), version(1))
    _ = finder.known(search("s"), version(2))
    memory.set(maximumBytes: memory.byteCount)
    memory.charge(ObjectIdentifier(memory), search("else"), 1) {}
    memory.set(maximumBytes: 1 << 26)
    #expect(finder.known(search("s"), version(2)) != nil)
    #expect(Table.same(finder.found(search("sw"), version(2), trial.table).whole, trial.expected(search("sw"))))
  }

  @Test func `beyond a thousand values the first ones are counted, and said to be more`() {
    var items: [FindingTrial.Item] = []
    for number in 0..<3_000 {
      items.append(FindingTrial.Item(id: "\(number)", texts: ["a"], states: ["v\(number % 1_500)"]))
    }
    let trial = FindingTrial(items: items)
    let finder = Finder(FindingTrial.schema, trial.framing, memory: FindMemory(maximumBytes: 1 << 26))
    let version = Finder.Version(Cursor(epoch: trial.epoch, version: 1))
    let search = FindSearch(choices: [.init(filter: Array("state".utf8), value: Array("v1400".utf8))])
    let filter = finder.found(search, version, trial.table).menu(FindingTrial.offer).filters[0]
    #expect(filter.hasMore)
    #expect(filter.values.count == 100)
    #expect(filter.values.first { $0.isSelected }?.count == 2)
  }
}

extension Array {
  fileprivate func pick(using random: inout SeededGenerator) -> Element {
    self[Int.random(in: indices, using: &random)]
  }
}
