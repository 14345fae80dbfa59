import TableModel
import TableStore
import Testing

@testable import TableEngine

/// A reply that says where its client is, as nobody could tell more when it was made.
@Suite struct DoubtfulReplyTests {
  @Test(arguments: [
    // Why, whether the client has waited, whether it is told to ask again.
    (EncodedReply.Doubt?.none, false, false), (.unknown, true, false), (.unknown, false, true),
    (.drawnElsewhere, true, false), (.drawnElsewhere, false, false), (.foundElsewhere, false, false),
  ])
  func nobodyIsToldTooEarlyThatNothingIsNew(doubt: EncodedReply.Doubt?, hasWaited: Bool, isUnanswerable: Bool) throws {
    let engine = try Engine(.tasks(), .silent(GatedStore()))
    let table = try #require(engine.catalog.tables.first)
    let query = TableQuery(.changes(after: table.current.cursor), Lens())
    let reply = EncodedReply([], cursor: table.current.cursor, isEmpty: true, doubt: doubt)
    #expect(table.isUnanswerable(query, by: reply, hasWaited: hasWaited) == isUnanswerable)
    // Who has nothing of what it looks for has nothing to wait with.
    let first = TableQuery(.snapshot, Lens())
    #expect(table.isUnanswerable(first, by: reply, hasWaited: true) == (doubt == .foundElsewhere))
  }
}
