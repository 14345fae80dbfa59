import Definitions
import Expressions
import JSON
import TableMapping
import TableModel
import TableStore

/// Edits tried out on a copy of a table's content: what comes of them is kept whole, or not at all. After a refusal it is of no use.
///
/// The table is laid out anew as seldom as can be: once for all edits that need not know what those before them have
/// made of it, as patches and deletions of different rows. It is a class, as what it changes is large.
final class EditSession {
  private(set) var content: TableContent
  /// The table with all edits up to the last layout: all of them when ``apply(_:)`` returns.
  private(set) var table: Table
  let name: String
  /// The rows' identities, an edit each.
  private var rows: [String] = []
  /// The last edit has put an item in the place of another.
  var hasReplaced = false
  /// Items that were changed since the last layout, by the edits that did.
  private var pending: [Pending] = []
  /// Additions to groups since the last layout.
  var joined = JoinedGroups()
  private(set) var touched: Set<ItemID> = []
  /// How often the table was laid out.
  private(set) var layouts = 0
  /// The edit that a layout on the way has refused.
  private var culprit: Int?
  /// The members that an added item gets that it lacks.
  let defaults: JSONValue
  /// Each caller has rows of their own.
  let isOfCallers: Bool

  private struct Pending {
    let edit: Int
    let item: ItemID
    let row: String?
    /// Where the item's row has to stand then.
    var target: Target?
  }

  /// The refusal of one of the edits.
  struct Refusal: Error {
    var edit: Int
    var error: TableError
  }

  /// - Parameter limits: of items and tables; `limits` of the configuration.
  init(
    on snapshot: consuming EditSnapshot,
    named name: String,
    caller: CallerFields = CallerFields([]),
    limits: LimitsDefinition = LimitsDefinition()
  ) {
    (content, table, self.name) = (snapshot.content, snapshot.table, name)
    defaults = content.local?.definition.defaults(for: caller) ?? .object([])
    isOfCallers = content.isOfCallers
    content.local?.items.limits.itemBytes = limits.itemBytes
    content.local?.items.limits.tableBytes = limits.tableBytes
  }

  /// Applies edits, each to what those before it have made. Returns the rows' identities.
  ///
  /// - Complexity: O(edits · log² items) where the table's sections let edits be laid out alone (``LayoutEdit``), else
  ///   O(items) to lay the table out anew; unchanged items are not mapped again. A place that an edit names takes a layout
  ///   before it and one behind it, unless it is the end of a group (``JoinedGroups``).
  func apply(_ edits: [Edit]) throws(Refusal) -> [String] {
    for (number, edit) in edits.enumerated() {
      let row: String
      do throws(TableError) { row = try apply(edit, number) } catch {
        // One before it may be the one to be refused.
        if culprit == nil, !pending.isEmpty { try layOut() }
        throw Refusal(edit: culprit ?? number, error: error)
      }
      rows.append(row)
    }
    try layOut()
    return rows
  }

  private func apply(_ edit: Edit, _ number: Int) throws(TableError) -> String {
    guard content.local != nil else {
      throw .forbidden("The table `\(name)` shows an upstream's items and is configured without `edits`.")
    }
    switch edit {
    case .insert(let item, let place): return try insert(item, place, number)
    case .put(let row, let item, let place, let condition): return try put(item, as: row, place, condition, number)
    case .patch(let row, let patch):
      return try self.patch(editable(row, .edit, "edited"), of: row, with: patch, number)
    case .delete(let row):
      let item = try editable(row, .edit, "deleted")
      _ = try change(item) { items throws(EditError) in try items.delete(item) }
      return row
    case .move(let row, let place):
      try settle()
      let item = try editable(row, .move, "moved")
      return try move(item, row: row, place)
    case .action(let row, let id, let body):
      // The row's actions depend on the edits before.
      try settle()
      let action = try content.action(id, of: row, in: table)
      // Its own condition says which items it may change.
      let item = try editable(row, [], "acted on")
      return try patch(item, of: row, with: action.patch(of: row, sent: body, in: content), number)
    }
  }

  /// The table, sharing what it can with the one that it follows.
  func shared(with other: Table) -> Table { content.share(table, with: other) }

  // MARK: Edits

  /// - Parameter identity: what the client has chosen; nil: the service chooses.
  func insert(
    _ body: JSONValue,
    as identity: String? = nil,
    _ place: EditPlace,
    _ number: Int
  ) throws(TableError) -> String {
    guard case .object = body else { throw .malformed("An item is a JSON object.") }
    // Behind anything but additions to groups, the ends of groups are not known. A deletion is in `touched` alone.
    if place != .end, joined.count < touched.count { try settle() }
    let joining = try joining(place)
    if place != .end, joining == nil { try settle() }
    let target = if let joining { joining } else { try target(of: place, moving: nil) }
    // A number would tell how many items others have added.
    let identity = identity ?? (isOfCallers ? ChosenIdentity.made(for: nil) : nil)
    let placed = target.membership.map { body.setting($0.path, to: $0.value) } ?? body
    try checkFields(adding: placed, sent: body, over: defaults)
    let defaults = defaults
    let item = try change(nil) { items throws(EditError) in
      try items.insert(placed, named: identity, default: defaults, at: target.place).id
    }
    touched.insert(item)
    expect(item, of: nil, by: number)
    if let joining {
      pending[pending.count - 1].target = joining
      joined.add(item, joining)
    }
    guard place != .end, joining == nil else { return identity ?? item.description }
    let row = try layOutOne()
    try verify(target, row: row)
    return row
  }

  private func patch(_ item: ItemID, of row: String, with patch: JSONValue, _ number: Int)
    throws(TableError) -> String
  {
    try checkFields(patching: item, with: patch)
    _ = try change(item) { items throws(EditError) in try items.patch(item, with: patch) }
    expect(item, of: row, by: number)
    return row
  }

  private func move(_ item: ItemID, row: String, _ place: EditPlace) throws(TableError) -> String {
    let target = try target(of: place, moving: row)
    if let membership = target.membership { try checkFields(patching: item, with: membership.patch, isPlacement: true) }
    try change(item) { items throws(EditError) in
      if let membership = target.membership { _ = try items.patch(item, with: membership.patch) }
      try items.move(item, to: target.place)
    }
    expect(item, of: row, by: rows.count)
    return try layOutPlaced(item, of: row, at: target)
  }

  /// Changes the items.
  func change<Result>(
    _ item: ItemID?,
    _ body: (inout LocalItems) throws(EditError) -> Result
  ) throws(TableError) -> Result {
    guard var items = content.local?.items else {
      throw .forbidden("The table `\(name)` has no items of its own.")
    }
    // Let go of the copy inside, so that the arrays are changed in place.
    content.local?.items = LocalItems.empty
    defer { content.local?.items = items }
    if let item { touched.insert(item) }
    do { return try body(&items) } catch {
      if isOfCallers, case .tableTooLarge = error { throw .hasNoRoom(table: name) }
      throw TableError(error)
    }
  }

  /// Remembers an item that an edit has changed: what becomes of its row, the next layout shows.
  func expect(_ item: ItemID, of row: String?, by edit: Int) {
    pending.append(Pending(edit: edit, item: item, row: row))
  }

  // MARK: Laying out

  /// Lays the table out with all edits so far, and sees what became of each. The identities of their rows are known then.
  private func layOut() throws(Refusal) {
    guard !touched.isEmpty else { return }
    let before = content.result
    table = content.table(named: name)
    layouts += 1
    // By the item of a later edit that has come before the item of an earlier one and has its identity.
    var takers: [ItemID: TableError] = [:]
    for (number, pending) in pending.enumerated() {
      if let error = takers[pending.item] { throw Refusal(edit: pending.edit, error: error) }
      let identity: String
      do throws(TableError) {
        identity = try self.identity(of: pending.item, after: before)
        if let target = pending.target { try verify(target, row: identity) }
      } catch {
        guard let taker = taker(of: pending.item, after: before),
          self.pending[number...].contains(where: { $0.item == taker })
        else {
          throw Refusal(edit: pending.edit, error: error)
        }
        takers[taker] = error
        continue
      }
      // An item in several sections has several rows: the one that was named, if it is still there.
      let isNamedOne = if let row = pending.row { item(of: content.result?.item(row)) == pending.item } else { false }
      if rows.indices.contains(pending.edit), !isNamedOne { rows[pending.edit] = identity }
    }
    if let error = refusalOfWork(after: before) { throw Refusal(edit: pending.last?.edit ?? 0, error: error) }
    (pending, touched, joined) = ([], [], JoinedGroups())
  }

  /// Returns the item that has the identity of another one, and has not had it before.
  private func taker(of item: ItemID, after before: MappingResult?) -> ItemID? {
    guard let local = content.local, let result = content.result, let position = local.items.index(of: item),
      let identity = result.identity(ofOwned: item.rawValue, at: position, of: local.source)
    else { return nil }
    let taker = self.item(of: result.item(identity))
    return taker == item || taker == self.item(of: before?.item(identity)) ? nil : taker
  }

  /// Returns the refusal of an edit after which the items are too much work to be laid out again, as when the service
  /// starts. Items that are so already may get less.
  private func refusalOfWork(after before: MappingResult?) -> TableError? {
    guard let local = content.local, let result = content.result, let before else { return nil }
    let (work, maximum) = (result.work(for: local.source), result.maximumWork(forItems: local.items.count))
    guard work > maximum, work > before.work(for: local.source) else { return nil }
    guard !isOfCallers else { return .hasNoRoom(table: name) }
    return TableError(
      .tooLarge,
      detail:
        "The expressions for the table's items would take \(work) steps, and at most \(maximum) for so many items "
        + "(`limits.mappingWork`)."
    )
  }

  /// Before an edit that has to see what those before it have made; what refuses one of those, refuses it.
  func settle() throws(TableError) {
    do throws(Refusal) {
      try layOut()
    } catch {
      culprit = error.edit
      throw error.error
    }
  }

  /// After an edit that has put the item of a row in a place. Returns the row, or the item's first one where it has not
  /// got that one any more: in another section it has another row.
  func layOutPlaced(_ item: ItemID, of row: String, at target: Target) throws(TableError) -> String {
    let first = try layOutOne()
    try verify(target, row: first)
    return self.item(of: content.result?.item(row)) == item ? row : first
  }

  /// After an edit that was laid out alone. Returns its row's identity.
  func layOutOne() throws(TableError) -> String {
    let item = pending.last?.item
    let before = content.result
    try settle()
    guard let item else { return "" }
    return try identity(of: item, after: before)
  }
}

extension LocalDefinition {
  /// Returns the members that an item gets that it lacks, where this caller adds it.
  fileprivate func defaults(for caller: CallerFields) -> JSONValue {
    defaultTemplate.map { JSONValue(caller.value($0)) } ?? defaultItem
  }
}
