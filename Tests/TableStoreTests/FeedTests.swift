import TableModel
import Testing

@testable import TableStore

@Suite struct FeedTests {
  @Test func startsAtVersionOneAndCountsOn() throws {
    let feed = Feed(initial: table(state: .loading))
    #expect(feed.current.number == 1)
    let second = try #require(feed.publish(table([("a", [row("1")])])))
    #expect(second.number == 2)
    #expect(second.cursor.epoch == feed.epoch)
    #expect(feed.current === second)
  }

  @Test func sameTableIsNoVersionButItsObjectsAreTaken() {
    let feed = Feed(initial: table([("a", [row("1")])]))
    let knowing = row("1", permissions: [.edit])
    #expect(feed.publish(table([("a", [knowing])])) == nil)
    #expect(feed.current.number == 1)
    #expect(feed.current.table.sections[0].rows[0] === knowing)
  }

  @Test func lookupNamesEveryCase() throws {
    let feed = Feed(initial: table(), history: 3)
    for title in ["1", "2", "3", "4"] { _ = feed.publish(table([("a", [row("x", title)])])) }
    func word(_ epoch: Epoch, _ number: UInt64) -> String {
      switch feed.lookup(Cursor(epoch: epoch, version: number)) {
      case .current(let version): "current \(version.number)"
      case .held(let version): "held \(version.number)"
      case .expired: "expired"
      case .ahead: "ahead"
      case .epoch: "epoch"
      }
    }
    let other = Epoch(rawValue: feed.epoch.rawValue ^ 1)
    #expect(
      (0...6).map { word(feed.epoch, $0) } == [
        "expired", "expired", "expired", "held 3", "held 4", "current 5", "ahead",
      ]
    )
    #expect(word(feed.epoch, .max) == "ahead")
    #expect(word(other, 5) == "epoch")
  }

  @Test func preparedVersionsAreUnseenUntilPublishedAndNumbersComeAgainAfterWithdrawal() throws {
    let feed = Feed(initial: table())
    let second = try #require(feed.prepare(table([("a", [row("1")])])))
    let third = try #require(feed.prepare(table([("a", [row("2")])])))
    #expect((second.number, third.number, feed.current.number, feed.latest.number) == (2, 3, 1, 3))
    #expect(!feed.publish(third))
    #expect(feed.publish(second))
    feed.withdraw()
    #expect(!feed.publish(third))
    #expect(feed.prepare(table([("a", [row("3")])]))?.number == 3)
  }

  /// What the versions share counts once; the current one is held whatever it takes.
  @Test func olderVersionsTakeNoMoreThanTheyMay() {
    let stays = (0..<100).map { row("same \($0)") }
    let changing = (0..<10).map { row("\($0)", "10") }
    let bytes = changing.reduce(0) { $0 + $1.footprint }
    let feed = Feed(initial: table([("a", stays + changing)]), history: 20, historyBytes: bytes * 5)
    for number in 1...12 {
      _ = feed.publish(table([("a", stays + (0..<10).map { row("\($0)", "\(number)") })]))
      #expect(feed.current.number == UInt64(number + 1))
      #expect(feed.current.number - feed.oldest.number == min(number, 5))
    }
    let versions = (feed.oldest.number...feed.current.number).compactMap { feed.version($0) }
    let restored = Feed(
      initial: table(),
      historyBytes: bytes * 2,
      restored: StoredFeed(epoch: feed.epoch, versions: versions)
    )
    #expect((restored.oldest.number, restored.current.number) == (11, 13))
    _ = feed.publish(table())
    #expect(feed.oldest === feed.current && feed.version(13) == nil)
  }
}
