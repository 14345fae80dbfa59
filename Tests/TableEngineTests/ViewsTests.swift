import Foundation
import Synchronization
import TableModel
import TableStore
import TestSupport
import Testing

@testable import TableEngine

@Suite struct ViewsTests {
  private let epoch = Epoch(rawValue: 1)
  private let first = Fingerprint(of: "1")
  private let second = Fingerprint(of: "2")
  private let holder = ViewHolder("one")

  @Test func tapsToggleForOneViewAlone() {
    let views = Views(maximum: 10, idle: .seconds(60), now: { 0 })
    #expect(views.state(of: "a", table: epoch) == nil)
    #expect(views.tap("a", table: epoch, row: first, by: holder).isToggled(first, at: 1))
    #expect(views.state(of: "b", table: epoch) == nil)
    #expect(views.state(of: "a", table: Epoch(rawValue: 2)) == nil)
    let state = views.tap("a", table: epoch, row: first, by: holder)
    #expect((0...2).map { state.isToggled(first, at: $0) } == [false, true, false])
  }

  @Test func aViewIsNamedByWhatItIsAndByWhatItIsDrawnWith() {
    let state = ViewState(incarnation: 7)
    let kinds = { (toggles: String?) in
      let payload = "{\"title\":\"A\",\"isOpen\":true,\"isHot\":true}"
      let value = toggles.flatMap { payload.range(of: "\"\($0)\":")?.upperBound }
      let place = value.map { payload.utf8.distance(from: payload.startIndex, to: $0) }
      let row = Row(
        id: "1",
        encoded: Array(payload.utf8),
        cells: CellChain(CellPart(cellIdentifier: "Note", payload: 0..<payload.utf8.count)),
        permissions: [],
        expansion: place.map { $0..<$0 + 4 }
      )
      return Table(name: "t", title: "T", state: .ready, sections: [Section(id: "s", rows: [row, row])]).rowKinds
    }
    #expect(kinds("isOpen").map(\.toggles) == [Array("isOpen".utf8)] && kinds(nil).map(\.toggles) == [nil])
    let digest = state.digest(name: "a", over: kinds("isOpen"))
    #expect(digest == ViewState(incarnation: 7).digest(name: "a", over: kinds("isOpen")))
    #expect(digest != ViewState(incarnation: 8).digest(name: "a", over: kinds("isOpen")))
    #expect(digest != state.digest(name: "b", over: kinds("isOpen")))
    #expect(digest != state.digest(name: "a", over: kinds("isHot")))
    #expect(digest != state.digest(name: "a", over: kinds(nil)))
  }

  @Test(arguments: [1, 2, 3] as [UInt64]) func pastStatesAreExactOrExpired(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var state = ViewState()
    var model: [Set<Fingerprint>] = [[]]
    for _ in 0..<400 {
      let row = Fingerprint(of: String(Int.random(in: 0..<12, using: &generator)))
      state.tap(row)
      model.append(model[model.count - 1].symmetricDifference([row]))
      for (tap, expected) in model.enumerated() {
        switch state.lookup(tap: UInt64(tap)) {
        case .point(let found): #expect(found.toggled == expected, "seed \(seed), tap \(tap)")
        case .expired: #expect(tap + Int(ViewState.memory) < model.count, "seed \(seed), tap \(tap)")
        case .ahead: Issue.record("seed \(seed), tap \(tap)")
        }
      }
    }
  }

  @Test func idleViewsGoBackToDefaultsThenMakeRoom() throws {
    let clock = Mutex<Int64>(0)
    let views = Views(maximum: 10, idle: .seconds(60), now: { clock.withLock { $0 } })
    let tapped = views.tap("a", table: epoch, row: first, by: holder)
    clock.withLock { $0 = 59 }
    #expect(views.state(of: "a", table: epoch)?.taps == 1)
    clock.withLock { $0 = 120 }
    let idle = try #require(views.state(of: "a", table: epoch))
    #expect(idle.incarnation == tapped.incarnation)
    #expect(idle.changed(from: 1, to: idle.taps) == [first])
    #expect(idle.toggled(at: idle.taps).isEmpty)
    // However late somebody comes, while nobody needs the place.
    _ = views.tap("a", table: epoch, row: second, by: holder)
    clock.withLock { $0 = 1_000_000 }
    let late = try #require(views.state(of: "a", table: epoch))
    #expect(late.incarnation == tapped.incarnation && late.changed(from: idle.taps + 1, to: late.taps) == [second])
    #expect(late.toggled(at: late.taps).isEmpty)
    clock.withLock { $0 = 1_000_119 }
    _ = views.tap("b", table: epoch, row: first, by: holder)
    #expect(views.count == 2)
    clock.withLock { $0 = 1_000_120 }
    _ = views.tap("c", table: epoch, row: first, by: holder)
    #expect(views.count == 2 && views.state(of: "a", table: epoch) == nil)
  }

  /// However long somebody waits: the view is in use until the wait is over, and idle from then on.
  @Test func aViewThatSomebodyWaitsWithIsInUse() throws {
    let clock = Mutex<Int64>(0)
    let views = Views(maximum: 2, idle: .seconds(60), now: { clock.withLock { $0 } })
    let tapped = views.tap("a", table: epoch, row: first, by: holder)
    views.beginFollowing("a", table: epoch)
    views.beginFollowing("a", table: epoch)
    clock.withLock { $0 = 1000 }
    // Neither by its age nor for want of places.
    for name in ["b", "c", "d"] { _ = views.tap(name, table: epoch, row: second, by: holder) }
    views.endFollowing("a", table: epoch)
    clock.withLock { $0 = 2000 }
    views.endFollowing("a", table: epoch)
    clock.withLock { $0 = 2059 }
    let used = try #require(views.state(of: "a", table: epoch))
    #expect(used.incarnation == tapped.incarnation && used.isToggled(first, at: used.taps))
    clock.withLock { $0 = 2059 + 119 }
    let idle = try #require(views.state(of: "a", table: epoch))
    #expect(idle.incarnation == tapped.incarnation && idle.changed(from: used.taps, to: idle.taps) == [first])
    // More than there are places are followed: one goes all the same.
    for name in ["e", "f", "g"] {
      _ = views.tap(name, table: epoch, row: first, by: holder)
      views.beginFollowing(name, table: epoch)
    }
    #expect(views.count == 2)
  }

  @Test func leastRecentlyUsedGoesFirst() {
    let views = Views(maximum: 2, idle: .seconds(60), now: { 0 })
    for name in ["a", "b"] { _ = views.tap(name, table: epoch, row: first, by: holder) }
    _ = views.state(of: "a", table: epoch)
    _ = views.tap("c", table: epoch, row: second, by: holder)
    #expect(["a", "b", "c"].map { views.state(of: $0, table: epoch) != nil } == [true, false, true])
    #expect(views.count == 2)
  }

  /// A count as somebody who shares the database may have written it: an idle view takes two more at once.
  @Test(arguments: (UInt32.max - 3)...UInt32.max) func aViewWhoseTapsAreNearlyUsedUp(taps: UInt32) {
    let toggle = StoredView.Toggle(row: "r", from: 1, until: .max)
    let table = Epoch(rawValue: 7)
    let stored = StoredView(
      table: table,
      name: "v",
      holder: 1,
      incarnation: 1,
      taps: taps,
      oldestTap: 0,
      toggles: [toggle]
    )
    let changed = stored.changed { history in
      history.reset()
      history.tap("s")
    }
    #expect(changed.state.isToggled(Fingerprint(of: "s"), at: changed.taps))
    #expect(!changed.state.isToggled(Fingerprint(of: "r"), at: changed.taps))
  }

  /// However many somebody makes: they are its own that go, the oldest first, also where somebody waits with all of them.
  @Test(arguments: [false, true]) func nobodyPushesOutWhatOthersHold(isFollowed: Bool) {
    let views = Views(maximum: 20, idle: .seconds(60), now: { 0 })
    for name in ["a", "b"] { _ = views.tap(name, table: epoch, row: first, by: holder) }
    let greedy = ViewHolder("greedy")
    for number in 0..<1000 {
      _ = views.tap("\(number)", table: epoch, row: first, by: greedy)
      if isFollowed { views.beginFollowing("\(number)", table: epoch) }
    }
    #expect(views.count == 20)
    #expect(["a", "b"].allSatisfy { views.state(of: $0, table: epoch) != nil })
    #expect(views.state(of: "999", table: epoch) != nil)
    if !isFollowed {
      #expect(views.state(of: "982", table: epoch) != nil && views.state(of: "981", table: epoch) == nil)
    }
    // Whoever comes finds a place, too.
    for number in 0..<5 { _ = views.tap("c\(number)", table: epoch, row: first, by: ViewHolder("\(number)")) }
    #expect((0..<5).allSatisfy { views.state(of: "c\($0)", table: epoch) != nil } && views.count == 20)
    #expect(["a", "b"].allSatisfy { views.state(of: $0, table: epoch) != nil })
  }

  /// A view is its maker's, whoever taps in it later.
  @Test func aViewIsHeldByWhoMadeIt() {
    let views = Views(maximum: 2, idle: .seconds(60), now: { 0 })
    let other = ViewHolder("other")
    for name in ["a", "b"] { _ = views.tap(name, table: epoch, row: first, by: holder) }
    for name in ["a", "b"] { _ = views.tap(name, table: epoch, row: second, by: other) }
    _ = views.tap("c", table: epoch, row: first, by: other)
    #expect(["a", "b", "c"].map { views.state(of: $0, table: epoch) != nil } == [false, true, true])
    _ = views.tap("d", table: epoch, row: first, by: other)
    #expect(["b", "c", "d"].map { views.state(of: $0, table: epoch) != nil } == [false, true, true])
  }
}
