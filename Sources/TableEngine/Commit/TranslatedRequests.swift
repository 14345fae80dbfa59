import Queues
import Synchronization
import TableModel
import TableStore

/// The requests of clients who see a table of an upstream in another language than the first. The original carries them out, as what
/// it shows is the same in all languages; what may be done is said by the table that the client sees.
struct TranslatedRequests: TableJob {
  /// Of the table that the client sees.
  let writer: TableWriter

  /// Gives the terms of a request in the original's versions: a client's condition names the newest stored version of this table, and
  /// stands for the one that this is of. The original compares that once more at its turn: what it has done meanwhile counts. What
  /// does not hold by what is known here may do so by what is on its way, or by what another replica has stored. On the table's queue.
  func translate(_ preconditions: EditPreconditions, _ body: @escaping @Sendable (EditPreconditions) -> Void) {
    guard let condition = preconditions.condition, condition != .any else { return body(preconditions) }
    let judge: @Sendable () -> Void = {
      let isMet = condition.holds(for: versions.current.cursor)
      var preconditions = preconditions
      preconditions.condition = .oneOf(isMet ? content.access { $0.storedOriginal }.map { [$0] } ?? [] : [])
      body(preconditions)
    }
    guard writer.needsReadBarrier else { return judge() }
    writer.readBarrier { [content] _ in content.queue.async(execute: judge) }
  }

  /// Gives the snapshot on which the original is to plan an edit, and the request in terms of the original. On the table's queue.
  func translate(_ request: EditRequest, _ body: @escaping @Sendable (EditSnapshot, EditRequest) -> Void) {
    translate(request.preconditions) { preconditions in
      var request = request
      request.preconditions = preconditions
      body(EditSnapshot(of: writer), request)
    }
  }

  /// Answers a request that the original has carried out, with a version of this table that has it; a repeat as the first one was.
  func answer(
    _ request: EditRequest,
    as outcome: EditResult,
    of other: TableWriter,
    _ completion: @escaping @Sendable (EditResult) -> Void
  ) {
    guard case .success(let done) = outcome, done.cursor.epoch == other.versions.current.cursor.epoch else {
      return completion(outcome)
    }
    whenShown(isElsewhere: done.isRepeated) { shown in
      let cursor = shown.reader.cursor(shown.versions.current, request.lens)
      let answer = EditResult.success(
        EditAnswer(cursor: cursor, rows: done.rows, hasReplaced: done.hasReplaced, unfit: done.unfit)
      )
      // Answers kept by earlier releases have the original's cursor.
      shown.answers.remember(answer, for: request.preconditions.idempotency) { completion($0) }
    }
  }

  /// Gives the table whose current version has an edit that was carried out, on its queue: another one where a configuration that
  /// was read meanwhile has put that in this one's place. On the table's queue.
  ///
  /// - Parameter isElsewhere: the edit may have come to another replica.
  private func whenShown(isElsewhere: Bool, _ body: @escaping @Sendable (TableWriter) -> Void) {
    guard !content.access({ $0.gate.isClosed }) else {
      return writer.whenShownInPlace(body)
    }
    guard isElsewhere, writer.needsReadBarrier else { return body(writer) }
    writer.readBarrier { _ in content.queue.async { body(writer) } }
  }
}
