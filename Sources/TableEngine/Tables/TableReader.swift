import Dispatch
import Synchronization
import TableDiff
import TableFinding
import TableModel
import TableStore

/// What readers see of one table: its versions, and the replies that lead from one to another.
///
/// The event loops ask it, and find most replies made; its rendering queue makes the others. Only the table's writer
/// publishes.
final class TableReader: Sendable {
  let feed: Feed
  let replies = ReplyCache()
  /// What the plain table's waiters are woken by.
  let topic = ChangeTopic.random()
  let context: EngineContext
  let maker: QueueBound<ReplyMaker>
  /// What rows are drawn with now: the maker's own, for those who are not on its queue.
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
  let turns = Mutex(ReplyTurns())
  /// What the rows take that are kept as clients are shown them that can't show all cells.
  let drawnBytes = Atomic(0)
  /// Nil where the table offers nothing to be found by.
  let finding: Mutex<TableFinder?>
  let standings = Mutex(FoundStandings())
  /// How many changesets have been computed.
  let changesetCount = Atomic(0)

  init(
    name: String,
    feed: Feed,
    cells: CellRegistry,
    finding: TableFinder?,
    isMember: Bool,
    context: EngineContext
  ) {
    (self.feed, self.context) = (feed, context)
    self.finding = Mutex(finding)
    drawing = Mutex(cells)
    maker = QueueBound(
      ReplyMaker(name: name, cells: cells),
      on: context.queue("tablecast.render.\(name)", isMember: isMember)
    )
  }

  // MARK: Lenses

  /// What a client's request means for this table, with the cells that it has now.
  func lens(_ request: LensRequest, after: Cursor?) -> Lens {
    let rows = request.rows(after: after)
    // Where there are no menus to ask for, who asks for them sees what all see.
    let find = request.find.flatMap { $0.isEmpty && offer == nil ? nil : $0 }
    guard let cells = request.cells else { return Lens(view: request.view, rows: rows, find: find) }
    return Lens(cells, of: drawing.withLock { $0 }, view: request.view, rows: rows, find: find)
  }

  /// The view of a lens, where something was tapped in it.
  func view(_ lens: Lens) -> TappedView? {
    guard let name = lens.view, let state = context.views.state(of: name, table: feed.epoch), state.taps > 0 else {
      return nil
    }
    return view(name, state)
  }

  private func view(_ name: String, _ state: ViewState) -> TappedView {
    TappedView(name: name, taps: UInt64(state.taps), state: state)
  }

  /// - Parameter lens: as it is with the cells that there are now.
  func cursor(_ version: Version, _ lens: Lens, _ view: TappedView?) -> Cursor {
    var tag = LensTag(rows: lens.rows, view: view?.digest(over: version), cells: drawing(of: version, lens))
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

  // MARK: Replies

  /// The snapshot of the plain table, if it is made: what most clients ask for. O(1).
  var plainSnapshot: EncodedReply? { replies.plainSnapshot(feed.current.cursor) }

  /// A snapshot, or the reply to a poll whose table has moved; if it is made already.
  func readyReply(_ query: TableQuery, to cursor: Cursor) -> EncodedReply? {
    // Replies to tapped views are never kept.
    guard cursor.taps == 0 else { return nil }
    let lens = current(query.lens, feed.current, query.after.flatMap(standing(at:)))
    return replies.reply(ReplyKey(TableQuery(query.kind, lens.shared), to: cursor))
  }

  /// Makes the reply on the rendering queue and gives it to `completion` there. Whoever asks for the same
  /// meanwhile waits for this one and finds it made.
  ///
  /// - Parameter waits: whoever is drawn otherwise by replicas whose configuration counts waits for these.
  func render(
    _ query: TableQuery,
    for asker: ReplyAsker,
    waits: Bool = true,
    _ completion: @escaping @Sendable (EncodedReply) -> Void
  ) {
    inTurn(asker) { [self] in completion(reply(query, waits: waits)) }
  }

  /// The reply to a poll that is told nothing but where it is, made on the rendering queue.
  func unchanged(
    at cursor: Cursor,
    for asker: ReplyAsker,
    _ completion: @escaping @Sendable (EncodedReply) -> Void
  ) {
    inTurn(asker) { [self] in
      completion(maker.access { $0.changes(after: cursor, to: cursor, .stages(Array("[]".utf8))) })
    }
  }

  /// Goes on with other cells.
  func draw(with cells: CellRegistry, named name: String) {
    maker.queue.sync {
      drawing.withLock { $0 = cells }
      maker.access { $0 = ReplyMaker(name: name, cells: cells) }
      // What is kept may say otherwise.
      replies.removeAll()
      changes.withLock { $0 = FirstAffectedRows() }
      drawings.withLock { $0 = DrawnVersions() }
    }
  }

  /// Forgets what can be made again. On the rendering queue.
  func forgetReplies() {
    replies.removeAll()
    maker.access { $0.forgetVariants() }
    drawnBytes.store(0, ordering: .relaxed)
  }

  /// A poll's reply or a snapshot, from the cache or made now. On the rendering queue.
  private func reply(_ query: TableQuery, waits: Bool = true) -> EncodedReply {
    let (version, view) = (feed.current, view(query.lens))
    let query = TableQuery(query.kind, current(query.lens, version, query.after.flatMap(standing(at:))))
    if waits, let after = query.after, isDrawnElsewhere(after, query.lens, view) {
      return maker.access { $0.changes(after: after, to: after, .stages(Array("[]".utf8))) }
    }
    return reply(query, version, view)
  }

  /// The same, of one version: a reset and its snapshot are of the same.
  private func reply(_ query: TableQuery, _ current: Version, _ view: TappedView?) -> EncodedReply {
    dispatchPrecondition(condition: .onQueue(maker.queue))
    if let after = query.after, isBeyondReach(after, query.lens) {
      return maker.access { $0.changes(after: after, to: after, .stages(Array("[]".utf8))) }
    }
    let to = cursor(current, query.lens, view)
    let key = ReplyKey(TableQuery(query.kind, query.lens.shared), to: to)
    if view == nil, let made = replies.reply(key) { return made }
    let made: EncodedReply
    switch query.kind {
    case .snapshot:
      let base = self.base(of: current, query.lens)
      made = maker.access { $0.snapshot($0.table(current, base, at: view?.point, query.lens), cursor: to) }
    case .changes(let after):
      let content = changes(after, current, view, query.lens)
      made = maker.access { $0.changes(after: after, to: to, content) }
    }
    if view == nil { replies.insert(made, for: key) }
    let drawn = maker.access { $0.variantBytes }
    let isMore = drawnBytes.exchange(drawn, ordering: .relaxed) < drawn
    if view == nil || isMore { keptReply.function?() }
    return made
  }

  /// The changes that lead a client from `after` to a version as its lens shows it.
  private func changes(_ after: Cursor?, _ current: Version, _ view: TappedView?, _ lens: Lens) -> ChangesContent {
    switch origin(after, view, lens) {
    case .reset(let reason): return .reset(reason, reply(TableQuery(.snapshot, lens), current, view))
    case .version(let version, let point, let rows, let find):
      changesetCount.add(1, ordering: .relaxed)
      let before = Lens(cells: lens.cells, rows: rows, find: find)
      let (oldBase, newBase) = (self.base(of: version, before), self.base(of: current, lens))
      let stages = maker.access { maker in
        var old = maker.table(version, oldBase, at: point, before)
        if let after, after.version != version.number {
          if let size = forgotten.withLock({ $0?.size(at: after) }) { old.take(size) }
          // How many there were then is not known: it is told anew.
          if find != nil { (old.find, old.window) = (nil, nil) }
        }
        return maker.stages(from: old, to: maker.table(current, newBase, at: view?.point, lens))
      }
      return stages.map { .stages($0) } ?? .reset(.large, reply(TableQuery(.snapshot, lens), current, view))
    }
  }

  /// What a client has that stands at `after`.
  private func origin(_ after: Cursor?, _ view: TappedView?, _ lens: Lens) -> Origin {
    guard let after else { return .reset(.start) }
    guard after.epoch == feed.epoch else { return .reset(.epoch) }
    guard let tag = after.lensTag else { return .reset(.lens) }
    let version: Version
    switch feed.lookup(Cursor(epoch: after.epoch, version: after.version)) {
    case .current(let found), .held(let found): version = found
    case .expired:
      guard let found = standing(at: after) else { return .reset(.expired) }
      version = found
    case .ahead: return .reset(.ahead)
    case .epoch: return .reset(.epoch)
    }
    guard tag.cells == drawing(of: version, lens) else { return .reset(.lens) }
    guard let find = search(in: tag, lens) else { return .reset(.lens) }
    guard after.taps > 0 || tag.view != nil else { return .version(version, nil, tag.rows, find) }
    guard let view, tag.view == view.digest(over: version) else { return .reset(.lens) }
    switch view.state.lookup(tap: after.taps) {
    case .point(let point): return .version(version, point, tag.rows, find)
    case .expired: return .reset(.expired)
    case .ahead: return .reset(.ahead)
    }
  }

  private enum Origin {
    case version(Version, ViewPoint?, WindowRange?, FindSearch?)
    case reset(ResetReason)
  }

  struct TappedView {
    var name: String
    var taps: UInt64
    var state: ViewState
    var point: ViewPoint { ViewPoint(toggled: state.toggled(at: state.taps)) }

    /// What names it in the cursors of a version.
    func digest(over version: Version) -> LensTag.Digest { state.digest(name: name, over: version.rowKinds) }
  }

  // MARK: Waiting

  /// What a waiter with this lens is woken by.
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

  /// Whoever waits is counted by its window, and uses its view.
  func beginWaiting(_ lens: Lens) {
    waiting.withLock { $0.begin(WaitedLenses.Kind(lens)) }
    if let view = lens.view { context.views.beginFollowing(view, table: feed.epoch) }
  }

  func endWaiting(_ lens: Lens) {
    waiting.withLock { $0.end(WaitedLenses.Kind(lens)) }
    if let view = lens.view { context.views.endFollowing(view, table: feed.epoch) }
  }

  /// By window, how many wait; nil is the whole table.
  var waiters: [WindowRange?: Int] {
    waiting.withLock { $0.counts.reduce(into: [:]) { $0[$1.key.rows, default: 0] += $1.value } }
  }

  /// Whoever waits has to look again, whatever has changed.
  func wakeAll() { context.wake(waiting.withLock { [topic] + $0.kinds.map { topic($0) } }) }

  /// Wakes those in whose window something changed. After the version can be read.
  func announce(from previous: Version, preparing: @escaping @Sendable (TableReader, Version) -> Void) {
    noteChanges(after: previous)
    inTurn(nil) { [self] in
      let current = feed.current
      replies.retire(before: current.cursor)
      changes.withLock { $0.forget(before: current.cursor) }
      // Found here where it is needed, so that those who look when they are woken find it made.
      if drawings.withLock({ $0.isUsed }) { _ = current.rowKinds }
      let kinds = waiting.withLock { $0.kinds }
      noteFound(kinds, after: previous, to: current)
      preparing(self, previous)
      let changed = kinds.filter { kind in
        guard kind.find == nil else { return isFoundAffected(kind, from: previous, to: current, nil) }
        return kind.rows.map { isAffected($0, from: previous, to: current, nil) } ?? false
      }
      context.wake([topic] + changed.map { topic($0) })
    }
  }

  /// A reply, made now. On the rendering queue.
  func prepare(_ query: TableQuery) -> EncodedReply { reply(query) }
}

extension Table {
  /// As a window shows it that has the size of another version.
  fileprivate mutating func take(_ size: ForgottenChanges.Size) {
    (omittedSections, skippedItems) = (size.omittedSections, size.skippedItems)
    window?.of = size.rows
  }
}
