import Definitions
import Synchronization
import TableMapping
import TableStore
import Testing

@testable import TableEngine

/// Whether what another replica has left of a source counts, by what this one has done since.
@Suite struct SourceReadersTests {
  /// Under one lease it is taken over once: what the upstream has said since counts for tables that come later, also when nobody has read
  /// its tables for a while.
  @Test func aSourceIsTakenOverOnceUnderALease() throws {
    let engine = try Engine(.tasks("en, de"), .silent(MemoryStore()))
    let table = try #require(engine.catalog.tables.first)
    var readers = SourceReaders()
    let isThere = readers.add(table)
    let first = [readers.takeOver([table], under: 1), readers.takeOver([table], under: 1)]
    #expect(isThere && first == [.takeOver(mayStand: true), .join])
    readers.noteAnswer()
    let pause = readers.pause(table, isForgetting: false)
    let again = readers.takeOver([table], under: 1)
    let resume = readers.begin(table, isUnheard: true, under: 1)
    #expect(pause == .suspend && again == .join && resume == .resume)
    let next = readers.takeOver([table], under: 2)
    #expect(next == .takeOver(mayStand: true))
  }

  /// The lease lapses before the upstream has answered, and is had again: what is asked then is not known yet.
  @Test func aTakeOverThatWasBrokenOffIsMadeAgain() throws {
    let engine = try Engine(.tasks("en, de"), .silent(MemoryStore()))
    let table = try #require(engine.catalog.tables.first)
    var readers = SourceReaders()
    let isThere = readers.add(table)
    let first = readers.takeOver([table], under: 1)
    let pause = readers.pause(table, isForgetting: false)
    let again = readers.takeOver([table], under: 1)
    #expect(isThere && first == .takeOver(mayStand: true) && pause == .suspend && again == first)
  }

  /// A reload comes after an answer was told to the tables that are told of all, and before it is known whom else it concerns.
  @Test func aTableThatIsRousedInTheMiddleOfAnAnswerIsToldOfIt() throws {
    let definition = try ServiceDefinition.read(
      """
      sources: {list: {url: "http://127.0.0.1:1/"}}
      tables:
        one: {source: list, row: {id: "${number}"}}
        other: {source: list, row: {id: "${number}"}}
        owned:
          source: list
          row: {id: "${number}"}
          parameters: {of: {}}
          sections: [{id: part, where: "owner == $params.of"}]
      """
    )
    let engine = try Engine(definition, .silent(MemoryStore()))
    let one = try #require(engine.catalog.tablesByName["one"])
    let other = try #require(engine.catalog.tablesByName["other"])
    let family = try #require(engine.catalog.familiesByName["owned"])
    var content = SourceContent.pages([Array(#"[{"number": 1, "owner": "ann"}]"#.utf8)])
    content.shared = SharedMappings()
    let mapper = family.contents.withLock { $0.blueprint }.mapper
    let key = try #require(mapper.map(["list": content], parameters: ["of": "ann"]).partKey)
    var readers = SourceReaders()
    for table in [one, other] {
      let isThere = readers.add(table)
      #expect(isThere)
      _ = readers.begin(table, isUnheard: true)
    }
    _ = readers.hear(1, concernsAll: false)
    let standing = readers.stand(one, key, content, 1)
    #expect(standing != nil)
    let told = readers.hear(2, concernsAll: false).map { $0.table.name }
    let isRoused = readers.rouse(one)
    let isUpToDate = readers.hear(2, one)
    #expect(told == ["other"] && isRoused && isUpToDate == false)
    let isRousedAgain = readers.rouse(one)
    #expect(!isRousedAgain)
  }
}
