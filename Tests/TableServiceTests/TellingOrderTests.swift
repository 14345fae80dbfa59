import Synchronization
import TableModel
import TestSupport
import Testing

@testable import TableEngine
@testable import TableService

/// Which tables one response tells of, where all are too many bytes.
@Suite struct TellingOrderTests {
  private func cursors(_ versions: [UInt64]) -> [Cursor?] {
    versions.map { Cursor(epoch: Epoch(rawValue: 1), version: $0) }
  }

  /// Sizes, and what is told of them: 100 bytes are enough, and it is the first one's turn.
  static let cases: [([Int], [Int])] = [
    ([], []), ([300], [0]), ([1, 2, 3], [0, 1, 2]), ([50, 49, 1], [0, 1, 2]),
    // Small ones beside a large one, wherever they stand.
    ([900, 1, 1, 1], [0, 1, 2, 3]), ([1, 900, 1, 1], [0, 1, 2, 3]), ([30, 30, 30, 900], [0, 1, 2, 3]),
    ([40, 40, 40, 900], [0, 1, 2]), ([900, 40, 40, 40], [0, 1, 2, 3]), ([40, 900, 40, 40], [0, 2, 3]),
    ([500, 900, 500], [0]), ([500, 300, 900], [0, 1]),
  ]

  @Test(arguments: cases)
  func smallOnesFirst(sizes: [Int], told: [Int]) {
    let order = TellingOrder(sizes: sizes, cursors: sizes.map { _ in nil }, enough: 100)
    #expect(order.told(sizes).sorted() == told)
  }

  @Test func whatIsMissingMayBeTold() {
    let order = TellingOrder(sizes: [40, 40, 40, 900], cursors: [nil, nil, nil, nil], enough: 100)
    #expect(order.told([nil, nil, nil, nil]) == [0, 1, 2, 3])
    #expect(order.told([nil, 60, 50, nil]) == [0, 1, 2])
    #expect(order.told([100, nil, nil, nil]) == [0])
  }

  /// In whichever order the replies are made, and whichever are there before: the same are told, and no further ones made.
  @Test(arguments: 0..<20 as Range<UInt64>)
  func theOrderOfMakingDecidesNothing(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let replies = (0..<Int.random(in: 1...8, using: &random)).map { _ in
      EncodedReply(
        Array(repeating: 0x78, count: Int.random(in: 1...60, using: &random)),
        cursor: Cursor(epoch: Epoch(rawValue: 1), version: 1)
      )
    }
    let sizes = replies.map(\.body.count)
    let order = TellingOrder(sizes: sizes, cursors: cursors(sizes.map { UInt64($0) }), enough: 100)
    let expected = order.told(sizes).sorted()
    for _ in 0..<10 {
      let given = Mutex<[[Int]]>([])
      let ready: [EncodedReply?] = replies.map { Bool.random(using: &random) ? $0 : nil }
      let gathered = GatheredReplies(ready, in: order) { parts in given.withLock { $0.append(parts.map(\.place)) } }
      gathered.begin()
      for place in replies.indices.shuffled(using: &random) where gathered.wants(place) {
        gathered.set(place, replies[place])
      }
      #expect(given.withLock { $0 } == [expected], "seed \(seed)")
      #expect(!replies.indices.contains(where: gathered.wants), "seed \(seed)")
    }
  }

  @Test(
    "A table with many bytes that always moves leaves out nobody each time",
    arguments: [[100, 1, 1], [60, 60, 60, 60], [10, 90, 300, 20, 20], [100, 100, 100, 100, 100, 100, 100, 100]]
  )
  func everybodyIsToldInTime(sizes: [Int]) {
    var versions = sizes.map { _ in 1 as UInt64 }
    var missed = sizes.map { _ in 0 }
    for _ in 0..<500 {
      let told = TellingOrder(sizes: sizes, cursors: cursors(versions), enough: 100).told(sizes)
      for place in sizes.indices {
        let isTold = told.contains(place)
        versions[place] += isTold ? 1 : 0
        missed[place] = isTold ? 0 : missed[place] + 1
      }
      #expect(missed.allSatisfy { $0 < 100 }, "\(missed)")
    }
  }
}
