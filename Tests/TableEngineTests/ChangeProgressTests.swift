import TableModel
import TableStore
import Testing

@testable import TableEngine

/// The way of a change, as a table of cases: what happens, and what is done next each time.
@Suite struct ChangeProgressTests {
  private typealias Terms = ChangeProgress.Terms
  private typealias Event = ChangeProgress.Event
  private typealias Step = ChangeProgress.Step

  private static let done = EditResult.success(
    EditAnswer(cursor: Cursor(epoch: Epoch(rawValue: 8), version: 42), rows: ["1"])
  )
  private static let later = EditResult.success(
    EditAnswer(cursor: Cursor(epoch: Epoch(rawValue: 8), version: 43), rows: ["1"])
  )
  private static let taken = TableError(.conflict, detail: "The identity is taken.")
  private static let wrong = TableError(.malformed, detail: "No such member.")
  private static let conflicts = ChangeProgress.mostConflicts

  struct Case: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var terms: ChangeProgress.Terms
    /// What happens, and what is to be done then.
    var way: [(ChangeProgress.Event, ChangeProgress.Step)]

    init(_ name: String, _ terms: ChangeProgress.Terms, _ way: [(ChangeProgress.Event, ChangeProgress.Step)]) {
      (testDescription, self.terms, self.way) = (name, terms, way)
    }
  }

  private static let plain = Terms(hasKey: false)
  private static let keyed = Terms(hasKey: true)
  /// An edit of the service's own items, where replicas share them.
  private static let shared = Terms(hasKey: true, othersWrite: true, mayBeDoneElsewhere: true)
  /// The same, in a table whose versions another replica makes.
  private static let follower = Terms(hasKey: true, othersWrite: true, isShownElsewhere: true, mayBeDoneElsewhere: true)
  /// Answers of one epoch, and of another one.
  private static let here = Terms(hasKey: true, epoch: Epoch(rawValue: 8))
  private static let elsewhere = Terms(hasKey: true, epoch: Epoch(rawValue: 9))
  /// An edit that is sent to an upstream, where replicas share the table.
  private static let upstream = Terms(hasKey: true, needsStore: true, othersWrite: true)

  static let cases: [Case] = [
    Case("committed", plain, [(.begun, .plan), (.done(done, isKept: true), .answer(done))]),
    Case(
      "what has no commit is kept",
      keyed,
      [
        (.begun, .takeKey), (.clear, .plan), (.done(done, isKept: false), .keep(done)), (.kept(done), .answer(done)),
      ]
    ),
    Case(
      "a judgement that can't be kept is none",
      keyed,
      [
        (.begun, .takeKey), (.clear, .plan), (.done(.failure(taken), isKept: false), .keep(.failure(taken))),
        (.kept(.failure(wrong)), .answer(.failure(wrong))),
      ]
    ),
    Case("a repeat", keyed, [(.begun, .takeKey), (.known(done), .answer(done))]),
    Case(
      "a repeat of a refusal",
      follower,
      [
        (.begun, .takeKey), (.known(.failure(taken)), .answer(.failure(taken))),
      ]
    ),
    Case(
      "a repeat, where another replica shows it",
      follower,
      [
        (.begun, .takeKey), (.known(done), .awaitVersion(done)), (.seen(later), .answer(later)),
      ]
    ),
    Case("a repeat in the same language", here, [(.begun, .takeKey), (.known(done), .answer(done))]),
    Case(
      "a repeat of what was answered in another language",
      elsewhere,
      [
        (.begun, .takeKey), (.known(done), .awaitVersion(done)), (.seen(later), .answer(later)),
      ]
    ),
    Case("the store does not answer", keyed, [(.begun, .takeKey), (.failed(wrong), .answer(.failure(wrong)))]),
    Case("undone", plain, [(.begun, .plan), (.undone, .plan), (.done(done, isKept: true), .answer(done))]),
    Case(
      "undone, and perhaps done elsewhere",
      shared,
      [
        (.begun, .takeKey), (.clear, .plan), (.undone, .lookUpKey), (.clear, .plan), (.undone, .lookUpKey),
        (.known(done), .answer(done)),
      ]
    ),
    Case(
      "nothing can be stored that it is planned on",
      plain,
      [(.begun, .plan)] + Array(repeating: (.baseFailed(.full), .plan), count: ChangeProgress.mostFailedBases)
        + [(.baseFailed(.full), .answer(.failure(TableError(.full))))]
    ),
    Case(
      "what is unknown of its base is known of it",
      plain,
      [(.begun, .plan)]
        + Array(repeating: (.baseFailed(.unavailable("")), .plan), count: ChangeProgress.mostFailedBases)
        + [(.baseFailed(.unavailable("")), .answer(.failure(TableError(.superseded))))]
    ),
    Case(
      "refused",
      plain,
      [
        (.begun, .plan), (.refused(taken), .awaitStored), (.stored, .keep(.failure(taken))),
        (.kept(.failure(taken)), .answer(.failure(taken))),
      ]
    ),
    Case(
      "what has refused it is undone",
      plain,
      [
        (.begun, .plan), (.refused(taken), .awaitStored), (.undone, .plan), (.done(done, isKept: true), .answer(done)),
      ]
    ),
    Case(
      "what has refused it is another replica's to change",
      shared,
      [
        (.begun, .takeKey), (.clear, .plan), (.refused(taken), .readOthers), (.read(true), .plan),
        (.done(done, isKept: true), .answer(done)),
      ]
    ),
    Case(
      "it is still refused then",
      shared,
      [
        (.begun, .takeKey), (.clear, .plan), (.refused(taken), .readOthers), (.read(true), .plan),
        (.refused(taken), .awaitStored), (.stored, .keep(.failure(taken))),
        (.kept(.failure(taken)), .answer(.failure(taken))),
      ]
    ),
    Case(
      "it is refused, as another replica has carried the same out",
      shared,
      [
        (.begun, .takeKey), (.clear, .plan), (.refused(taken), .readOthers), (.read(true), .plan),
        (.refused(taken), .awaitStored), (.stored, .keep(.failure(taken))), (.known(done), .answer(done)),
      ]
    ),
    Case(
      "the same, where another replica shows it",
      follower,
      [
        (.begun, .takeKey), (.clear, .plan), (.refused(wrong), .awaitStored), (.stored, .keep(.failure(wrong))),
        (.known(done), .awaitVersion(done)), (.seen(later), .answer(later)),
      ]
    ),
    Case(
      "nothing that others write makes it right",
      shared,
      [
        (.begun, .takeKey), (.clear, .plan), (.refused(wrong), .awaitStored), (.stored, .keep(.failure(wrong))),
        (.kept(.failure(wrong)), .answer(.failure(wrong))),
      ]
    ),
    Case(
      "others can't be read",
      shared,
      [
        (.begun, .takeKey), (.clear, .plan), (.refused(taken), .readOthers),
        (.read(false), .answer(.failure(TableError(.unreadable)))),
      ]
    ),
    Case(
      "lookups are behind, and stay so",
      shared,
      [
        (.begun, .takeKey), (.clear, .plan), (.behind, .readOthers), (.read(true), .plan),
        (.behind, .answer(.failure(.itemsBehind))),
      ]
    ),
    Case(
      "another replica makes the version",
      follower,
      [
        (.begun, .takeKey), (.clear, .plan), (.unseen(done), .awaitVersion(done)),
        (.unseenStill(after: .seconds(4)), .awaitVersion(done)), (.seen(later), .answer(later)),
      ]
    ),
    Case(
      "no replica makes the version",
      follower,
      [
        (.begun, .takeKey), (.clear, .plan), (.unseen(done), .awaitVersion(done)),
        (.unseenStill(after: ChangeProgress.patience), .answer(.failure(.storedUnseen))),
      ]
    ),
    Case(
      "superseded once",
      shared,
      [
        (.begun, .takeKey), (.clear, .plan), (.superseded, .lookUpKey), (.clear, .plan),
        (.unseen(done), .awaitVersion(done)),
      ]
    ),
    Case(
      "superseded for ever",
      plain,
      [(.begun, .plan)]
        + Array(repeating: (.superseded, .plan), count: conflicts)
        + [(.superseded, .answer(.failure(TableError(StoreError.superseded))))]
    ),
    Case(
      "sent to an upstream",
      upstream,
      [
        (.begun, .reachStore), (.clear, .takeKey), (.clear, .plan), (.done(done, isKept: false), .keep(done)),
        (.kept(done), .answer(done)),
      ]
    ),
    Case(
      "nothing is sent while the store can't be reached",
      upstream,
      [
        (.begun, .reachStore), (.failed(wrong), .answer(.failure(wrong))),
      ]
    ),
    Case(
      "the upstream refuses it",
      upstream,
      [
        (.begun, .reachStore), (.clear, .takeKey), (.clear, .plan),
        (.done(.failure(taken), isKept: false), .keep(.failure(taken))),
        (.kept(.failure(taken)), .answer(.failure(taken))),
      ]
    ),
    Case(
      "nothing is sent twice",
      upstream,
      [
        (.begun, .reachStore), (.clear, .takeKey), (.clear, .plan), (.undone, .plan),
      ]
    ),
  ]

  @Test(arguments: cases) func way(_ entry: Case) {
    var progress = ChangeProgress(entry.terms)
    for (number, (event, step)) in entry.way.enumerated() {
      #expect(progress.next(event) == step, "step \(number + 1)")
    }
  }

  // MARK: Claims of keys

  private static let asked = Idempotency(key: "k", route: "PATCH /v1/tables/t/items/1", content: [1])
  private static let other = Idempotency(key: "k", route: "PATCH /v1/tables/t/items/1", content: [2])

  @Test func claims() throws {
    let (asked, other) = (Self.asked, Self.other)
    let kept = try #require(StoredReply(asked, Self.done))
    let cases: [(String, Result<ReplyClaim, StoreError>, Idempotency, isLast: Bool, String)] = [
      ("nobody has it", .success(.granted), asked, false, "clear"),
      ("it is answered", .success(.answered(kept)), asked, false, "known"),
      ("it is answered, and asks for something else", .success(.answered(kept)), other, false, "known: unprocessable"),
      ("another replica has it", .success(.underWay(request: [1])), asked, false, "asked again"),
      ("another replica has it for too long", .success(.underWay(request: [1])), asked, true, "failed: unavailable"),
      (
        "another replica has it, and it asks for something else", .success(.underWay(request: [2])), asked, false,
        "failed"
      ),
      ("the store fails", .failure(.busy("held")), asked, false, "failed: unavailable"),
    ]
    for (name, claim, idempotency, isLast, expected) in cases {
      let found =
        switch KeyedAnswers.event(after: claim, idempotency, isLast: isLast) {
        case nil: "asked again"
        case .clear?: "clear"
        case .known(.success)?: "known"
        case .known(.failure(let error))?: "known: \(error == .keyReused ? "unprocessable" : "\(error.kind)")"
        case .failed(let error)? where error == .keyReused: "failed"
        case .failed(let error)?: "failed: \(error.kind)"
        case let event?: "\(event)"
        }
      #expect(found == expected, "\(name)")
    }
  }
}
