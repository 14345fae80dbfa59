import Synchronization
import Testing

@testable import TableEngine

@Suite struct AnswerEditsTests {
  /// One edit after the other, in the order in which they came; none is lost where one comes while another is laid.
  @Test func eachHasItsTurn() {
    let done = Mutex<[Int]>([])
    var edits = AnswerEdits()
    func turn(_ number: Int) -> AnswerEdits.Turn { { done.withLock { $0.append(number) } } }
    edits.begin(turn(1))?()
    #expect(edits.begin(turn(2)) == nil && edits.begin(turn(3)) == nil)
    #expect(done.withLock { $0 } == [1])
    edits.end()?()
    #expect(edits.begin(turn(4)) == nil, "behind those that wait")
    for _ in 0..<2 { edits.end()?() }
    #expect(done.withLock { $0 } == [1, 2, 3, 4])
    #expect(edits.end() == nil)
    edits.begin(turn(5))?()
    #expect(done.withLock { $0 }.last == 5)
  }
}
