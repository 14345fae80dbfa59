import Dispatch
import Queues
import TableModel

/// The rows that an upstream may have and this replica does not know. A replica that doesn't ask the sources may have nothing but what was
/// stored before all replicas stopped. Before it says of a row that there is none, or sends an item under an identity as a new one, it has
/// the leader say that its sources have answered: once, as from then on it is told of every answer.
struct UnknownRows: TableJob {
  /// Of the table that the client sees.
  let writer: TableWriter

  /// The least time between a failure and the next question: an upstream that is away is not asked for each request.
  private static let pause = DispatchTimeInterval.seconds(1)

  /// Has the rows be known. One question for all who wait.
  ///
  /// - Parameter completion: whether they are, on the table's queue, after some ten seconds at most.
  func find(_ completion: @escaping @Sendable (Bool) -> Void) {
    let isFirst = content.access { content in
      content.rowAskers.append(completion)
      return content.rowAskers.count == 1
    }
    guard isFirst else { return }
    context.replica.askLeader(.knowRows(writer.sharedName)) { outcome in
      guard case .success = outcome else {
        return content.queue.asyncAfter(deadline: .now() + Self.pause) { end(areKnown: false) }
      }
      writer.readBarrier { found in content.queue.async { end(areKnown: found == .read) } }
    }
  }

  private func end(areKnown: Bool) {
    let told = content.access { content in
      if areKnown { content.isToldByLeader = true }
      defer { content.rowAskers = [] }
      return content.rowAskers
    }
    for completion in told { completion(areKnown) }
  }
}
