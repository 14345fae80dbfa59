import Testing

@testable import TableEngine

/// The members of a family, told what happens by a word for each event; the clock is in seconds.
@Suite struct FamilyMembersTests {
  /// What happens to a family.
  enum Event: CustomStringConvertible {
    /// A member is read, and made if it is not there.
    case read(String, by: String = "")
    case wait(String)
    case leave(String)
    case sweep
    case changed
    /// The sources of all but the frozen are fetched.
    case refreshed
    case thawAll
    /// The sources of those that were thawed are asked.
    case endThawing
    /// It holds so many bytes now.
    case weigh(String, Int)

    var description: String {
      switch self {
      case .read(let key, let share): "read \(key)" + (share.isEmpty ? "" : " by \(share)")
      case .wait(let key): "wait \(key)"
      case .leave(let key): "leave \(key)"
      case .sweep: "sweep"
      case .changed: "changed"
      case .refreshed: "refreshed"
      case .thawAll: "thaw all"
      case .endThawing: "end thawing"
      case .weigh(let key, let bytes): "weigh \(key): \(bytes)"
      }
    }
  }

  struct Case: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var limits = FamilyMembers<String, String>.Limits(
      maximum: 3,
      freezeAfter: .seconds(10),
      dropAfter: .seconds(100),
      ofOneShare: nil
    )
    /// When, what, and what comes of it.
    var script: [(second: Int, event: Event, outcome: String)]
    var left: [String]
  }

  static let cases: [Case] = [
    Case(
      testDescription: "the one that was read longest ago makes room",
      script: [
        (0, .read("a"), "new"), (1, .read("b"), "new"), (2, .read("c"), "new"), (3, .read("a"), "known"),
        (4, .read("d"), "new, without b"),
      ],
      left: ["a", "c", "d"]
    ),
    Case(
      testDescription: "whoever is waited for goes last",
      script: [
        (0, .read("a"), "new"), (0, .wait("a"), ""), (1, .read("b"), "new"), (2, .read("c"), "new"),
        (3, .read("d"), "new, without b"), (4, .leave("a"), ""), (5, .read("e"), "new, without c"),
      ],
      left: ["a", "d", "e"]
    ),
    Case(
      testDescription: "where all are waited for, one goes all the same",
      script: [
        (0, .read("a"), "new"), (0, .wait("a"), ""), (0, .read("b"), "new"), (0, .wait("b"), ""),
        (0, .read("c"), "new"), (0, .wait("c"), ""), (1, .read("d"), "new, without a"),
      ],
      left: ["b", "c", "d"]
    ),
    Case(
      testDescription: "frozen ones go before those that are polled",
      script: [
        (0, .read("a"), "new"), (0, .read("b"), "new"), (9, .read("a"), "known"), (10, .sweep, "freezes b"),
        (11, .read("c"), "new"), (12, .read("d"), "new, without b"),
      ],
      left: ["a", "c", "d"]
    ),
    Case(
      testDescription: "a client that made its share loses its own oldest, and nobody else's",
      limits: .init(maximum: 4, freezeAfter: .seconds(10), dropAfter: .seconds(100), ofOneShare: 2),
      script: [
        (0, .read("victim", by: "good"), "new"), (1, .read("a", by: "bad"), "new"), (2, .read("b", by: "bad"), "new"),
        (3, .read("c", by: "bad"), "new, without a"), (4, .read("b", by: "bad"), "known"),
        (5, .read("d", by: "bad"), "new, without c"),
      ],
      left: ["b", "d", "victim"]
    ),
    Case(
      testDescription: "this machine has no share",
      limits: .init(maximum: 3, freezeAfter: .seconds(10), dropAfter: .seconds(100), ofOneShare: 1),
      script: [(0, .read("a"), "new"), (0, .read("b"), "new"), (0, .read("c"), "new")],
      left: ["a", "b", "c"]
    ),
    Case(
      testDescription: "a share is given back with the member",
      limits: .init(maximum: 9, freezeAfter: .seconds(10), dropAfter: .seconds(20), ofOneShare: 1),
      script: [
        (0, .read("a", by: "one"), "new"), (20, .sweep, "freezes a, drops a"), (21, .read("b", by: "one"), "new"),
      ],
      left: ["b"]
    ),
    Case(
      testDescription: "idle: frozen, thawed by a reader, frozen again, dropped",
      script: [
        (0, .read("a"), "new"), (9, .sweep, ""), (10, .sweep, "freezes a"), (11, .read("a"), "thawed"),
        (20, .sweep, ""), (21, .sweep, "freezes a"), (110, .sweep, ""), (111, .sweep, "drops a"),
      ],
      left: []
    ),
    Case(
      testDescription: "waiting is reading",
      script: [
        (0, .read("a"), "new"), (0, .wait("a"), ""), (500, .sweep, ""), (501, .leave("a"), ""), (509, .sweep, ""),
        (510, .sweep, "freezes a"),
      ],
      left: ["a"]
    ),
    Case(
      testDescription: "a frozen one is told of a change when it is read again, once",
      script: [
        (0, .read("a"), "new"), (10, .sweep, "freezes a"), (10, .read("b"), "new"), (11, .changed, "fetches b"),
        (12, .read("a"), "thawed, outdated"), (13, .read("a"), "known"), (22, .sweep, "freezes b"),
        (23, .sweep, "freezes a"), (24, .read("a"), "thawed"),
      ],
      left: ["a", "b"]
    ),
    Case(
      testDescription: "too heavy: the frozen go, then those that were read longest ago, nobody who is waited for",
      limits: .init(maximum: 9, freezeAfter: .seconds(10), dropAfter: .seconds(100), ofOneShare: nil, bytes: 100),
      script: [
        (0, .read("a"), "new"), (0, .wait("a"), ""), (1, .read("b"), "new"), (2, .read("c"), "new"),
        (3, .weigh("a", 30), ""), (3, .weigh("b", 30), ""), (3, .weigh("c", 40), ""), (8, .read("b"), "known"),
        (12, .sweep, "freezes c"), (13, .read("d"), "new"), (14, .weigh("d", 10), "without c"),
        (15, .weigh("d", 50), "without b"), (16, .weigh("d", 80), "no room"),
      ],
      left: ["a", "d"]
    ),
    Case(
      testDescription: "where those that nobody waits for are not enough, they stay",
      limits: .init(maximum: 9, freezeAfter: .seconds(10), dropAfter: .seconds(100), ofOneShare: nil, bytes: 100),
      script: [
        (0, .read("a"), "new"), (0, .wait("a"), ""), (0, .weigh("a", 60), ""), (1, .read("b"), "new"),
        (1, .weigh("b", 20), ""), (2, .read("c"), "new"), (2, .weigh("c", 50), "no room"), (3, .weigh("c", 20), ""),
      ],
      left: ["a", "b", "c"]
    ),
    Case(
      testDescription: "a client whose members are too heavy loses its own oldest, waited for or not",
      limits: .init(
        maximum: 9,
        freezeAfter: .seconds(10),
        dropAfter: .seconds(100),
        ofOneShare: nil,
        bytes: 100,
        bytesOfOneShare: 25
      ),
      script: [
        (0, .read("good", by: "good"), "new"), (0, .weigh("good", 20), ""), (1, .read("a", by: "bad"), "new"),
        (1, .wait("a"), ""), (1, .weigh("a", 20), ""), (2, .read("b", by: "bad"), "new"),
        (2, .weigh("b", 20), "without a"), (3, .weigh("b", 70), ""), (4, .read("c"), "new"),
        (4, .weigh("c", 20), "without good"),
      ],
      left: ["b", "c"]
    ),
    Case(
      testDescription: "another configuration polls all for a while",
      script: [
        (0, .read("a"), "new"), (10, .sweep, "freezes a"), (50, .thawAll, ""), (50, .endThawing, ""),
        (51, .read("a"), "known"), (61, .sweep, "freezes a"),
      ],
      left: ["a"]
    ),
    Case(
      testDescription: "another configuration is no reader: a member is dropped in time, once its sources are asked",
      script: [
        (0, .read("a"), "new"), (10, .sweep, "freezes a"), (50, .thawAll, ""), (50, .endThawing, ""), (59, .sweep, ""),
        (60, .sweep, "freezes a"), (95, .thawAll, ""), (100, .sweep, ""), (101, .endThawing, ""),
        (101, .sweep, "drops a"),
      ],
      left: []
    ),
    Case(
      testDescription: "a member that only another configuration polls makes room before those that are read",
      script: [
        (0, .read("a"), "new"), (0, .read("b"), "new"), (9, .read("b"), "known"), (10, .sweep, "freezes a"),
        (11, .thawAll, ""), (11, .endThawing, ""), (12, .read("c"), "new"), (13, .read("d"), "new, without a"),
      ],
      left: ["b", "c", "d"]
    ),
    Case(
      testDescription: "members are dropped in the order of their last reading, whichever was frozen last",
      script: [
        (0, .read("a"), "new"), (10, .sweep, "freezes a"), (44, .read("b"), "new"), (50, .thawAll, ""),
        (50, .endThawing, ""), (54, .sweep, "freezes b"), (60, .sweep, "freezes a"), (100, .sweep, "drops a"),
      ],
      left: ["b"]
    ),
    Case(
      testDescription: "another configuration fetches those that a change has passed by, also meanwhile; once",
      script: [
        (0, .read("a"), "new"), (10, .sweep, "freezes a"), (11, .refreshed, ""), (12, .thawAll, "a outdated"),
        (12, .endThawing, ""), (13, .refreshed, ""), (22, .sweep, "freezes a"), (23, .thawAll, ""),
        (23, .refreshed, ""), (23, .read("a"), "known"), (24, .endThawing, "fetches a"), (25, .endThawing, ""),
      ],
      left: ["a"]
    ),
  ]

  @Test(arguments: cases) func script(_ test: Case) {
    let start = ContinuousClock.now
    var members = FamilyMembers<String, String>(test.limits)
    var waiting: Set<String> = []
    for (second, event, expected) in test.script {
      let now = start + .seconds(second)
      let isWaitedFor = { [waiting] in waiting.contains($0) }
      var outcome: [String] = []
      switch event {
      case .read(let key, let share):
        switch members.read(key, at: now) {
        case .known: outcome = ["known"]
        case .thawed(_, let isOutdated): outcome = ["thawed"] + (isOutdated ? ["outdated"] : [])
        case nil:
          let gone = members.insert(key, key, share: share, at: now, isWaitedFor: isWaitedFor)
          outcome = ["new"] + gone.map { "without \($0)" }
        }
      case .wait(let key): waiting.insert(key)
      case .leave(let key): waiting.remove(key)
      case .sweep:
        let sweep = members.sweep(at: now, isWaitedFor: isWaitedFor)
        outcome = sweep.frozen.map { "freezes \($0)" } + sweep.dropped.map { "drops \($0)" }
      case .changed: outcome = members.changed().map { "fetches \($0)" }
      case .refreshed: members.outdateFrozen()
      case .thawAll: outcome = members.thawAll(at: now).map { "\($0) outdated" }
      case .endThawing: outcome = members.endThawing().map { "fetches \($0)" }
      case .weigh(let key, let bytes):
        let ofItsClient = members.weigh(key, bytes)
        let gone = members.makeRoom(sparing: key, isWaitedFor: isWaitedFor)
        outcome = (ofItsClient + (gone ?? [])).map { "without \($0)" } + (gone == nil ? ["no room"] : [])
      }
      #expect(outcome.joined(separator: ", ") == expected, "second \(second), \(event)")
      #expect(members.count <= test.limits.maximum)
    }
    #expect(members.members.keys.sorted() == test.left)
    #expect(members.byteCount == members.members.values.reduce(0) { $0 + $1.bytes })
  }

  /// One that is large makes no room that small ones would do with.
  @Test func anotherOneIsExpectedToBeAsTheOthersAre() {
    var members = FamilyMembers<String, String>(
      .init(maximum: 9, freezeAfter: .seconds(10), dropAfter: .seconds(100), ofOneShare: nil, bytes: 1600)
    )
    #expect(members.expectedBytes(atLeast: 10, of: 8000) == 10)
    for (key, bytes) in [("a", 20), ("b", 60)] {
      _ = members.insert(key, key, share: "", bytes: bytes, at: .now) { _ in true }
    }
    #expect(members.expectedBytes(atLeast: 10, of: 8000) == 40)
    _ = members.insert("c", "c", share: "", bytes: 1500, at: .now) { _ in true }
    #expect(members.expectedBytes(atLeast: 10, of: 8000) == 100 && members.expectedBytes(atLeast: 10, of: 800) == 50)
  }
}
