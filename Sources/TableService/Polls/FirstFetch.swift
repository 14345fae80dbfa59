import HTTPServer
import TableEngine
import TableModel

/// A request for members of families that have not heard from their upstream yet: it waits for that, so that it is
/// answered with rows, or with the upstream's refusal, rather than with a table that is loading.
final class FirstFetch: Waiter {
  /// In seconds; a reader whose upstream takes longer sees the table loading.
  static let patience = 5.0

  private let tables: [LiveTable]
  private let seconds: Double
  private let answer: @Sendable (Exchange, _ mayWait: Bool) -> Reply

  /// - Parameters:
  ///   - patience: seconds that the request wants to wait for anything; zero: not at all.
  ///   - answer: the reply, when the upstreams have answered or the time is over.
  init(of tables: [LiveTable], patience: Double, answer: @escaping @Sendable (Exchange, _ mayWait: Bool) -> Reply) {
    (self.tables, self.answer) = (tables, answer)
    seconds = min(patience, Self.patience)
  }

  func begin(_ exchange: Exchange) -> Reply {
    guard isAwaited, seconds > 0 else { return answer(exchange, true) }
    for table in tables { table.beginWaitingForRows() }
    let topics = tables.map { Topic($0.topics(Lens())[0]) }
    return .wait(Wait(topics: topics, timeout: .seconds(seconds), waiter: self))
  }

  func woken(_ exchange: Exchange) -> Reply? {
    guard !isAwaited else { return nil }
    abandoned()
    return answer(exchange, true)
  }

  func timedOut(_ exchange: Exchange) -> Reply {
    abandoned()
    return answer(exchange, false)
  }

  func abandoned() {
    for table in tables { table.endWaiting(Lens()) }
  }

  private var isAwaited: Bool { tables.contains(where: \.isAwaitingUpstream) }
}
