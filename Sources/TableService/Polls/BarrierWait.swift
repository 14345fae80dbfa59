import HTTPServer
import Synchronization
import TableEngine
import TableModel

/// A request that only the store can tell the answer to: what replicas write, the others hear of some milliseconds
/// later, and a client that moves between them may come before that. It waits, on no thread, until its tables have been
/// read.
final class BarrierWait: Waiter {
  /// The member to be read.
  struct Member: Sendable {
    var table: LiveTable
    var view: String? = nil
  }

  /// Answers the request when the read barrier is over.
  typealias Answer = @Sendable (Exchange, LookOutcome) -> Reply

  private let members: [Member]
  private let server: WakingServer
  private let answer: Answer
  private let topic = Topic(rawValue: .random(in: .min ... .max))
  private let left: Atomic<Int>
  private let outcome = Mutex(LookOutcome.read)

  /// In seconds; tables give up before.
  private static let patience = 5

  init(
    of members: [Member],
    _ server: WakingServer,
    answer: @escaping Answer
  ) {
    (self.members, self.server, self.answer) = (members, server, answer)
    left = Atomic(members.count)
  }

  /// For what waits anyway, and is counted among those who do.
  func begin() -> Reply {
    // The request is registered by then: a wake is a message to its loop, which is busy with it.
    read { [self] in server.wake([ChangeTopic(topic)]) }
    return .wait(Wait(topics: [topic], timeout: .seconds(Self.patience), waiter: self))
  }

  /// For what mostly doesn't: this is not counted among those who do.
  func begin(_ exchange: Exchange) -> Reply {
    read { [self] in exchange.finish(answer(exchange, outcome.withLock { $0 })) }
    return .later
  }

  private func read(_ completion: @escaping @Sendable () -> Void) {
    for member in members {
      member.table.readBarrier(view: member.view) { [self] outcome in
        self.outcome.withLock { $0 = $0.and(outcome) }
        if left.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { completion() }
      }
    }
  }

  func woken(_ exchange: Exchange) -> Reply? {
    left.load(ordering: .acquiring) == 0 ? answer(exchange, outcome.withLock { $0 }) : nil
  }

  /// It takes too long, or the service ends: what others have written is not known.
  func timedOut(_ exchange: Exchange) -> Reply { answer(exchange, .late) }

  func abandoned() {}
}

extension ChangeTopic {
  fileprivate init(_ topic: Topic) { self.init(rawValue: topic.rawValue) }
}

extension TableCall {
  /// The member that has to be read before this is answered; nil for none.
  var behind: BarrierWait.Member? {
    // Mostly no table is behind, and nothing of the request need be looked at.
    guard table.mayBeBehind, let lens = try? lensRequest else { return nil }
    let waits = (try? parsed.wait.get()) != 0
    return table.isBehind(lens, after: request.position, waits: waits)
      ? BarrierWait.Member(table: table, view: lens.view) : nil
  }
}

extension Request {
  /// The cursor that a reader stands at; nil where it asks for what there is now, or says it in a way that is none.
  private var positionText: String? { header(.lastEventID).flatMap { $0.isEmpty ? nil : $0 } }

  fileprivate var position: Cursor? {
    positionText.flatMap { Cursor($0) } ?? (try? parsed.after.get()) ?? nil
  }
}
