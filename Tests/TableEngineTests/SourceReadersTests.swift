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
}
