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

  /// - Parameter sizes: as they are expected; 100 bytes are enough.
  private func order(_ sizes: [Int]) -> TellingOrder {
    TellingOrder(sizes: sizes, cursors: sizes.map { _ in nil }, enough: 100)
  }

  @Test func enoughIsGivenOnWithoutTheRest() {
    let given = Mutex<[[Int]]>([])
    let gathered = GatheredReplies([nil, reply(1), nil, nil], in: order([1, 20, 30, 10])) { parts in
      given.withLock { $0.append(parts.map(\.place)) }
    }
    gathered.begin()
    #expect((0..<4).map(gathered.wants) == [true, false, true, true])
    // The one before it is awaited, the one behind it is not any more.
    gathered.set(3, reply(100))
    #expect((0..<4).map(gathered.wants) == [true, false, false, false])
    #expect(given.withLock { $0 }.isEmpty)
    gathered.set(0, reply(1))
    gathered.set(2, reply(1))
    #expect(given.withLock { $0 } == [[0, 3]] && !gathered.wants(1))
  }

  @Test func whatIsThereAtOnceIsEnough() {
    let given = Mutex<[[Int]]>([])
    let gathered = GatheredReplies([reply(100), nil], in: order([100, 200])) { parts in
      given.withLock { $0.append(parts.map(\.place)) }
    }
    gathered.begin()
    #expect(given.withLock { $0 } == [[0]])
  }

  @Test func littleIsGivenOnWhenAllIsThere() {
    let given = Mutex<[[Int]]>([])
    let gathered = GatheredReplies([nil, reply(1), nil], in: order([1, 1, 1])) { parts in
      given.withLock { $0.append(parts.map(\.place)) }
    }
    gathered.begin()
    gathered.set(2, reply(1))
    #expect(given.withLock { $0 }.isEmpty)
    gathered.set(0, reply(1))
    #expect(given.withLock { $0 } == [[0, 1, 2]])
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
