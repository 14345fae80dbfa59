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
///
/// Members of families, and tables that show or look up the items beside those of their own source, borrow them: they follow
/// as guests do, and edit nothing.
extension TableWriter {
  /// Follows the keeper's items. On any queue.
  func follow(_ own: TableContent.OwnState, of keeper: TableWriter, publishing: Bool) {
    guard let items = own.items else { return }
    if self.keeper === keeper {
      follow(publishing: publishing) { $0.follow(items, at: own.base, of: keeper.storedName) }
    }
    let borrowed = loans.withLock { $0.filter { $0.keeper === keeper }.map(\.source) }
    guard !borrowed.isEmpty else { return }
    // What no store has each replica shows by itself.
    follow(publishing: isStored ? publishing && (context.replica.isLeading || !isShared) : true) { content in
      for source in borrowed { content.borrow(items, of: source, at: own.base, of: keeper.storedName) }
    }
  }

  /// Whether it shows items that another one keeps.
  func follows(_ keeper: TableWriter) -> Bool {
    self.keeper === keeper || loans.withLock { $0.contains { $0.keeper === keeper } }
  }

  /// Gives this table as it lays out an edit, and what then is left of the request. A condition that does not hold by what is
  /// known here may do so by what another replica has stored. On the table's queue.
  func asGuest(_ request: EditRequest, _ body: @escaping @Sendable (Guest, EditRequest) -> Void) {
    let judge: @Sendable () -> Void = { [self] in
      let (guest, own) = asGuest(request)
      body(guest, own)
    }
    let isMet = request.preconditions.condition?.holds(for: feed.current.cursor) ?? true
    guard !isMet, needsReadBarrier else { return judge() }
    readBarrier { [content] _ in content.queue.async(execute: judge) }
  }

  private func asGuest(_ request: EditRequest) -> (Guest, EditRequest) {
    let content = content.access { content in
      content.refreshResult(named: name)
      return content
    }
    var request = request
    guard content.local != nil else {
      request.preconditions = original(of: request.preconditions)
      return (Guest(name: name, content: content, nil, at: feed.latest), request)
    }
    // A version that is only prepared may never be stored: another replica's has its number then.
    let guest = Guest(name: name, content: content, request.preconditions.condition, at: feed.current)
    request.preconditions.condition = nil
    return (guest, request)
  }

  /// A family's member follows what it has borrowed from now on, and is given what was edited since it was made.
  func comeAsGuest() {
    for keeper in loans.withLock({ $0.compactMap(\.keeper) }) {
      keeper.guests.withLock { $0.come(self) }
      keeper.content.queue.async { keeper.share() }
    }
  }

  /// A family's member is gone.
  func leaveAsGuest() {
    for keeper in loans.withLock({ $0.compactMap(\.keeper) }) { keeper.guests.withLock { $0.go(self) } }
  }

  /// Has the keeper carry an edit out, and answers when this table shows it.
  ///
  /// - Parameter guest: the table that the client sees, where that is this one in another language.
  func edit(
    _ request: EditRequest,
    as guest: Guest? = nil,
    keptBy keeper: TableWriter,
    _ completion: @escaping @Sendable (EditResult) -> Void
  ) {
    var request = request
    // Its key is this table's, whoever keeps the items when it is repeated.
    request.preconditions.idempotency?.table = storedName
    content.queue.async { [self, request] in
      if let error = refusal(of: EditPreconditions()) { return completion(.failure(error)) }
      let carryOut: @Sendable (Guest, EditRequest) -> Void = { [self] guest, own in
        keeper.edit(own, as: guest) { [self] outcome in
          afterFollowing { [self] in answer(request, as: outcome, of: keeper, completion) }
        }
      }
      if let guest { carryOut(guest, request) } else { asGuest(request, carryOut) }
    }
  }

  /// Answers a request that another table has carried out, with a version of this one that has it; a repeat as the first
  /// one was.
  func answer(
    _ request: EditRequest,
    as outcome: EditResult,
    of other: TableWriter,
    _ completion: @escaping @Sendable (EditResult) -> Void
  ) {
    guard case .success(let done) = outcome, done.cursor.epoch == other.feed.current.cursor.epoch else {
      return completion(outcome)
    }
    whenShown(isElsewhere: done.isRepeated) { shown in
      let cursor = shown.reader.cursor(shown.feed.current, request.lens)
      let answer = EditResult.success(EditAnswer(cursor: cursor, rows: done.rows, hasReplaced: done.hasReplaced))
      // What was kept with the edit itself has the other table's cursor.
      shown.remember(answer, for: request.preconditions.idempotency) { completion(answer) }
    }
  }

  /// Gives the table whose current version has an edit that was carried out, on its queue: another one where a configuration that
  /// was read meanwhile has put that in this one's place. On the table's queue.
  ///
  /// - Parameter isElsewhere: the edit may have come to another replica.
  private func whenShown(isElsewhere: Bool, _ body: @escaping @Sendable (TableWriter) -> Void) {
    guard !content.access({ $0.gate.isClosed }) else {
      return whenDecided { [self] in
        let shown = table.withLock { $0.value }?.present.writer ?? self
        shown.afterFollowing { body(shown) }
      }
    }
    guard isElsewhere, needsReadBarrier else { return body(self) }
    readBarrier { [self] _ in content.queue.async { [self] in body(self) } }
  }
}

/// Those that show one table's items.
struct Guests: Sendable {
  /// The tables that always live.
  var tables: [TableWriter] = []
  private var members: [ObjectIdentifier: TableWriter] = [:]
  /// What they are to show, at any time; nil where the table keeps none.
  var items: TableContent.OwnState?

  var all: [TableWriter] { tables + members.values }
  var isEmpty: Bool { tables.isEmpty && members.isEmpty }

  mutating func come(_ member: TableWriter) { members[ObjectIdentifier(member)] = member }
  mutating func go(_ member: TableWriter) { members[ObjectIdentifier(member)] = nil }
}

/// A table as it lays out items that another one keeps.
struct Guest: Sendable {
  let name: String
  /// All but the items, which are the keeper's.
  let content: TableContent
  /// As it is shown.
  let table: Table
  private let condition: Condition

  /// What `If-Match` asks for.
  private enum Condition {
    case none
    /// That the guest is still as it was when it was asked.
    case unchanged
    case failed
  }

  /// - Parameter latest: the guest's version that was stored last.
  init(name: String, content: TableContent, _ condition: VersionCondition?, at latest: Version) {
    (self.name, self.content, table) = (name, content, latest.table)
    self.condition =
      switch condition {
      case nil, .any: .none
      case .oneOf where condition?.holds(for: latest.cursor) == true: .unchanged
      case .oneOf: .failed
      }
  }

  /// What refuses an edit before it is tried, with the items as the keeper has them now.
  func refusal(on items: LocalItems?) -> TableError? {
    switch condition {
    case .none: nil
    case .unchanged: Table.same(table, laidOut(on: items).table.sharing(with: table)) ? nil : .movedOn
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
