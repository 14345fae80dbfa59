import TableModel
import Testing

@testable import TableStore

@Suite struct TableVersionsTests {
  @Test func startsAtVersionOneAndCountsOn() throws {
    let versions = TableVersions(initial: table(state: .loading))
    #expect(versions.current.number == 1)
    let second = try #require(versions.publish(table([("a", [row("1")])])))
    #expect(second.number == 2)
    #expect(second.cursor.epoch == versions.epoch)
    #expect(versions.current === second)
  }

  @Test func sameTableIsNoVersionButItsObjectsAreTaken() {
    let versions = TableVersions(initial: table([("a", [row("1")])]))
    let knowing = row("1", permissions: [.edit])
    #expect(versions.publish(table([("a", [knowing])])) == nil)
    #expect(versions.current.number == 1)
    #expect(versions.current.table.sections[0].rows[0] === knowing)
  }

  /// Two spellings of “é” are two sections.
  @Test func aSectionOfAnotherSpellingIsAnotherVersion() throws {
    let one = row("1")
    let versions = TableVersions(initial: table([("\u{E9}", [one])]))
    let second = try #require(versions.publish(table([("e\u{301}", [one])])))
    #expect(Array(second.table.sections[0].id.utf8) == Array("e\u{301}".utf8))
  }

  /// A row goes from one of the two to the other: the record of the version before knows it by its number.
  @Test func aRowThatGoesIntoTheOtherSpellingIsKept() {
    let (a, b, moving) = (row("a"), row("b"), row("c"))
    let before = table([("\u{E9}", [a]), ("e\u{301}", [b, moving])])
    let first = VersionRecord(of: before, after: nil, isKeyFrame: true, nextRow: 0)
    let after = table([("\u{E9}", [a, moving]), ("e\u{301}", [b])])
    let second = VersionRecord(of: after, after: (before, first.numbers), isKeyFrame: false, nextRow: first.nextRow)
    #expect(second.added.isEmpty && second.gone.isEmpty)
  }

  @Test func lookupNamesEveryCase() throws {
    let versions = TableVersions(initial: table(), history: 3)
    for title in ["1", "2", "3", "4"] { _ = versions.publish(table([("a", [row("x", title)])])) }
    func word(_ epoch: Epoch, _ number: UInt64) -> String {
      switch versions.lookup(Cursor(epoch: epoch, version: number)) {
      case .current(let version): "current \(version.number)"
      case .held(let version): "held \(version.number)"
      case .expired: "expired"
      case .ahead: "ahead"
      case .epoch: "epoch"
      }
    }
    let other = Epoch(rawValue: versions.epoch.rawValue ^ 1)
    #expect(
      (0...6).map { word(versions.epoch, $0) } == [
        "expired", "expired", "expired", "held 3", "held 4", "current 5", "ahead",
      ]
    )
    #expect(word(versions.epoch, .max) == "ahead")
    #expect(word(other, 5) == "epoch")
  }

  @Test func preparedVersionsAreUnseenUntilPublishedAndNumbersComeAgainAfterWithdrawal() throws {
    let versions = TableVersions(initial: table())
    let second = try #require(versions.prepare(table([("a", [row("1")])])))
    let third = try #require(versions.prepare(table([("a", [row("2")])])))
    #expect((second.number, third.number, versions.current.number, versions.latest.number) == (2, 3, 1, 3))
    #expect(!versions.publish(third))
    #expect(versions.publish(second))
    versions.withdraw()
    #expect(!versions.publish(third))
    #expect(versions.prepare(table([("a", [row("3")])]))?.number == 3)
  }

  /// What the versions share counts once; the current one is held whatever it takes.
  @Test func olderVersionsTakeNoMoreThanTheyMay() {
    let stays = (0..<100).map { row("same \($0)") }
    let changing = (0..<10).map { row("\($0)", "10") }
    let bytes = changing.reduce(0) { $0 + $1.footprint }
    let versions = TableVersions(initial: table([("a", stays + changing)]), history: 20, historyBytes: bytes * 5)
    for number in 1...12 {
      _ = versions.publish(table([("a", stays + (0..<10).map { row("\($0)", "\(number)") })]))
      #expect(versions.current.number == UInt64(number + 1))
      #expect(versions.current.number - versions.oldest.number == min(number, 5))
    }
    let kept = (versions.oldest.number...versions.current.number).compactMap { versions.version($0) }
    let restored = TableVersions(
      initial: table(),
      historyBytes: bytes * 2,
      restored: StoredVersions(epoch: versions.epoch, versions: kept)
    )
    #expect((restored.oldest.number, restored.current.number) == (11, 13))
    _ = versions.publish(table())
    #expect(versions.oldest === versions.current && versions.version(13) == nil)
  }
}
