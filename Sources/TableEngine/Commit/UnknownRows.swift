import Dispatch
import Queues
import TableModel

/// The rows that an upstream may have and this replica does not know. One that doesn't ask the sources may have nothing but what was stored
/// before all replicas stopped. Before it says of a row that there is none, or sends an item under an identity as a new one, it has the
/// leader say that its sources have answered: once, as from then on it is told of every answer.
struct UnknownRows: TableJob {
  /// Of the table that the client sees.
  let writer: TableWriter

  /// After a failure the leader is asked again so much later: not for each request while an upstream is away.
  private static let pause = DispatchTimeInterval.seconds(1)

  /// Has the rows be known. One question for all who ask meanwhile. On the table's queue.
  ///
  /// - Parameter completion: whether they are, on the table's queue, after some ten seconds at most.
  func find(_ completion: @escaping @Sendable (Bool) -> Void) {
    if content.access({ $0.rowQuestions.ask { completion($0 == .read) } }) { ask() }
  }

  private func ask() {
    let number = content.access { $0.rowQuestions.number }
    guard !content.access({ $0.isToldByLeader }) else { return end(number, .read) }
    context.replica.askLeader(.knowRows(writer.sharedName)) { outcome in
      guard case .success = outcome else {
        return content.queue.asyncAfter(deadline: .now() + Self.pause) { end(number, .late) }
      }
      writer.readBarrier { found in content.queue.async { end(number, found) } }
    }
  }

  private func end(_ number: UInt64, _ outcome: LookOutcome) {
    let (told, begins) = content.access { content in
      if outcome == .read { content.isToldByLeader = true }
      return content.rowQuestions.end(number)
    }
    for completion in told { completion(outcome) }
    if begins { ask() }
  }
}
