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
  private let state: Mutex<State>

  private struct State {
    var outcome = LookOutcome.read
    /// ``LiveTable/setBacks`` of the members when their barriers passed, and how often they were read.
    var (setBacks, rounds): ([Int], Int)
  }

  /// In seconds; tables give up before.
  private static let patience = 5
  /// Members are read so often at most.
  private static let rounds = 5

  init(
    of members: [Member],
    _ server: WakingServer,
    answer: @escaping Answer
  ) {
    (self.members, self.server, self.answer) = (members, server, answer)
    left = Atomic(members.count)
    state = Mutex(State(setBacks: members.map(\.table.setBacks), rounds: 0))
  }

  /// For what waits anyway, and is counted among those who do.
  ///
  /// - Parameter isAskedFor: as ``Wait/isAskedFor``.
  func begin(isAskedFor: Bool) -> Reply {
    // The request is registered by then: a wake is a message to its loop, which is busy with it.
    readAndWake()
    return .wait(Wait(topics: [topic], timeout: .seconds(Self.patience), isAskedFor: isAskedFor, waiter: self))
  }

  /// For what mostly doesn't: this is not counted among those who do.
  func begin(_ exchange: Exchange) -> Reply {
    read { [self] in
      if isSetBack { _ = begin(exchange) } else { exchange.finish(answer(exchange, outcome)) }
    }
    return .later
  }

  private func readAndWake() { read { [self] in server.wake([ChangeTopic(topic)]) } }

  private var outcome: LookOutcome { state.withLock { $0.outcome } }

  /// True if a member was set back since its barrier has passed, and is to be read again: what it shows may be older than what was
  /// committed before.
  private var isSetBack: Bool {
    state.withLock { state in
      guard state.outcome == .read, state.setBacks != members.map(\.table.setBacks) else { return false }
      if state.rounds == Self.rounds { state.outcome = .late }
      return state.outcome == .read
    }
  }

  private func read(_ completion: @escaping @Sendable () -> Void) {
    left.store(members.count, ordering: .releasing)
    state.withLock { $0.rounds += 1 }
    for (place, member) in members.enumerated() {
      member.table.readBarrier(view: member.view) { [self] outcome, setBacks in
        state.withLock { state in
          state.outcome = state.outcome.and(outcome)
          state.setBacks[place] = setBacks
        }
        if left.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { completion() }
      }
    }
  }

  func woken(_ exchange: Exchange) -> Reply? {
    guard left.load(ordering: .acquiring) == 0 else { return nil }
    guard !isSetBack else {
      readAndWake()
      return nil
    }
    return answer(exchange, outcome)
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
