import Definitions
import JSON
import TableDiff
import TableEncoding
import TableMapping
import TableModel
import Testing

/// What expressions see of whole responses; and what is cut off or too large.
@Suite struct ResponseTests {
  private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

  private func fixture(_ title: String) -> Fixture {
    Fixture {
      var upstream = UpstreamDefinition(url: template("https://a.example/"))
      upstream.items = expression("data")
      var other = section("other")
      other.source = "o"
      other.header = mapping("Title", ["title": "${$response.name}/${$pages | length}"])
      var main = section("main")
      main.header = other.header
      $0.sources = ["s", "o"].map { SourceDefinition(name: $0, kind: .upstream(upstream)) }
      $0.table.sections = .list([main, other], firstMatch: true)
      $0.table.cell = mapping("Title", ["title": .string(title)])
    }
  }

  private func page(_ name: String, _ ids: String...) -> [UInt8] {
    bytes("{\"name\":\"\(name)\",\"data\":[\(ids.map { "{\"id\":\"\($0)\"}" }.joined(separator: ","))]}")
  }

  @Test func aResponseIsTheSectionsOwnSources() throws {
    let mapper = try fixture("${$response.name}/${$pages | map(name) | join('+')}").mapper()
    let result = mapper.map([
      "s": .pages([page("s1", "a"), page("s2", "b")]), "o": .pages([page("o1", "c")]),
    ])
    #expect(result.rows.map { $0.payload() } == ["s1/s1+s2", "s1/s1+s2", "o1/o1"].map { "{\"title\":\"\($0)\"}" })
    let headers = result.sections.map { $0.header?.text ?? "" }
    #expect(headers[0].contains("\"s1/2\"") && headers[1].contains("\"o1/1\""))
  }

  @Test func editsLaidOverAResponseLeaveIt() throws {
    let mapper = try fixture("${$response.name}").mapper()
    let whole = SourceContent.pages([page("s1", "a", "b")])
    let first = mapper.map(["s": whole])
    let edited = whole.laying(over: [
      SourceItem(bytes: bytes(#"{"id":"b"}"#)), SourceItem(bytes: bytes(#"{"id":"n"}"#)),
    ])
    let second = mapper.map(["s": edited], after: first)
    #expect(second.outline == ["main: b n"])
    #expect(second.rows[0] === first.rows[1])
    #expect(second.rows[1].payload() == #"{"title":"s1"}"#)
    #expect(second.sections[0].header?.text == first.sections[0].header?.text)
  }

  @Test func onlyWhatIsReadOfAResponseDecides() throws {
    let mapper = try fixture("${$response.name}").mapper()
    let first = mapper.map(["s": .pages([page("s1", "a"), page("x", "b")])])
    let other = mapper.map(["s": .pages([page("s1", "a"), page("y", "b")])], after: first)
    #expect(zip(first.rows, other.rows).allSatisfy { $0 === $1 })
    let renamed = mapper.map(["s": .pages([page("s2", "a"), page("x", "b")])], after: first)
    #expect(renamed.rows.first?.payload() == #"{"title":"s2"}"#)
  }

  @Test func aMappingHasABudget() throws {
    let fixture = Fixture()
    let items = (0..<1000).map { #"{"id":\#($0),"title":"a"}"# }.joined(separator: ",")
    let content = ["s": SourceContent.pages([bytes("[\(items)]")])]
    func map(_ maximum: Int, _ content: [String: SourceContent], isLocal: Bool = false) throws -> MappingResult {
      let source = SourceDefinition(name: "s", kind: .local(LocalDefinition()))
      return try TableMapper(
        table: fixture.table,
        cells: fixture.cells,
        sources: isLocal ? [source] : [],
        maximumBytes: maximum
      ).map(content)
    }
    let result = try map(300_000, content)
    #expect(result.problems.map(\.kind) == [.tooLarge])
    #expect(result.problems.first?.title == "The upstream's answer is too large")
    #expect(result.problems.first?.detail.contains("`limits.mappingBytes`") == true)
    #expect(result.rows.isEmpty)
    #expect(try map(3_000_000, content).rows.count == 1000)
    let own = ["s": SourceContent.items((0..<1000).map { SourceItem(id: "\($0)", bytes: bytes(#"{"title":"a"}"#)) })]
    #expect(try map(300_000, own).problems.map(\.kind) == [.tooLarge])
    #expect(try map(300_000, own, isLocal: true).rows.count == 1000)
  }

  /// What is kept costs as much as what is new.
  @Test func theBudgetCountsWhatIsReused() throws {
    let mapper = try TableMapper(table: Fixture().table, cells: Fixture().cells, maximumBytes: 300_000)
    let items = (0..<1000).map { #"{"id":\#($0),"title":"a"}"# }
    var last: MappingResult?
    var problems: [SourceProblem] = []
    for count in stride(from: 100, through: 1000, by: 100) where problems.isEmpty {
      let page = bytes("[\(items.prefix(count).joined(separator: ","))]")
      let result = mapper.map(["s": .pages([page])], after: last)
      problems = result.problems
      if problems.isEmpty { last = mapper.map(["s": .pages([page])], after: result) }
    }
    #expect(problems.map(\.kind) == [.tooLarge])
  }

  @Test func aCutIsSeen() throws {
    let fixture = Fixture()
    var content = SourceContent.pages([bytes(#"[{"id":1,"title":"a"}]"#)])
    let whole = try fixture.mapper().map(["s": content]).table(fixture.table)
    content.isTruncated = true
    let cut = try fixture.mapper().map(["s": content]).table(fixture.table)
    #expect(!whole.isTruncated && cut.isTruncated)
    #expect(!Table.same(whole, cut))
    func snapshot(_ table: Table) throws -> JSONValue {
      var writer = JSONWriter()
      writer.write(snapshot: table, cursor: Cursor(epoch: Epoch(rawValue: 1), version: 1))
      return try JSONValue(parsing: writer.bytes)
    }
    #expect(try snapshot(whole)["truncated"] == nil)
    #expect(try snapshot(cut)["truncated"] == true)
    func stages(_ old: Table, _ new: Table) -> String {
      var writer = JSONWriter()
      writer.write(stages: Changeset(from: old, to: new))
      return String(decoding: writer.bytes, as: UTF8.self)
    }
    #expect(stages(whole, cut) == #"[{"truncated":true}]"#)
    #expect(stages(cut, whole) == #"[{"truncated":null}]"#)
    #expect(Table.same(try whole.applying(Changeset(from: whole, to: cut)), cut))
    #expect(stages(cut, cut) == "[]")
  }
}

/// Large responses are mapped on all cores, which nobody sees.
@Suite struct LargeResponseTests {
  @Test func theResultIsThatOfItemsOneByOne() throws {
    let items = (0..<4000).map { number in
      let text = String(repeating: "x", count: 200 + number % 200)
      return number % 1000 == 7
        ? #"{"title":"of nobody","x":"\#(text)"}"#
        : #"{"id":\#(number % 3990),"title":"\#(text)","n":\#(number % 9)}"#
    }
    var fixture = Fixture()
    fixture.table.cell = mapping("Title", ["title": "${$index} ${title}"])
    fixture.table.sections = groups(by: "n")
    let page = Array("[\(items.joined(separator: " , "))]".utf8)
    let mapper = try fixture.mapper()
    let large = mapper.map(["s": .pages([Array("[]".utf8), page])])
    let single = mapper.map(["s": .items(items.map { SourceItem(bytes: Array($0.utf8)) })])
    #expect(page.count > 1 << 20)
    #expect(Table.same(large.table(fixture.table), single.table(fixture.table)))
    #expect(large.skippedItems == 13 && single.skippedItems == 13)
    #expect(large.skipped.map(\.index) == single.skipped.map(\.index))
    for id in ["0", "1999", "3989"] { #expect(large.item(id)?.bytes == single.item(id)?.bytes) }
    let again = mapper.map(["s": .pages([Array("[]".utf8), page + [0x20]])], after: large)
    #expect(zip(large.rows, again.rows).allSatisfy { $0 === $1 })
    let broken = Array("[\(items.joined(separator: ",")),{\"id\":tru}]".utf8)
    #expect(mapper.map(["s": .pages([broken])]).problems.map(\.kind) == [.malformed])
    let bounded = try TableMapper(table: fixture.table, cells: fixture.cells, maximumBytes: 3 << 20)
    #expect(bounded.map(["s": .pages([page])]).problems.map(\.kind) == [.tooLarge])
  }
}
