import Synchronization
import TableModel
import Testing

@testable import TableStore

@Suite struct ViewsTests {
  private let epoch = Epoch(rawValue: 1)
  private let first = Fingerprint(of: "1")
  private let second = Fingerprint(of: "2")

  @Test func tapsToggleForOneViewAlone() {
    let views = Views(maximum: 10, idle: .seconds(60), now: { 0 })
    #expect(views.state(of: "a", table: epoch) == nil)
    #expect(views.tap("a", table: epoch, row: first).isToggled(first, at: 1))
    #expect(views.state(of: "b", table: epoch) == nil)
    #expect(views.state(of: "a", table: Epoch(rawValue: 2)) == nil)
    let state = views.tap("a", table: epoch, row: first)
    #expect((0...2).map { state.isToggled(first, at: $0) } == [false, true, false])
  }

  @Test func cursorsNameTableVersionAndTap() {
    var state = ViewState(epoch: Epoch(rawValue: 7))
    state.tap(first)
    let cursor = state.cursor(for: 42)
    #expect(state.lookup(cursor, table: epoch) == .state(version: 42, tap: 1))
    #expect(state.lookup(Cursor(epoch: epoch, version: 42), table: epoch) == .state(version: 42, tap: 0))
    #expect(ViewState(epoch: state.epoch).lookup(cursor, table: epoch) == .ahead)
    #expect(state.lookup(Cursor(epoch: Epoch(rawValue: 9), version: 1), table: epoch) == .epoch)
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
        let cursor = Cursor(epoch: state.epoch, version: 3 << 20 | UInt64(tap))
        switch state.lookup(cursor, table: epoch) {
        case .state(_, let found):
          #expect(state.toggled(at: found) == expected, "seed \(seed), tap \(tap)")
        case .expired: #expect(tap + Int(ViewState.memory) < model.count, "seed \(seed), tap \(tap)")
        case .ahead, .epoch: Issue.record("seed \(seed), tap \(tap)")
        }
      }
    }
  }

  @Test func idleViewsGoBackToDefaultsThenAreForgotten() throws {
    let clock = Mutex<Int64>(0)
    let views = Views(maximum: 10, idle: .seconds(60), now: { clock.withLock { $0 } })
    let tapped = views.tap("a", table: epoch, row: first)
    clock.withLock { $0 = 59 }
    #expect(views.state(of: "a", table: epoch)?.taps == 1)
    clock.withLock { $0 = 120 }
    let idle = try #require(views.state(of: "a", table: epoch))
    #expect(idle.epoch == tapped.epoch)
    #expect(idle.changed(from: 1, to: idle.taps) == [first])
    #expect(idle.toggled(at: idle.taps).isEmpty)
    clock.withLock { $0 = 240 }
    #expect(views.state(of: "a", table: epoch) == nil)
  }

  @Test func leastRecentlyUsedGoesFirst() {
    let views = Views(maximum: 2, idle: .seconds(60), now: { 0 })
    for name in ["a", "b"] { _ = views.tap(name, table: epoch, row: first) }
    _ = views.state(of: "a", table: epoch)
    _ = views.tap("c", table: epoch, row: second)
    #expect(["a", "b", "c"].map { views.state(of: $0, table: epoch) != nil } == [true, false, true])
    #expect(views.count == 2)
  }
}
