import Synchronization
import TableStore
import Testing

@testable import TableEngine

/// What waits for commits, in the order in which it is called.
@Suite struct CommitsUnderWayTests {
  enum Event {
    /// A commit goes to the store.
    case begin
    /// What others have written is asked for.
    case catchesUp
    /// The oldest comes back.
    case stored
    /// The oldest comes back, superseded: it is laid out anew as this.
    case superseded(String)
    case failed
    /// An edit comes: whether it has to wait.
    case comes(String)
    /// What changes nothing that is shown.
    case waitsForAll(String)
    /// What is answered without a commit of its own.
    case follows(String)
  }

  struct Case: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var events: [Event]
    var calls: [String]
  }

  static let cases: [Case] = [
    Case(testDescription: "nothing is under way", events: [.comes("a"), .waitsForAll("b"), .follows("c")], calls: []),
    Case(
      testDescription: "edits don't wait for the disk",
      events: [.begin, .comes("a"), .begin, .stored, .stored],
      calls: []
    ),
    Case(
      testDescription: "an answer waits for what it saw",
      events: [.begin, .begin, .follows("a"), .begin, .stored, .stored, .stored],
      calls: ["a stored"]
    ),
    Case(
      testDescription:
        "after a failure everything waits until all have come back; what was built on it is laid out again first",
      events: [
        .begin, .begin, .follows("answer"), .superseded("first"), .comes("third"), .superseded("second"),
      ],
      calls: ["first", "second", "answer undone", "third"]
    ),
    Case(
      testDescription: "what failed for good is not tried again",
      events: [.begin, .failed, .comes("a")],
      calls: []
    ),
    Case(
      testDescription: "nothing is laid out while what others have written is read",
      events: [.catchesUp, .comes("a"), .follows("b"), .comes("c"), .failed, .comes("d")],
      calls: ["b undone", "a", "c"]
    ),
    Case(
      testDescription: "nobody overtakes one that waits for all",
      events: [.begin, .waitsForAll("a"), .comes("b"), .stored],
      calls: ["a", "b"]
    ),
  ]

  @Test(arguments: cases) func script(_ test: Case) {
    let calls = Mutex<[String]>([])
    func say(_ text: String) -> @Sendable () -> Void { { calls.withLock { $0.append(text) } } }
    var commits = CommitsUnderWay()
    for event in test.events {
      switch event {
      case .begin: commits.begin()
      case .catchesUp: commits.beginCatchingUp()
      case .stored: for call in commits.end(isStored: true, retry: nil) { call() }
      case .superseded(let name): for call in commits.end(isStored: false, retry: say(name)) { call() }
      case .failed: for call in commits.end(isStored: false, retry: nil) { call() }
      case .comes(let name): _ = commits.enqueueIfBlocked(say(name))
      case .waitsForAll(let name): _ = commits.waitForAll(say(name))
      case .follows(let name): _ = commits.whenStored(say("\(name) stored"), undone: say("\(name) undone"))
      }
    }
    #expect(calls.withLock { $0 } == test.calls)
  }

  /// What was built on a failure is told why it is undone; what is built on others' writing, that it is not.
  @Test func theReasonIsKnownUntilAllHaveComeBack() {
    var commits = CommitsUnderWay()
    for first: StoreError? in [.full, nil] {
      for _ in 0..<3 { commits.begin() }
      for (number, failure) in [first, nil, .busy("")].enumerated() {
        _ = commits.end(isStored: false, retry: nil, failure: failure)
        #expect(commits.failure == (number < 2 ? first : nil))
      }
    }
  }

  /// Somebody else writes to the same store: whoever loses every time is told so.
  @Test func aWriterThatIsAlwaysSupersededGivesUp() {
    var commits = CommitsUnderWay()
    var rounds = 0
    while commits.mayRetry, rounds < 1000 {
      commits.begin()
      for call in commits.end(isStored: false, retry: {}) { call() }
      rounds += 1
    }
    #expect(rounds < 1000)
    commits.begin()
    _ = commits.end(isStored: true, retry: nil)
    #expect(commits.mayRetry)
  }
}
