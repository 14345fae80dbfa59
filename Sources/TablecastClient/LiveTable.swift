/// One table of a service. A value without state: all of one address and screen share what is shown.
public struct LiveTable<Cell: CellModel>: Sendable {
  let engine: ClientEngine
  public let address: TableAddress
  let window: RowWindow?

  init(_ engine: ClientEngine, _ address: TableAddress, _ window: RowWindow?, _ screen: String?) {
    (self.engine, self.window) = (engine, window)
    var address = address
    if window != nil || screen != nil { address.screen = TableAddress.Screen(name: screen, window: window) }
    self.address = address
  }

  /// What is shown now; nil until there is something.
  public var snapshot: TableSnapshot? { engine.shown[address] }

  /// Follows the table until the observation is cancelled or gone.
  ///
  /// `receive` is called on a queue of the client's: at once with a `reset` where something is shown already, then with
  /// every change, in order. It should return soon.
  public func observe(_ receive: @escaping @Sendable (TableChange) -> Void) -> TableObservation {
    engine.observe(address, window: window, receive: receive)
  }

  /// The changes as a sequence, followed as long as somebody iterates. Of a reader that is slow the oldest go: it sees
  /// by `from` that some are missing, and asks the snapshot for the stages (`TableSnapshot.stages(from:)`).
  public var changes: AsyncStream<TableChange> {
    AsyncStream(bufferingPolicy: .bufferingNewest(16)) { continuation in
      let observation = observe { continuation.yield($0) }
      continuation.onTermination = { _ in observation.cancel() }
    }
  }

  /// Widens the window by as many rows as it began with; nothing where the table has no more. A window that has 10,000 rows,
  /// which is the most, goes on with those behind, and the first ones leave.
  public func loadMore() {
    guard let window, let shown = snapshot?.window, shown.hasMore else { return }
    engine.perform { $0.handle(.widen(address, RowWindow(shown).longer(by: window.rows))) }
  }

  /// Likewise with the rows before the window, where it doesn't begin with the table's first one.
  public func loadPrevious() {
    guard let window, let shown = snapshot?.window, shown.hasPrevious else { return }
    engine.perform { $0.handle(.widen(address, RowWindow(shown).earlier(by: window.rows))) }
  }

  /// Moves the window: the rows from one to another, counted from 0, both included, 10,000 at most. For all who follow the table
  /// at this address; what stands in both windows stays.
  public func show(_ rows: ClosedRange<Int>) { engine.perform { $0.handle(.widen(address, RowWindow(rows))) } }

  // MARK: Finding

  /// Shows what is found, in place of the whole table and bound to the same views: from any search to any other the
  /// service leads by stages, so that typing is an animation. For all who follow the table at this address and screen, and as
  /// long as somebody does.
  ///
  /// What is typed is asked for 150 ms after the last letter; of what is asked for, answers that were overtaken don't count.
  /// Without anything to look for, `find()` asks for what the table can be searched by (`TableSnapshot.find`).
  ///
  /// - Parameters:
  ///   - q: each of its words has to begin one of a row's.
  ///   - filters: values by filter, as `TableSnapshot.find` has them.
  ///   - sort: nil for the table's own order.
  public func find(q: String = "", filters: [String: Set<String>] = [:], sort: String? = nil) {
    find(TableSearch(q: q, filters: filters, sort: sort))
  }

  /// - Parameter search: nil ends finding: the whole table, without menus.
  public func find(_ search: TableSearch?) { engine.perform { $0.handle(.find(address, search)) } }

  /// Asks again for a table that the service refused.
  public func reload() { engine.perform { $0.handle(.reload(address)) } }

  public func pause(_ reason: String) { engine.perform { $0.handle(.pause(reason, address)) } }
  public func resume(_ reason: String) { engine.perform { $0.handle(.resume(reason, address)) } }

  // MARK: Edits

  /// Does an edit: shown at once, sent in its turn. Its states follow; they end with one that `isOver`.
  ///
  /// - Parameter version: only if the table has not moved on from there (`TableSnapshot.cursor`); else it is refused with 412.
  @discardableResult
  public func perform(_ edit: TableEdit, ifMatch version: TableCursor? = nil) -> PendingEdit {
    let id = EditID()
    let (states, continuation) = AsyncStream.makeStream(of: EditState.self)
    let outcome = EditOutcome()
    let course = EditCourse(continuation, outcome)
    engine.perform { $0.edit(address, edit, ifMatch: version, id: id, course) }
    return PendingEdit(id: id, states: states, end: outcome)
  }

  /// Sends an edit again that was `refused`, or one that ended `unknown`, with the key that it had: for the user to
  /// decide. The service does the latter a second time where it had done it and forgotten.
  public func retry(_ id: EditID) {
    engine.perform { engine in engine.change(address.table) { $0.retry(id, now: engine.now, date: engine.date) } }
  }

  /// Forgets an edit: one that was refused, of which nothing is known, or that is still to be sent. One that was under
  /// way may have been done, and ends `unknown`; one that is done already is not forgotten.
  public func discard(_ id: EditID) {
    engine.perform { engine in engine.change(address.table) { $0.discard(id, now: engine.now, date: engine.date) } }
  }

  @available(*, deprecated, renamed: "discard")
  public func dismiss(_ id: EditID) { discard(id) }

  /// - Parameters:
  ///   - item: `{}` takes the table's default item.
  ///   - preview: `{"cellIdentifier","payload"}`, shown until the service has made the row.
  @discardableResult
  public func add(_ item: JSONText, at place: EditPlace = .end, preview: JSONText? = nil) -> PendingEdit {
    perform(.add(item: item, place, preview: preview))
  }

  /// Changes the item behind a row by a JSON merge patch. `preview` is one of the payload that is shown.
  @discardableResult
  public func patch(_ row: String, _ patch: JSONText, preview: JSONText? = nil) -> PendingEdit {
    perform(.patch(row: row, patch, preview: preview))
  }

  @discardableResult
  public func delete(_ row: String) -> PendingEdit { perform(.delete(row: row)) }

  @discardableResult
  public func move(_ row: String, to place: EditPlace) -> PendingEdit { perform(.move(row: row, place)) }

  /// Expands or folds the row in this view; the answer has `object` and `select`.
  @discardableResult
  public func tap(_ row: String) -> PendingEdit { perform(.tap(row: row)) }

  @discardableResult
  public func act(_ action: String, on row: String, body: JSONText? = nil) -> PendingEdit {
    perform(.action(row: row, id: action, body: body))
  }

  /// Has the service fetch the table's sources now.
  @discardableResult
  public func refresh() -> PendingEdit { perform(.refresh) }
}

/// An edit on its way.
public struct PendingEdit: Sendable {
  public let id: EditID
  /// `local`, `sent`, `acknowledged`, then one that is over; `local` again where it has to be sent again. To be read by
  /// one task.
  public let states: AsyncStream<EditState>
  let end: EditOutcome

  /// The identity of an added row: the row has it from the beginning to the end where the table takes it, else until
  /// the service has named the row.
  public var row: String { id.localRow }

  /// Waits for the end: `confirmed`, `refused` or `unknown`; `acknowledged` where the service refuses to show the table.
  /// By then the table's snapshot shows what the answer says. Where the task is cancelled, or the client ends, it is the
  /// state as it was then. Any number of tasks may ask, at any time.
  public func outcome() async -> EditState { await end.value }
}
