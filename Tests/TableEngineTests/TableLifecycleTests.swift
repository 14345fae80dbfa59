import Testing

@testable import TableEngine

/// What readers of a table are shown, told by a word for each event.
@Suite struct TableLifecycleTests {
  enum Event {
    case settled, unsettled, refused, frozen, thawed, retired, removed, replacedByFamily
  }

  struct Case: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var isPrivate = true
    var events: [Event]
    /// Whether readers wait, and whether they are refused, in the end.
    var isAwaited: Bool
    var isRefused = false
    var phase = TableLifecycle.Phase.living
  }

  static let cases: [Case] = [
    Case(testDescription: "nothing has been said", events: [], isAwaited: true),
    Case(testDescription: "an answer", events: [.settled], isAwaited: false),
    Case(testDescription: "one of several sources", events: [.unsettled], isAwaited: true),
    Case(testDescription: "a refusal is an answer", events: [.refused], isAwaited: false, isRefused: true),
    Case(testDescription: "what was refused is granted", events: [.refused, .settled], isAwaited: false),
    Case(testDescription: "a caller's own rows, frozen", events: [.settled, .frozen], isAwaited: true),
    Case(testDescription: "and read again", events: [.settled, .frozen, .thawed], isAwaited: true),
    Case(testDescription: "and agreed to", events: [.settled, .frozen, .thawed, .settled], isAwaited: false),
    Case(
      testDescription: "and refused",
      events: [.settled, .frozen, .thawed, .refused],
      isAwaited: false,
      isRefused: true
    ),
    Case(
      testDescription: "an answer that was under way when they froze is not for who comes later",
      events: [.settled, .frozen, .settled, .thawed],
      isAwaited: true
    ),
    Case(testDescription: "rows of all, frozen", isPrivate: false, events: [.settled, .frozen], isAwaited: false),
    Case(testDescription: "it made room", events: [.retired], isAwaited: false, phase: .retired),
    Case(
      testDescription: "what made room is not removed later",
      events: [.retired, .removed],
      isAwaited: false,
      phase: .retired
    ),
    Case(testDescription: "removed", events: [.settled, .removed], isAwaited: false, phase: .removed),
    Case(
      testDescription: "a family of its name",
      events: [.settled, .replacedByFamily],
      isAwaited: false,
      phase: .replacedByFamily
    ),
  ]

  @Test(arguments: cases) func script(_ test: Case) {
    var lifecycle = TableLifecycle()
    let refusal = TableError(.unauthenticated, detail: "revoked")
    for event in test.events {
      switch event {
      case .settled: lifecycle.settle(true, refusal: nil, isPrivate: test.isPrivate)
      case .unsettled: lifecycle.settle(false, refusal: nil, isPrivate: test.isPrivate)
      case .refused: lifecycle.settle(false, refusal: refusal, isPrivate: test.isPrivate)
      case .frozen: lifecycle.freeze(isPrivate: test.isPrivate)
      case .thawed: lifecycle.thaw()
      case .retired: lifecycle.end(.retired)
      case .removed: lifecycle.end(.removed)
      case .replacedByFamily: lifecycle.end(.replacedByFamily)
      }
    }
    #expect(lifecycle.isAwaitingUpstream == test.isAwaited)
    #expect((lifecycle.refusal != nil) == test.isRefused)
    #expect(lifecycle.phase == test.phase)
  }
}
