import Definitions
import Dispatch
import Synchronization
import TableModel
import TableStore

/// Several tables that show one local source have one set of items. One of them, the *keeper*, has them in the store and
/// alone changes them; the others, its *guests*, follow, each with sections, versions and cursors of its own.
///
/// A guest's edit is laid out as the guest shows the items, for that is what its client speaks of; but on the keeper's
/// queue, among the keeper's own edits, and it is stored as one of them.
extension TableWriter {
  /// Follows the keeper's items. On any queue.
  func follow(_ own: TableContent.OwnState, publishing: Bool) {
    guard let items = own.items else { return }
    follow(publishing: publishing) { $0.follow(items, at: own.base) }
  }

  /// Has the keeper carry an edit out, and answers when this table shows it.
  func edit(
    _ request: EditRequest,
    keptBy keeper: TableWriter,
    _ completion: @escaping @Sendable (EditResult) -> Void
  ) {
    content.queue.async { [self] in
      if let error = refusal(of: EditPreconditions()) { return completion(.failure(error)) }
      let guest = Guest(name: name, content: content.access { $0 }, request.preconditions.condition, at: feed.latest)
      keeper.edit(request.withoutCondition, as: guest) { [self] outcome in
        afterFollowing { [self] in
          completion(outcome.map { EditAnswer(cursor: reader.cursor(feed.current, request.lens), rows: $0.rows) })
        }
      }
    }
  }
}

/// A table as it lays out items that another one keeps.
struct Guest: Sendable {
  let name: String
  /// All but the items, which are the keeper's.
  private let content: TableContent
  private let condition: Condition

  /// What `If-Match` asks for.
  private enum Condition {
    case none
    /// That the guest is still as it was when it was asked.
    case unchanged(Table)
    case failed
  }

  /// - Parameter latest: the guest's version, as its content is laid out.
  init(name: String, content: TableContent, _ condition: VersionCondition?, at latest: Version) {
    (self.name, self.content) = (name, content)
    self.condition =
      switch condition {
      case nil, .any: .none
      case .oneOf where condition?.holds(for: latest.cursor) == true: .unchanged(latest.table)
      case .oneOf: .failed
      }
  }

  /// What refuses an edit before it is tried, with the items as the keeper has them now.
  func refusal(on items: LocalItems?) -> TableError? {
    switch condition {
    case .none: nil
    case .unchanged(let table): Table.same(table, laidOut(on: items).table.sharing(with: table)) ? nil : .movedOn
    case .failed: .movedOn
    }
  }

  func session(on items: LocalItems?, limits: LimitsDefinition) -> EditSession {
    let (content, table) = laidOut(on: items)
    return EditSession(content, table: table, named: name, limits: limits)
  }

  private func laidOut(on items: LocalItems?) -> (content: TableContent, table: Table) {
    var content = content
    if let items { content.local?.items = items }
    let table = content.table(named: name)
    return (content, table)
  }
}

/// Where the local items are that a table shows.
enum ItemHouse {
  /// In the table itself, as far as it has any.
  case own
  /// In it, from now on: another one has kept them until now, and this is what it had.
  case inherited(LocalItems)
  /// In another table.
  case kept(by: TableWriter)

  var keeper: TableWriter? {
    if case .kept(let keeper) = self { keeper } else { nil }
  }
}

extension EditRequest {
  fileprivate var withoutCondition: EditRequest {
    var request = self
    request.preconditions.condition = nil
    return request
  }
}
