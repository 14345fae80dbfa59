import JSON
import Testing

@testable import TableEngine

/// The order in which an upstream's edits of one item were accepted.
@Suite struct AcceptedItemsTests {
  private static let edits: [String: Edit] = [
    "insert": .insert(item: .null, .end), "put": .put(row: "a", item: .null, .end, .none),
    "patch": .patch(row: "a", .null), "delete": .delete(row: "a"),
  ]

  /// - Parameters:
  ///   - first: accepted since the late one was sent.
  ///   - isOvertaken: the late one is.
  @Test(
    arguments: [
      ("patch", "patch", true), ("delete", "patch", true), ("insert", "patch", true), ("patch", "delete", false),
      ("delete", "delete", false), ("put", "delete", true), ("insert", "delete", true),
    ]
  )
  func aLateAnswer(first: String, late: String, isOvertaken: Bool) throws {
    let (first, late) = (try #require(Self.edits[first]), try #require(Self.edits[late]))
    var items = AcceptedItems()
    let mark = items.count
    let isFirstOvertaken = items.note(first, of: "a", sentAt: mark)
    let isOfAnother = items.note(late, of: "b", sentAt: mark)
    let isLate = items.note(late, of: "a", sentAt: mark)
    #expect(!isFirstOvertaken && !isOfAnother && isLate == isOvertaken)
    let isNext = items.note(late, of: "a", sentAt: items.count)
    #expect(!isNext, "sent after all of them")
  }

  @Test func whatWasForgottenMayHaveBeenFirst() {
    var items = AcceptedItems()
    for name in (0...AcceptedItems.most).map(String.init) {
      _ = items.note(.patch(row: name, .null), of: name, sentAt: items.count)
    }
    let isOld = items.note(.patch(row: "0", .null), of: "0", sentAt: 0)
    let isNew = items.note(.patch(row: "1", .null), of: "1", sentAt: items.count)
    #expect(isOld && !isNew)
  }
}
