import HTTPServer
import TableEngine
import TableModel

/// A request for a family's member that has not heard from its upstream yet: it waits for that, so that it is
/// answered with rows, or with the upstream's refusal, rather than with a table that is loading.
final class FirstFetch: Waiter {
  /// In seconds; a reader whose upstream takes longer sees the table loading.
  static let patience = 5.0

  private let table: LiveTable
  private let seconds: Double
  private let isAskedFor: Bool
  private let answer: @Sendable (Exchange, _ mayWait: Bool) -> Reply

  /// - Parameters:
  ///   - patience: seconds that the request wants to wait for anything; zero: not at all.
  ///   - isAskedFor: as ``Wait/isAskedFor``.
  ///   - answer: the reply, when the upstream has answered or the time is over.
  init(
    of table: LiveTable,
    patience: Double,
    isAskedFor: Bool,
    answer: @escaping @Sendable (Exchange, _ mayWait: Bool) -> Reply
  ) {
    (self.table, self.isAskedFor, self.answer) = (table, isAskedFor, answer)
    seconds = min(patience, Self.patience)
  }

  func begin(_ exchange: Exchange) -> Reply {
    guard table.isAwaitingUpstream, seconds > 0 else { return answer(exchange, true) }
    table.beginWaitingForRows()
    let topics = [Topic(table.topics(Lens())[0])]
    return .wait(Wait(topics: topics, timeout: .seconds(seconds), isAskedFor: isAskedFor, waiter: self))
  }

  func woken(_ exchange: Exchange) -> Reply? {
    guard !table.isAwaitingUpstream else { return nil }
    abandoned()
    return answer(exchange, true)
  }

  func timedOut(_ exchange: Exchange) -> Reply {
    abandoned()
    return answer(exchange, false)
  }

  func abandoned() { table.endWaiting(Lens()) }
}
