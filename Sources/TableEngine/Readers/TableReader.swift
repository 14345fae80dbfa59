import Queues
import Synchronization
import TableFinding
import TableModel
import TableStore

/// The readers' side of one table: its versions, and the replies that lead from one to another.
///
/// The event loops ask it, and find most replies made; its rendering queue makes the others. Only the table's writer
/// publishes.
final class TableReader: Sendable {
  let versions: TableVersions
  let replies: ReplyCache
  /// The topic that wakes the plain table's waiters.
  let topic = ChangeTopic.random()
  let context: EngineContext
  let maker: QueueBound<ReplyMaker>
  /// The cells that rows are drawn with now, and the drawn rows.
  let drawing: Mutex<CellRegistry>
  let waiting = Mutex(WaitedLenses())
  /// Called when a reply was made that is kept, by who has to know what that takes.
  let keptReply = LateFunction<@Sendable () -> Void>()
  /// When the store was found to have nothing that is not here; nil where it has nothing of the table.
  let lastLook = Mutex<ContinuousClock.Instant?>(nil)
  let changes = Mutex(FirstAffectedRows())
  /// Nil until somebody waits with a window.
  let forgotten = Mutex<ForgottenChanges?>(nil)
  let drawings = Mutex(DrawnVersions())
  let few: Mutex<FewChanges>
  let turns = Mutex(ReplyTurns())
  let askers = Mutex(JoinedAskers())
  /// The bytes of the changes that are kept, and of the rows drawn for clients that can't show all cells.
  let drawnBytes = Atomic(0)
  let finding: Mutex<TableFinders>
  let standings = Mutex(FoundStandings())
  /// By the table's definition rows may offer edits or moves.
  let editsOffer: Atomic<Bool>
  /// How many changesets have been computed.
  let changesetCount = Atomic(0)

  init(
    name: String,
    versions: TableVersions,
    cells: CellRegistry,
    finding: TableFinder?,
    offersEdits: Bool,
    isMember: Bool,
    context: EngineContext
  ) {
    (self.versions, self.context) = (versions, context)
    editsOffer = Atomic(offersEdits)
    self.finding = Mutex(TableFinders(finding))
    replies = ReplyCache(history: versions.history)
    drawing = Mutex(cells.keeping(DrawnRows(context.findMemory)))
    few = Mutex(FewChanges(name: name))
    maker = QueueBound(
      ReplyMaker(name: name),
      on: context.queue("tablecast.render.\(name)", isMember: isMember)
    )
  }

  // MARK: Lenses

  /// Returns the lens of a client's request on this table, with the cells that it has now. Where no row can be edited, callers who
  /// may edit and who may not share it.
  func lens(_ request: LensRequest, after: Cursor?) -> Lens {
    let rows = request.rows(after: after)
    let lens =
      if let cells = request.cells {
        Lens(cells, of: drawing.withLock { $0 }, view: request.view, rows: rows, find: request.find)
      } else {
        Lens(view: request.view, rows: rows, find: request.find)
      }
    return self.lens(withoutMissingMenus(lens), mayEdit: request.mayEdit)
  }

  /// The same lens, for a caller who may edit the table or may not.
  func lens(_ lens: Lens, mayEdit: Bool) -> Lens { lens.offering(edits: mayEdit || !offersEdits) }

  /// Returns whether rows may offer edits or moves, so that a reply depends on whether its caller may edit.
  var offersEdits: Bool { editsOffer.load(ordering: .relaxed) }

  /// The view of a lens, where something was tapped in it.
  func view(_ lens: Lens) -> TappedView? {
    guard let name = lens.view, let state = context.views.state(of: name, table: versions.epoch), state.taps > 0 else {
      return nil
    }
    return view(name, state)
  }

  private func view(_ name: String, _ state: ViewState) -> TappedView {
    TappedView(name: name, taps: UInt64(state.taps), state: state)
  }

  /// - Parameter lens: as it is with the cells that there are now.
  func cursor(_ version: Version, _ lens: Lens, _ view: TappedView?) -> Cursor {
    var tag = LensTag(rows: lens.rows, view: view?.digest(over: version), cells: drawing(of: version, lens)?.tag)
    tag.find = lens.find.map { .search($0) }
    func cursor() -> Cursor {
      Cursor(epoch: version.cursor.epoch, version: version.number, taps: view?.taps ?? 0, lens: tag)
    }
    let whole = cursor()
    guard let find = lens.find, whole.description.utf8.count > Cursor.maximumLength else { return whole }
    tag.find = .digest(find.digest)
    return cursor()
  }

  /// The cursor of a version as a lens shows it.
  func cursor(_ version: Version, _ lens: Lens) -> Cursor { cursor(version, current(lens, version), view(lens)) }

  /// The cursor of a version in a view that is about to be shown.
  func cursor(_ version: Version, _ lens: Lens, tapped state: ViewState) -> Cursor {
    cursor(version, current(lens, version), lens.view.map { view($0, state) })
  }

  struct TappedView {
    var name: String
    var taps: UInt64
    var state: ViewState
    var point: ViewPoint { ViewPoint(toggled: state.toggled(at: state.taps)) }

    /// Returns its name in the cursors of a version.
    func digest(over version: Version) -> LensTag.Digest { state.digest(name: name, over: version.rowKinds) }
  }

  // MARK: Waiting

  /// Returns the topics that wake a waiter with this lens.
  func topics(_ lens: Lens) -> [ChangeTopic] {
    [topic(WaitedLenses.Kind(lens))] + (lens.view.map { [context.views.topic(view: $0)] } ?? [])
  }

  private func topic(_ kind: WaitedLenses.Kind) -> ChangeTopic {
    var value = topic.rawValue
    if let rows = kind.rows {
      value &+= UInt64(rows.rows) &* 0x9e37_79b9_7f4a_7c15 &+ UInt64(rows.from) &* 0xc2b2_ae3d_27d4_eb4f
    }
    if let find = kind.find { value &+= UInt64(truncatingIfNeeded: find.hashValue) | 1 }
    return ChangeTopic(rawValue: value)
  }

  /// Counts a waiter by its window, and uses its view.
  ///
  /// - Parameter after: what it has seen.
  func beginWaiting(_ lens: Lens, after: Cursor?, for group: WaiterGroup? = nil) {
    waiting.withLock { $0.begin(WaitedLenses.Kind(lens), after: after, group) }
    if let view = lens.view { context.views.beginFollowing(view, table: versions.epoch) }
  }

  func endWaiting(_ lens: Lens, for group: WaiterGroup? = nil) {
    let kind = WaitedLenses.Kind(lens)
    if kind.find == nil {
      waiting.withLock { $0.end(kind, group) }
    } else {
      // Its reply goes by what is noted of the versions until now: some of them may not be announced yet.
      inTurn(nil) { [self] in waiting.withLock { $0.end(kind, group) } }
    }
    if let view = lens.view { context.views.endFollowing(view, table: versions.epoch) }
  }

  /// By window, how many wait; nil is the whole table.
  var waiters: [WindowRange?: Int] {
    waiting.withLock { $0.byWindow }
  }

  /// Returns whether somebody waits with the window and the search of a lens. O(1).
  func isWaitedFor(_ lens: Lens) -> Bool { waiting.withLock { $0.counts[WaitedLenses.Kind(lens)] != nil } }

  /// Wakes all waiters, whatever has changed.
  func wakeAll() { context.wake(waiting.withLock { [topic] + $0.kinds.map { topic($0) } }) }

  /// Wakes those in whose window something changed. After the version can be read.
  func announce(
    _ published: Version,
    after previous: Version,
    preparing: @escaping @Sendable (TableReader, Version) -> Void
  ) {
    inTurn(nil) { [self] in
      let current = versions.current
      replies.retire(before: current.cursor)
      maker.access { $0.retire(before: current.cursor) }
      few.withLock { $0.retire(before: current.cursor) }
      drawing.withLock { $0.drawn }?.retire(rows: current.table.rowCount)
      changes.withLock { $0.forget(before: current.cursor) }
      // Found here where it is needed, so that those who look when they are woken find it made.
      if drawings.withLock({ $0.isUsed }) { _ = current.rowKinds }
      let kinds = waiting.withLock { $0.kinds }
      noteFound(kinds, after: previous, to: published)
      preparing(self, previous)
      // Who asked for menus where there were none waits for a window as it is.
      let isOfferedAnew = previous.table.offer != published.table.offer
      let changed = kinds.filter { kind in
        if isOfferedAnew { return true }
        // Woken where its own version is noted, and not before: there may be later ones already.
        guard kind.find == nil else { return isFoundAffected(kind, from: previous, to: published, nil) }
        return kind.rows.map { isAffected($0, from: previous, to: current, nil) } ?? false
      }
      context.wake([topic] + changed.map { topic($0) })
      retireFound(beside: published)
    }
  }
}
