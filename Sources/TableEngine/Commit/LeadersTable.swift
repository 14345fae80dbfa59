import Dispatch
import Queues

/// A table as the leader has it, for a replica whose configuration does not count. The leader's configuration may lack
/// the table, or name its source otherwise: nobody makes versions of it then, or nobody can show an edit of it.
struct LeadersTable: TableJob {
  /// Of the table that the client sees.
  let writer: TableWriter

  /// Another replica makes the versions, by another configuration.
  var isInQuestion: Bool { isShared && !context.replica.isLeading && context.replica.refusal != nil }

  /// Asks the leader for the table, where this replica's configuration does not count.
  ///
  /// - Parameters:
  ///   - source: it has to be fed by a source of this name.
  ///   - completion: given the refusal of what only the leader can show; nil: it can show it. On any queue, after some
  ///     ten seconds at most.
  func whenFound(fedBy source: String? = nil, _ completion: @escaping @Sendable (TableError?) -> Void) {
    guard isInQuestion else { return completion(nil) }
    context.replica.askLeader(.findTable(writer.sharedName, source: source)) { [name] outcome in
      switch outcome {
      case .success(nil): completion(nil)
      case .success: completion(.isUnknownToLeader(name))
      case .failure(let error): completion(error)
      }
    }
  }

  // MARK: Reading

  /// So long does a read wait for the leader's answer.
  private static let patience = DispatchTimeInterval.seconds(1)

  /// Finds out whether the leader has the table, for a read of upstreams' items. Of items of the service's own their
  /// revisions tell whether a version is old (``ReadBarrier``).
  ///
  /// - Parameter completion: ``LookOutcome/late`` where the leader lacks it; on any queue, after a second at most.
  ///   Without a leader that answers, what was known last counts.
  func look(_ completion: @escaping StoreLooks.Completion) {
    // The original asks for its translations.
    guard isShared, context.replica.isOverruled, !writer.isTranslation else { return completion(.read) }
    content.queue.async {
      let isFed = content.access { !$0.inputs.isEmpty }
      guard isFed, !context.replica.isLeading, context.replica.isReachable else { return completion(.read) }
      switch content.access({ $0.leaderAnswers.look(completion, at: .now) }) {
      case .known(let outcome): completion(outcome)
      case .waits: break
      case .asks(let question): ask(question)
      }
    }
  }

  /// One question for all who read meanwhile. On the table's queue.
  private func ask(_ question: UInt64) {
    content.queue.asyncAfter(deadline: .now() + Self.patience) {
      tell(content.access { $0.leaderAnswers.giveUp(question) })
    }
    context.replica.askLeader(.findTable(writer.sharedName, source: nil)) { outcome in
      let isFound: Bool? = if case .success(let word) = outcome { word == nil } else { nil }
      content.queue.async { tell(content.access { $0.leaderAnswers.end(isFound: isFound, at: .now) }) }
    }
  }

  private func tell(_ told: (readers: [StoreLooks.Completion], outcome: LookOutcome)) {
    for completion in told.readers { completion(told.outcome) }
  }
}
