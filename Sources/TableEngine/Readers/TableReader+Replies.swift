import Queues
import Synchronization
import TableEncoding
import TableModel
import TableStore

/// The replies that lead clients to the current version: made on the rendering queue, kept for all who ask alike.
extension TableReader {
  /// The snapshot of the whole table, if it is made: what most clients ask for. O(1).
  ///
  /// - Parameter isReadOnly: as callers are shown it who may not edit.
  func wholeSnapshot(isReadOnly: Bool) -> EncodedReply? {
    replies.wholeSnapshot(versions.current.cursor, isReadOnly: isReadOnly)
  }

  /// A snapshot, or the reply to a poll whose table has moved; if it is made already, or can be made at once.
  func readyReply(_ query: TableQuery, to cursor: Cursor) -> EncodedReply? {
    let lens = current(query.lens, versions.current, query.after.flatMap { standing(at: $0, query.lens.find) })
    // Menus have come or gone since it was found out where the query leads.
    if query.lens.find != nil, (cursor.lensTag?.find == nil) != (lens.find == nil) { return nil }
    let view = view(lens)
    let key = key(TableQuery(query.kind, lens), to: cursor, view)
    if let made = replies.reply(key) { return made }
    guard lens.view == nil, let after = query.after, let made = fewChanges(after, to: cursor, lens) else { return nil }
    replies.insert(made, for: key)
    return made
  }

  /// The reply to a poll through a lens without a view, where few rows differ and are known. In proportion to these.
  private func fewChanges(_ after: Cursor, to: Cursor, _ lens: Lens) -> EncodedReply? {
    let current = versions.current
    guard current.number == to.version, current.cursor.epoch == to.epoch, after != to,
      case .version(let old, nil, let rows, let find) = origin(after, current, nil, lens), old.number == after.version
    else { return nil }
    let key = SharedChanges.Key(
      from: .init(version: old.cursor, rows: rows, find: find),
      to: .init(version: current.cursor, rows: lens.rows, find: lens.find)
    )
    let (known, name) = few.withLock { ($0[key], $0.name) }
    guard let known else { return nil }
    let (registry, before) = (drawing.withLock { $0 }, Lens(appearance: lens.appearance, rows: rows, find: find))
    let isPlain = drawing(of: old, before) == nil && drawing(of: current, lens) == nil
    let stages = known.fewStages(
      before: RowDrawing(registry, before, nil),
      after: RowDrawing(registry, lens, nil),
      isPlain: isPlain
    )
    return stages.map { ReplyMaker.changes(of: name, after: after, to: to, .stages($0)) }
  }

  private func key(_ query: TableQuery, to cursor: Cursor, _ view: TappedView?) -> ReplyKey {
    var key = ReplyKey(TableQuery(query.kind, query.lens.shared), to: cursor)
    key.view = view.map { ReplyKey.View(name: $0.name, incarnation: $0.state.incarnation) }
    return key
  }

  /// Makes the reply on the rendering queue and gives it to `completion` there. Whoever asks for the same
  /// meanwhile gets this one.
  ///
  /// - Parameter waits: whoever is drawn otherwise by replicas whose configuration counts waits for these.
  func render(
    _ query: TableQuery,
    for asker: ReplyAsker,
    waits: Bool = true,
    _ completion: @escaping @Sendable (EncodedReply) -> Void
  ) {
    let asked = JoinedAskers.Asked(query: query, waits: waits)
    let isThere = asker.isThere
    let number = askers.withLock { $0.add(.init(isThere: isThere, completion: completion), for: asked) }
    let turn = ReplyAsker(share: asker.share) { [self] in
      askers.withLock { askers in
        if !isThere() { askers.remove(number, for: asked) }
        return askers.contains(number, for: asked)
      }
    }
    inTurn(turn) { [self] in
      let joined = askers.withLock { $0.take(asked) }
      guard joined.contains(where: { $0.isThere() }) else { return }
      let made = reply(query, waits: waits)
      for asker in joined where asker.isThere() { asker.completion(made) }
    }
  }

  /// The reply to a poll that is told nothing but where it is, made on the rendering queue.
  func unchanged(
    at cursor: Cursor,
    for asker: ReplyAsker,
    _ completion: @escaping @Sendable (EncodedReply) -> Void
  ) {
    inTurn(asker) { [self] in
      completion(unchanged(at: cursor))
    }
  }

  /// Goes on with other cells.
  func draw(with cells: CellRegistry, named name: String) async {
    await maker.queue.run { [self] in
      drawing.withLock { $0 = cells.keeping(DrawnRows(context.findMemory)) }
      maker.access { $0 = ReplyMaker(name: name) }
      few.withLock { $0 = FewChanges(name: name) }
      // Replies that are kept may be outdated.
      replies.removeAll()
      changes.withLock { $0 = FirstAffectedRows() }
      drawings.withLock { $0 = DrawnVersions() }
    }
  }

  /// Forgets what can be made again. On the rendering queue.
  func forgetReplies() {
    replies.removeAll()
    maker.access { $0.forgetChanges() }
    few.withLock { $0.forgetAll() }
    drawing.withLock { $0.drawn }?.removeAll()
    drawnBytes.store(0, ordering: .relaxed)
  }

  /// A poll's reply or a snapshot, from the cache or made now. On the rendering queue.
  private func reply(_ query: TableQuery, waits: Bool = true) -> EncodedReply {
    if let after = query.after, isBeyondReach(after, query.lens) { return doubt(after, .unknown) }
    let (version, view, asked) = (versions.current, view(query.lens), query.lens)
    let lens = current(asked, version, query.after.flatMap { standing(at: $0, asked.find) })
    let query = TableQuery(query.kind, lens)
    if isFoundElsewhere(query.lens, in: version) {
      return doubt(query.after ?? cursor(version, query.lens, view), .foundElsewhere)
    }
    if waits, let after = query.after, isDrawnElsewhere(after, query.lens, view) {
      return doubt(after, .drawnElsewhere)
    }
    return reply(query, version, view)
  }

  /// The same, of one version: a reset and its snapshot are of the same.
  private func reply(_ query: TableQuery, _ current: Version, _ view: TappedView?) -> EncodedReply {
    maker.queue.check()
    let to = cursor(current, query.lens, view)
    let key = key(query, to: to, view)
    if let made = replies.reply(key) { return made }
    let made: EncodedReply
    switch query.kind {
    case .snapshot:
      let base = self.base(of: current, query.lens)
      let drawing = RowDrawing(drawing.withLock { $0 }, query.lens, view?.point)
      made = maker.access { $0.snapshot(base, cursor: to, drawing) }
    case .changes(let after):
      let content = changes(after, current, view, query.lens)
      made = maker.access { $0.changes(after: after, to: to, content) }
    }
    replies.insert(made, for: key)
    noteKept()
    return made
  }

  private func unchanged(at cursor: Cursor) -> EncodedReply {
    maker.access { $0.changes(after: cursor, to: cursor, .stages(Array("[]".utf8))) }
  }

  private func doubt(_ after: Cursor, _ doubt: EncodedReply.Doubt) -> EncodedReply {
    let reply = unchanged(at: after)
    return EncodedReply(reply.body, cursor: after, isEmpty: true, doubt: doubt)
  }

  /// Notes the bytes that are kept.
  private func noteKept() {
    let drawn = drawing.withLock { $0.drawn }
    drawn?.charge()
    drawnBytes.store(maker.access { $0.byteCount } + (drawn?.byteCount ?? 0), ordering: .relaxed)
    keptReply.function?()
  }

  /// The changes that lead a client from `after` to a version as its lens shows it.
  private func changes(_ after: Cursor?, _ current: Version, _ view: TappedView?, _ lens: Lens) -> ChangesContent {
    switch origin(after, current, view, lens) {
    case .reset(let reason): return .reset(reason, reply(TableQuery(.snapshot, lens), current, view))
    case .version(let version, let point, let rows, let find):
      let stages = stages(
        from: (after, version, point, Lens(appearance: lens.appearance, rows: rows, find: find)),
        current,
        view,
        lens
      )
      return stages.map { .stages($0) } ?? .reset(.large, reply(TableQuery(.snapshot, lens), current, view))
    }
  }

  /// The encoded changes from what a client has to a version as its lens shows it; nil where a snapshot is smaller.
  ///
  /// - Parameter old: the client's cursor, and what it has: a version that shows it, at a point of its view, through a lens.
  private func stages(
    from old: (after: Cursor?, version: Version, point: ViewPoint?, lens: Lens),
    _ current: Version,
    _ view: TappedView?,
    _ lens: Lens
  ) -> [UInt8]? {
    let isOutlasted = old.after.map { $0.version != old.version.number } ?? false
    let size = old.after.flatMap { after in isOutlasted ? forgotten.withLock { $0?.size(at: after) } : nil }
    let key = SharedChanges.Key(
      from: .init(version: old.version.cursor, rows: old.lens.rows, find: old.lens.find),
      to: .init(version: current.cursor, rows: lens.rows, find: lens.find),
      size: size,
      isOutlasted: isOutlasted
    )
    let cells = (before: drawing(of: old.version, old.lens), after: drawing(of: current, lens))
    let registry = drawing.withLock { $0 }
    // Cells that no row has are as good as all.
    let isPlain = cells.before == nil && cells.after == nil
    let shown = isPlain ? Lens() : lens
    return maker.access { maker in
      maker.stages(
        key,
        before: RowDrawing(registry, shown, old.point),
        after: RowDrawing(registry, shown, view?.point),
        cells
      ) {
        changesetCount.add(1, ordering: .relaxed)
        var (table, shown) = (base(of: old.version, old.lens), base(of: current, lens))
        if let size { table.take(size) }
        if isOutlasted, old.lens.find != nil { table.forgetNumbers(beside: shown, knows: size) }
        return (table, shown)
      } noting: { made in
        few.withLock { $0.note(made, for: key) }
      }
    }
  }

  /// Returns the table of a client at `after` that is led to a version.
  private func origin(_ after: Cursor?, _ current: Version, _ view: TappedView?, _ lens: Lens) -> Origin {
    guard let after else { return .reset(.start) }
    guard after.epoch == versions.epoch else { return .reset(.epoch) }
    guard let tag = after.lensTag else { return .reset(.lens) }
    let version: Version
    switch versions.lookup(Cursor(epoch: after.epoch, version: after.version)) {
    case .current(let found), .held(let found): version = found
    case .expired:
      guard let found = standing(at: after, lens.find) else { return .reset(.expired) }
      version = found
    case .ahead: return .reset(.ahead)
    case .epoch: return .reset(.epoch)
    }
    guard tag.cells == drawing(of: version, lens)?.tag else { return .reset(.lens) }
    guard let find = search(in: tag, lens, of: version) else { return .reset(.lens) }
    guard after.taps > 0 || tag.view != nil else { return .version(version, nil, tag.rows, find) }
    guard let view, tag.view == view.digest(over: version), version.togglesAlike(current) else { return .reset(.lens) }
    switch view.state.lookup(tap: after.taps) {
    case .point(let point): return .version(version, point, tag.rows, find)
    case .expired: return .reset(.expired)
    case .ahead: return .reset(.ahead)
    }
  }

  fileprivate enum Origin {
    case version(Version, ViewPoint?, WindowRange?, FindSearch?)
    case reset(ResetReason)
  }

  /// A reply, made now. On the rendering queue.
  func prepare(_ query: TableQuery) -> EncodedReply { reply(query) }

  /// One row through a lens, given to `body` on the rendering queue; nil where there is none. O(`place`) beside the
  /// search: rows stand where they stand in what is found, whatever the lens shows in their places, and no other one is drawn.
  ///
  /// - Parameter lens: without a window.
  func read(
    _ lens: Lens,
    for asker: ReplyAsker,
    at place: @escaping @Sendable (Table) -> IndexPath?,
    _ body: @escaping @Sendable (ShownRow?) -> Void
  ) {
    inTurn(asker) { [self] in
      let (version, view) = (versions.current, view(lens))
      let lens = current(lens, version)
      guard !isFoundElsewhere(lens, in: version) else { return body(nil) }
      // Without menus, which would count all that is found.
      let table = shown(lens, in: version).table
      guard let path = place(table), let plain = table[at: path] else { return body(nil) }
      let isToggled = view.map { $0.state.isToggled(plain.key.identity, at: $0.state.taps) } ?? false
      let row = isToggled ? plain.toggled() : plain
      let registry = drawing.withLock { $0 }
      let shown = lens.appearance.map { registry.variant(of: row, $0, isKept: !isToggled) } ?? row
      let section = table.sections[path.section].id
      body(ShownRow(row: shown, path: path, section: section, cursor: cursor(version, lens, view)))
    }
  }

  /// Has something made on the rendering queue, when it is the asker's turn; nil: before all that clients have asked for.
  func inTurn(_ asker: ReplyAsker?, _ make: @escaping @Sendable () -> Void) {
    let isWanted: @Sendable () -> Bool = if let asker { asker.isThere } else { { true } }
    let (job, share) = (ReplyTurns.Job(isWanted: isWanted, make: make), asker?.share)
    let isFirst = turns.withLock { turns -> Bool in turns.add(job, of: share) }
    guard isFirst else { return }
    maker.queue.async { [self] in makeNext() }
  }

  private func makeNext() {
    guard let job = turns.withLock({ $0.next() }) else { return }
    job.make()
    guard !turns.withLock({ $0.restsIfDone() }) else { return }
    // Other work on the queue comes in between.
    maker.queue.async { [self] in makeNext() }
  }
}

extension Table {
  /// As a window shows it that has the size of another version.
  fileprivate mutating func take(_ size: ForgottenChanges.Size) {
    (omittedSections, skippedItems) = (size.omittedSections, size.skippedItems)
    window?.of = size.rows
  }

  /// How many rows were found in a version, and with which choices, is not known any more: whatever a client has is told anew, or
  /// that it is gone.
  ///
  /// - Parameter new: what the client is led to.
  fileprivate mutating func forgetNumbers(beside new: Table, knows size: ForgottenChanges.Size?) {
    if new.find != nil { find = nil }
    if new.window != nil { window = nil }
    // A number that no table has differs from whatever is told.
    if size == nil { omittedSections = -1 }
  }
}
