import Synchronization
import TableFinding
import TableModel
import TestSupport
import Testing

/// What of the results is kept, how it is counted, and what goes first.
extension FoundTableTests {
  @Test func `what is kept is bounded, and made anew`() {
    var random = SeededGenerator(seed: 2)
    let trial = FindingTrial(rows: 5_000, using: &random)
    let memory = FindMemory(maximumBytes: 10_000)
    let finder = Finder(FindingTrial.schema, trial.framing, memory: memory)
    let version = Finder.Version(Cursor(epoch: trial.epoch, version: 1))
    let searches = FindingTrial.words.map { FindSearch(words: [Array($0.utf8)]) }
    for search in searches { _ = finder.found(search, version, trial.table) }
    #expect(memory.byteCount <= 10_000)
    #expect(memory.count < searches.count)
    #expect(finder.known(searches[0], version) == nil)
    #expect(Table.same(finder.found(searches[0], version, trial.table).whole, trial.expected(searches[0])))
  }

  /// Anyone can make up long searches, and have parts of what they find made later.
  @Test func `memory counts the searches, and what is made of them later`() {
    var random = SeededGenerator(seed: 7)
    let trial = FindingTrial(rows: 2_000, using: &random)
    let memory = FindMemory(maximumBytes: 1 << 26)
    let finder = Finder(FindingTrial.schema, trial.framing, memory: memory)
    func version(_ number: UInt64) -> Finder.Version { .init(Cursor(epoch: trial.epoch, version: number)) }
    func found(_ filter: String, _ value: [UInt8]) -> FoundTable {
      finder.found(FindSearch(choices: [.init(filter: Array(filter.utf8), value: value)]), version(1), trial.table)
    }
    #expect(found("label", [UInt8](repeating: 97, count: 15_000)).count == 0)
    #expect(memory.byteCount > 15_000)
    let open = found("state", Array("open".utf8))
    let searched = memory.byteCount
    #expect(open.whole.rowCount == open.count)
    let listed = memory.byteCount
    #expect(listed > searched + open.count * 40)
    _ = open.menu(FindingTrial.offer)
    #expect(memory.byteCount > listed && memory.count == 2)
    let closed = found("state", Array("closed".utf8))
    finder.retire(before: version(2))
    #expect(memory.byteCount == 0 && memory.count == 0)
    #expect(closed.whole.rowCount == closed.count && memory.count == 0, "it is not kept any more")
  }

  @Test func `what is found in a table that had hardly a row is not counted by how much the table has grown`() {
    let memory = FindMemory(maximumBytes: 1 << 26)
    let finder = Finder(FindingTrial.schema, .plain, memory: memory)
    let epoch = Epoch.random()
    let search = FindSearch(words: Folding.terms(of: "swift"))
    for (number, rows) in [(1, 1), (2, 20_000)] {
      let items = (0..<rows).map { FindingTrial.Item(id: "\($0)", texts: ["swift"], states: ["open"]) }
      let version = Finder.Version(Cursor(epoch: epoch, version: UInt64(number)))
      #expect(finder.found(search, version, FindingTrial(items: items).table).count == rows)
    }
    #expect(memory.byteCount < 1 << 18)
  }

  /// Each of very many tables is counted by itself, and what goes first is what was used least recently of all.
  @Test(arguments: [UInt64](1...8)) func `memory counts what each owner keeps`(seed: UInt64) {
    final class Owner: Sendable {}
    var random = SeededGenerator(seed: seed)
    let memory = FindMemory(maximumBytes: 2_000)
    let owners = (0..<5).map { _ in Owner() }
    let searches = (0..<6).map { FindSearch(words: [Array("\($0)".utf8)]) }
    let forgotten = Mutex<[[Int]]>([])
    /// Owners and searches by number, with their bytes, from the least recently used on.
    var kept: [(name: [Int], bytes: Int)] = []
    for step in 0..<400 {
      let name = [Int.random(in: owners.indices, using: &random), Int.random(in: searches.indices, using: &random)]
      let bytes = Int.random(in: 1...300, using: &random)
      if step % 50 == 49 {
        memory.forget(all: ObjectIdentifier(owners[name[0]]))
        kept.removeAll { $0.name[0] == name[0] }
      } else {
        memory.charge(ObjectIdentifier(owners[name[0]]), searches[name[1]], bytes) {
          forgotten.withLock { $0.append(name) }
        }
        kept.removeAll { $0.name == name }
        kept.append((name, bytes))
        var expected: [[Int]] = []
        if kept.reduce(0, { $0 + $1.bytes }) > 2_000 {
          while kept.count > 1, kept.reduce(0, { $0 + $1.bytes }) > 1_800 { expected.append(kept.removeFirst().name) }
        }
        let gone = forgotten.withLock { forgotten in
          defer { forgotten = [] }
          return forgotten
        }
        #expect(gone == expected, "seed \(seed), step \(step)")
      }
      #expect(memory.count == kept.count && memory.byteCount == kept.reduce(0) { $0 + $1.bytes }, "seed \(seed)")
    }
  }

  /// Searches that nobody makes again would hold the rows of each version in which they were made.
  @Test func `what was found in versions that nobody has is let go, with their rows`() {
    let memory = FindMemory(maximumBytes: 1 << 26)
    let finder = Finder(FindingTrial.schema, .plain, memory: memory)
    let epoch = Epoch.random()
    func version(_ number: UInt64) -> Finder.Version { .init(Cursor(epoch: epoch, version: number)) }
    let sorts: [[UInt8]?] = [nil, Array("size".utf8), Array("all".utf8)]
    let searches = ["swift", ""].flatMap { text in
      sorts.map { FindSearch(words: Folding.terms(of: text), sort: $0) }
    }
    weak var held: Section?
    func find(_ searches: [FindSearch], in number: UInt64) {
      let items = (0..<300).map { FindingTrial.Item(id: "\($0)", texts: ["swift \(number)"], states: ["open"]) }
      let table = FindingTrial(items: items).table
      for search in searches { #expect(finder.found(search, version(number), table).whole.rowCount == 300) }
      if number == 1 { held = table.sections[0] }
    }
    find(searches, in: 1)
    #expect(held != nil)
    let bytes = memory.byteCount
    finder.retire(before: version(1))
    #expect(memory.byteCount == bytes && finder.known(searches[0], version(1)) != nil)
    // Some are made again, and go on from what was found before.
    find([searches[0], searches[4]], in: 2)
    let grown = memory.byteCount
    finder.retire(before: version(2))
    #expect(held == nil)
    for search in searches { #expect(finder.known(search, version(1)) == nil) }
    #expect(finder.known(searches[0], version(2)) != nil && finder.known(searches[4], version(2)) != nil)
    #expect(memory.count == 2 && memory.byteCount > 0 && memory.byteCount < grown)
    finder.retire(before: .init(Cursor(epoch: .random(), version: 1)))
    #expect(memory.count == 0 && memory.byteCount == 0)
  }

  @Test func `a search is known by its digest as long as something of it is kept`() {
    var random = SeededGenerator(seed: 5)
    let trial = FindingTrial(rows: 40, using: &random)
    let finder = Finder(FindingTrial.schema, trial.framing, memory: FindMemory(maximumBytes: 1 << 26))
    func version(_ number: UInt64) -> Finder.Version { .init(Cursor(epoch: trial.epoch, version: number)) }
    let searches = FindingTrial.words.map { FindSearch(words: Folding.terms(of: $0)) }
    #expect(Set(searches.map(\.digest)).count == searches.count)
    for search in searches {
      #expect(finder.search(search.digest) == nil)
      _ = finder.found(search, version(1), trial.table)
      #expect(finder.search(search.digest) == search)
    }
    _ = finder.found(searches[0], version(2), trial.table)
    finder.retire(before: version(2))
    for search in searches { #expect(finder.search(search.digest) == (search == searches[0] ? search : nil)) }
    // Of one search a few versions are kept; it stays the same.
    for number in 3...20 { _ = finder.found(searches[0], version(UInt64(number)), trial.table) }
    #expect(finder.search(searches[0].digest) == searches[0])
  }
}
