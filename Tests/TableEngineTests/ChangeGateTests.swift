import Synchronization
import Testing

@testable import TableEngine

/// Who waits to know whether a table goes on, told by a word for each event.
@Suite struct ChangeGateTests {
  enum Event {
    case shut, reopened, closed
    /// Somebody must know.
    case asked
  }

  struct Case: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var events: [Event]
    /// How many were kept, and how many of them were told.
    var kept = 0
    var told = 0
    var isClosed = false
    var isClosedForGood = false
  }

  static let cases: [Case] = [
    Case(testDescription: "it is open", events: [.asked]),
    Case(testDescription: "nobody knows", events: [.shut, .asked, .asked], kept: 2, isClosed: true),
    Case(testDescription: "it goes on", events: [.shut, .asked, .reopened, .asked], kept: 1, told: 1),
    Case(
      testDescription: "it has ended",
      events: [.shut, .asked, .closed, .asked],
      kept: 1,
      told: 1,
      isClosed: true,
      isClosedForGood: true
    ),
    Case(testDescription: "who waits goes on waiting", events: [.shut, .asked, .shut, .reopened], kept: 1, told: 1),
    Case(testDescription: "told once", events: [.shut, .asked, .reopened, .shut, .reopened], kept: 1, told: 1),
    Case(
      testDescription: "what has ended is not shut",
      events: [.closed, .shut, .asked],
      isClosed: true,
      isClosedForGood: true
    ),
    Case(testDescription: "nor opened again", events: [.closed, .reopened], isClosed: true, isClosedForGood: true),
  ]

  @Test(arguments: cases) func script(_ test: Case) {
    var gate = ChangeGate()
    let told = Mutex(0)
    var kept = 0
    for event in test.events {
      switch event {
      case .shut: gate.shut()
      case .reopened: for waiter in gate.reopen() { waiter() }
      case .closed: for waiter in gate.close() { waiter() }
      case .asked: if gate.await({ told.withLock { $0 += 1 } }) { kept += 1 }
      }
    }
    #expect(kept == test.kept && told.withLock { $0 } == test.told)
    #expect(gate.isClosed == test.isClosed && gate.isClosedForGood == test.isClosedForGood)
  }
}
