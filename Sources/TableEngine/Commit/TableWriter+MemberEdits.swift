import Logging
import Queues
import TableModel
import TableStore

/// Edits of items of the service's own through a member of a family: callers edit their own rows.
extension TableWriter {
  /// A request is planned so often where other replicas commit at the same time.
  private static let mostConflicts = 50

  /// Commits an edit. A member's versions are stored nowhere: what becomes of the items, and the answer, is; the member follows
  /// that as all tables do that show the items. At this table's turn.
  func commit(
    _ changes: ItemChanges,
    making items: LocalItems,
    to log: ItemLog,
    on head: ItemSnapshot,
    of session: EditSession,
    _ rows: [String],
    _ request: EditRequest,
    _ attempt: Attempt
  ) {
    guard var commit = log.begin(changes, making: items, plannedOn: head.revision) else { return attempt.retry() }
    let cursor = reader.cursor(versions.current, request.lens)
    let outcome = EditResult.success(EditAnswer(cursor: cursor, rows: rows, hasReplaced: session.hasReplaced))
    commit.reply = request.preconditions.idempotency.flatMap { StoredReply($0.asked(answersName), outcome) }
    context.store.commit(commit) { [self] result in
      // This one, too, is told before it answers.
      log.ended(result, by: nil)
      content.queue.async { [self] in
        switch result {
        case .success: answerWhenShown(outcome, request, attempt.completion)
        case .failure(.superseded) where request.conflicts < Self.mostConflicts:
          var request = request
          request.conflicts += 1
          unlessDone(request.preconditions.idempotency, attempt.completion) { [self, request] in
            carryOut(request, on: nil, isUpToDate: attempt.isUpToDate, attempt.completion)
          }
        case .failure(let error):
          context.logger.error("An edit could not be stored", metadata: ["table": "\(name)", "reason": "\(error)"])
          attempt.completion(.failure(TableError(error)))
        }
      }
    }
  }
}

extension Idempotency {
  /// As what was asked of a table, also where the answer is kept with the items that it shows.
  func asked(_ table: String) -> Idempotency {
    var asked = self
    asked.table = self.table ?? table
    return asked
  }
}
