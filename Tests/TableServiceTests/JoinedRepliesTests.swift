import Synchronization
import TableModel
import TestSupport
import Testing

@testable import HTTPServer
@testable import TableEngine
@testable import TableService

/// Replies to polls of several tables: how many bytes are brought together, and kept.
@Suite struct JoinedRepliesTests {
  private let scope = ReplyScope(forwards: [], isTokenHolders: false)

  private func reply(_ bytes: Int) -> EncodedReply {
    let body = Array("{\"a\":\"".utf8) + Array(repeating: UInt8(ascii: "x"), count: bytes) + Array("\"}".utf8)
    return EncodedReply(body, cursor: Cursor(epoch: Epoch(rawValue: 1), version: 1))
  }

  @Test func enoughIsGivenOnWithoutTheRest() {
    let given = Mutex<[[Int]]>([])
    let gathered = GatheredReplies([nil, reply(1), nil, nil]) { parts in
      given.withLock { $0.append(parts.map(\.place)) }
    }
    gathered.begin()
    #expect(!gathered.isComplete)
    gathered.set(2, reply(GatheredReplies.enough))
    #expect(gathered.isComplete)
    gathered.set(0, reply(1))
    #expect(given.withLock { $0 } == [[1, 2]])
  }

  @Test func whatIsThereAtOnceIsEnough() {
    let given = Mutex<[[Int]]>([])
    let gathered = GatheredReplies([reply(GatheredReplies.enough), nil]) { parts in
      given.withLock { $0.append(parts.map(\.place)) }
    }
    gathered.begin()
    #expect(given.withLock { $0 } == [[0]])
  }

  @Test func littleIsGivenOnWhenAllIsThere() {
    let given = Mutex<[[Int]]>([])
    let gathered = GatheredReplies([nil, reply(1), nil]) { parts in
      given.withLock { $0.append(parts.map(\.place)) }
    }
    gathered.begin()
    gathered.set(2, reply(1))
    #expect(given.withLock { $0 }.isEmpty)
    gathered.set(0, reply(1))
    #expect(given.withLock { $0 } == [[0, 1, 2]])
  }

  @Test(
    "A table with many bytes that always moves leaves out nobody each time",
    arguments: [
      [GatheredReplies.enough, 1, 1], [nil, GatheredReplies.enough, nil], [GatheredReplies.enough, nil],
    ] as [[Int?]]
  )
  func everybodyIsToldInTime(bytes: [Int?]) {
    var random = SeededGenerator(seed: 1)
    var told: Set<Int> = []
    for _ in 0..<200 {
      let chosen = GatheredReplies.choice(of: bytes, using: &random)
      #expect(!chosen.isEmpty && chosen == chosen.sorted())
      // What is missing is told by the same response: it is awaited.
      let sum = chosen.reduce(0) { $0 + (bytes[$1] ?? 0) }
      if chosen.contains(where: { bytes[$0] == nil }) { #expect(sum < GatheredReplies.enough) }
      told.formUnion(chosen)
    }
    #expect(told == Set(bytes.indices))
  }

  @Test func allAreToldWhereThatIsLittle() {
    var random = SystemRandomNumberGenerator()
    let chosen = GatheredReplies.choice(of: [1, nil, GatheredReplies.enough - 2], using: &random)
    #expect(chosen == [0, 1, 2])
    let none = GatheredReplies.choice(of: [], using: &random)
    #expect(none.isEmpty)
  }

  @Test func whatWasLeftOutIsMadeFirst() {
    let versions: [UInt64?] = [7, 5, nil, 5]
    let cursors = versions.map { version in version.map { Cursor(epoch: Epoch(rawValue: 1), version: $0) } }
    #expect(GatheredReplies.oldestFirst(cursors) == [2, 1, 3, 0])
  }

  @Test func partsStandOneAfterTheOtherWithTheirNumbers() {
    let parts = [JoinedReplies.Entry(reply: reply(1), number: nil), JoinedReplies.Entry(reply: reply(2), number: 7)]
    let whole = JoinedReplies().reply(parts, [], scope)
    #expect(String(decoding: whole.body, as: UTF8.self) == #"{"changes":[{"a":"x"},{"pair":7,"a":"xx"}]}"#)
    #expect(String(decoding: JoinedReplies().reply([], [], scope).body, as: UTF8.self) == #"{"changes":[]}"#)
  }

  /// However different the polls, the bytes of a large table are there once.
  @Test func largePartsAreSharedByAllWhoAreSentThem() throws {
    let large = reply(1 << 20)
    let polls = [
      [JoinedReplies.Entry(reply: large, number: nil), JoinedReplies.Entry(reply: reply(1), number: nil)],
      [JoinedReplies.Entry(reply: reply(2), number: nil), JoinedReplies.Entry(reply: large, number: 7)],
      [JoinedReplies.Entry(reply: large, number: 0), JoinedReplies.Entry(reply: large, number: 1)],
    ]
    let text = String(decoding: large.body.dropFirst(), as: UTF8.self)
    let expected = [
      #"{"changes":[{\#(text),{"a":"x"}]}"#, #"{"changes":[{"a":"xx"},{"pair":7,\#(text)]}"#,
      #"{"changes":[{"pair":0,\#(text),{"pair":1,\#(text)]}"#,
    ]
    let place = large.body.withUnsafeBufferPointer { $0.baseAddress }
    for (poll, expected) in zip(polls, expected) {
      let whole = JoinedReplies().reply(poll, [], scope)
      let isExpected = whole.body.elementsEqual(expected.utf8)
      let response = whole.response(accepting: AcceptedCodings())
      #expect(isExpected && response.byteCount == expected.utf8.count && response.body.count < 100)
      let shared = response.pieces.filter { $0.bytes.withUnsafeBufferPointer { $0.baseAddress } == place }
      #expect(shared.count == poll.count { $0.reply === large })
      #expect(response.pieces.count { $0.count > 100 } == shared.count)
    }
  }

  @Test func sharingCostsNothing() {
    let replies = [reply(1 << 20), reply(1_000 - 8)]
    #expect(JoinedReplies.work(on: replies, for: AcceptedCodings()) == 1_000)
    let coded = AcceptedCodings(Array("gzip".utf8)[...])
    #expect(JoinedReplies.work(on: replies, for: coded) == 1_000 + 1 << 20 + 8)
  }

  /// With all that is kept beside it, a joining of 2 MB holds some 3 MB.
  @Test func whatIsKeptHasABoundWithItsParts() {
    let joined = JoinedReplies()
    let joinings = (0..<7).map { [JoinedReplies.Entry(reply: reply(2 << 20), number: $0)] }
    for parts in joinings { _ = joined.reply(parts, [], scope) }
    #expect(joinings.map { joined.known($0, [], scope) != nil } == [false, false, true, true, true, true, true])
    let large = [JoinedReplies.Entry(reply: reply(12 << 20), number: nil)]
    _ = joined.reply(large, [], scope)
    #expect(joined.known(large, [], scope) == nil)
    #expect(joined.known(joinings[6], [], scope) != nil)
  }
}
