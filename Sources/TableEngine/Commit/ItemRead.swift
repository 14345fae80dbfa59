import Queues
import TableModel
import TableStore

/// A read of the represented object of a row. What is under way when it comes is in the answer, which waits until that is stored: else
/// somebody would be shown what may never be.
struct ItemRead: TableJob {
  let writer: TableWriter
  let row: String
  /// Also that of an item without a row.
  let orHidden: Bool

  typealias Completion = @Sendable (Result<RepresentedObject, TableError>) -> Void

  /// On any queue, as is `completion`.
  func begin(_ completion: @escaping Completion) {
    content.queue.async { read(attempts: TableWriter.attemptsToFollow, completion) }
  }

  /// On the table's queue.
  private func read(attempts: Int, _ completion: @escaping Completion) {
    let found = found
    let again: @Sendable () -> Void = { read(attempts: attempts - 1, completion) }
    let isWaiting = attempts > 0 && content.access { $0.commits.whenStored({ completion(found) }, undone: again) }
    if !isWaiting { completion(found) }
  }

  private var found: Result<RepresentedObject, TableError> {
    let object = content.access { content in
      content.refreshResult(named: name)
      defer { content.letGoOfPart() }
      // Where rows are the callers' own, hidden ones are others'.
      return content.object(row).flatMap { $0.isHidden && content.isOfCallers ? nil : $0 }
    }
    if let object, orHidden || !object.isHidden { return .success(object) }
    return .failure(content.access { $0.missing(row, in: writer.versions.current.table) })
  }
}
