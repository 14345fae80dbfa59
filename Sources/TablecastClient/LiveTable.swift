/// One table of a service. It is a value without state: all values with the same address and screen share the shown
/// rows.
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

  /// The shown state; nil until there is one. Of tables that nobody observes, those that were left last have one.
  public var snapshot: TableSnapshot? { engine.shown[address] }

  /// Follows the table until the observation is cancelled or released.
  ///
  /// `receive` is called on a queue of the client, and should return soon. If there is a state already, it is called at
  /// once with a `reset`. Then it is called with every change, in order.
  public func observe(_ receive: @escaping @Sendable (TableChange) -> Void) -> TableObservation {
    engine.observe(address, window: window, receive: receive)
  }

  /// The changes as a sequence. The table is followed during the iteration. If the reader is slow, the oldest changes
  /// are dropped. The reader notices this by `from`, and gets the stages from the snapshot
  /// (`TableSnapshot.stages(from:)`).
  public var changes: AsyncStream<TableChange> {
    AsyncStream(bufferingPolicy: .bufferingNewest(16)) { continuation in
      let observation = observe { continuation.yield($0) }
      continuation.onTermination = { _ in observation.cancel() }
    }
  }

  /// Widens the window by its first number of rows. Does nothing if the table has no more rows. A window of 10,000
  /// rows, the maximum, moves on: it drops its first rows.
  public func loadMore() {
    guard let window, let shown = snapshot?.window, shown.hasMore else { return }
    engine.perform { $0.handle(.widen(address, RowWindow(shown).longer(by: window.rows))) }
  }

  /// Adds rows before the window, if it does not begin with the table's first row.
  public func loadPrevious() {
    guard let window, let shown = snapshot?.window, shown.hasPrevious else { return }
    engine.perform { $0.handle(.widen(address, RowWindow(shown).earlier(by: window.rows))) }
  }

  /// Moves the window to a range of rows, counted from 0, at most 10,000. This holds for all who follow the table at
  /// this address. Rows in both windows stay.
  public func show(_ rows: ClosedRange<Int>) { engine.perform { $0.handle(.widen(address, RowWindow(rows))) } }

  // MARK: Finding

  /// Shows the found rows in place of the whole table, in the same views. Each search leads to the next by stages, so
  /// searching while typing is an animation. The search holds for all who follow the table at this address and screen,
  /// as long as somebody does.
  ///
  /// The client sends the text 150 ms after the last letter, and ignores answers to older searches. `find()` without
  /// arguments only asks for the filters and sorts that there are (`TableSnapshot.find`).
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

  /// Asks once more for a table that the service refused.
  public func reload() { engine.perform { $0.handle(.reload(address)) } }

  public func pause(_ reason: String) { engine.perform { $0.handle(.pause(reason, address)) } }
  public func resume(_ reason: String) { engine.perform { $0.handle(.resume(reason, address)) } }

  // MARK: Edits

  /// Does an edit. It is shown at once, and sent in its turn. Its states follow, until one of them `isOver`.
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

  /// Sends a `refused` or `unknown` edit again, when the user wants it. An unknown edit keeps its key. If the service
  /// had done it and has forgotten the key, it does it a second time.
  public func retry(_ id: EditID) {
    engine.perform { engine in engine.change(address.table) { $0.retry(id, now: engine.now, date: engine.date) } }
  }

  /// Drops an edit that was refused, is unknown, or was not sent yet. An edit that was sent already may have been done,
  /// and becomes `unknown`. A confirmed edit is not affected.
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

  /// Changes the item of a row by a JSON merge patch. `preview` is a merge patch of the shown payload.
  @discardableResult
  public func patch(_ row: String, _ patch: JSONText, preview: JSONText? = nil) -> PendingEdit {
    perform(.patch(row: row, patch, preview: preview))
  }

  @discardableResult
  public func delete(_ row: String) -> PendingEdit { perform(.delete(row: row)) }

  @discardableResult
  public func move(_ row: String, to place: EditPlace) -> PendingEdit { perform(.move(row: row, place)) }

  /// Expands or folds the row in this view. The answer has `object` and `select`.
  @discardableResult
  public func tap(_ row: String) -> PendingEdit { perform(.tap(row: row)) }

  @discardableResult
  public func act(_ action: String, on row: String, body: JSONText? = nil) -> PendingEdit {
    perform(.action(row: row, id: action, body: body))
  }

  /// Lets the service fetch the table's sources now.
  @discardableResult
  public func refresh() -> PendingEdit { perform(.refresh) }
}

/// An edit that was begun, and its states.
public struct PendingEdit: Sendable {
  public let id: EditID
  /// `local`, `sent`, `acknowledged`, and a last one; `local` again if it has to be sent again. Only one task may read
  /// this.
  public let states: AsyncStream<EditState>
  let end: EditOutcome

  /// The identity of an added row: for good if the table accepts it, otherwise until the service has named the row.
  public var row: String { id.localRow }

  /// Waits until the edit is `confirmed`, `refused` or `unknown`, or `acknowledged` if the service refuses to show the
  /// table. The table's snapshot agrees with it then. If the task is cancelled, or the client ends, the result is the
  /// state at that time. Any number of tasks may wait.
  public func outcome() async -> EditState { await end.value }
}
