import Definitions
import Queues
import Synchronization
import TableEncoding
import TableModel
import TableStore

/// `didSelectRow`: an expandable row toggles, for its view or, where the table says so, for everyone.
struct RowTap: Change {
  /// Of the table that the client sees.
  let writer: TableWriter
  /// Of the same table in the language that comes first, with which taps for everyone are stored.
  let original: TableWriter
  let row: String
  let lens: Lens
  let preconditions: EditPreconditions
  let holder: ViewHolder

  var idempotency: Idempotency? { preconditions.idempotency }
  /// Longer than a tap takes, which is written in the store and nowhere else.
  var claim: Duration? { .seconds(5) }

  var terms: ChangeProgress.Terms {
    ChangeProgress.Terms(hasKey: idempotency != nil, othersWrite: isShared || writer.log?.isShared ?? false)
  }

  func keeps(_ outcome: EditResult) -> Bool { true }

  func carryOut(_ run: ChangeRun) {
    let latest = versions.latest.table
    guard let path = latest.indexPath(of: row), let plain = latest[at: path] else {
      return run.take(.refused(content.access { $0.missing(row, in: latest) }))
    }
    // The answer describes the row, and readers don't have it yet where its version is on its way to the store.
    guard versions.current.table.indexPath(of: row) != nil || !awaitsShown(run) else { return }
    guard plain.permissions.contains(.select) else {
      return run.take(.refused(.forbidden("Row `\(row)` can't be selected: its `can.select` is false.")))
    }
    if let error = writer.refusal(of: preconditions) { return run.take(.refused(error)) }
    if let view = lens.view {
      guard plain.expansion != nil else { return run.take(shown) }
      return isShared ? toggle(inSharedView: view, run) : toggle(plain, in: view, run)
    }
    guard content.access({ $0.definition.sharedTaps }) else {
      let detail = "A tap is of a view: `?view=` and a token of your choice, one for each screen."
      return run.take(.refused(.malformed(detail, field: "view")))
    }
    guard plain.expansion != nil else { return run.take(shown) }
    if let error = context.replica.refusal { return run.take(.refused(error)) }
    toggleForEveryone(run)
  }

  /// True where it has to wait until the newest version is shown: then it is planned again.
  private func awaitsShown(_ run: ChangeRun) -> Bool {
    let again: @Sendable () -> Void = { run.take(.undone) }
    return content.access { $0.commits.whenStored(again, undone: again) }
  }

  /// The current version has it. Only the fact of a tap is kept: a repeat gets the row and its object as they are then.
  private var shown: ChangeProgress.Event { .done(.success(answer(at: versions.current)), isKept: false) }

  private func answer(at version: Version, of reader: TableReader? = nil) -> EditAnswer {
    EditAnswer(cursor: (reader ?? self.reader).cursor(version, lens), rows: [row])
  }

  /// Toggles the row for a view that this process has, when the answer is kept: were it not, a repeat would toggle the row back. Of a
  /// process that ends in between nothing is left of its views.
  private func toggle(_ row: Row, in view: String, _ run: ChangeRun) {
    let tap: @Sendable () -> Void = {
      _ = context.views.tap(row.key.identity, view: view, table: versions.epoch, by: holder)
      context.wake([context.views.topic(view: view)])
      run.take(.done(.success(answer(at: versions.current)), isKept: true))
    }
    guard let idempotency, let reply = StoredReply(idempotency, .success(answer(at: versions.current))) else {
      return tap()
    }
    writer.answers.store(reply) { error in
      content.queue.async { if let error { run.take(.failed(TableError(error))) } else { tap() } }
    }
  }

  /// Toggles the row for a view that follows its client from replica to replica.
  private func toggle(inSharedView view: String, _ run: ChangeRun) {
    // The tap and its answer are stored as one: a repeat after a crash in between toggles nothing.
    let version = versions.current
    let answered = Mutex<EditAnswer?>(nil)
    let reply: @Sendable (ViewState) -> TapReply? = { state in
      guard let idempotency else { return nil }
      let answer = EditAnswer(cursor: reader.cursor(version, lens, tapped: state), rows: [row])
      answered.withLock { $0 = answer }
      return StoredReply(idempotency, .success(answer)).map { TapReply(table: writer.answersName, reply: $0) }
    }
    let (record, epoch) = (writer.storedName, versions.epoch)
    context.views.tap(row: row, sharedView: view, of: record, table: epoch, by: holder, answer: reply) { result in
      switch result {
      // The table may stand in another epoch by now, where its views begin anew.
      case .failure(.superseded): run.takeLater(.behind)
      case .failure(let error): run.takeLater(.failed(TableError(error)))
      case .success(let tap):
        context.replica.tell(tap)
        context.wake([context.views.topic(view: view)])
        content.queue.async { run.take(answered.withLock { $0 }.map { .done(.success($0), isKept: true) } ?? shown) }
      }
    }
  }

  private func toggleForEveryone(_ run: ChangeRun) {
    guard writer !== original else { return store(run) }
    let known = content.access { $0.own }
    original.content.queue.async {
      guard !original.content.access({ $0.commits.enqueueIfBlocked { run.takeLater(.undone) } }) else { return }
      // A condition is met by all taps that the client's table has, and no others.
      guard preconditions.condition == nil || original.content.access({ $0.own == known }) else {
        return original.afterFollowing { run.takeLater(.superseded) }
      }
      store(run)
    }
  }

  /// On the original's queue.
  private func store(_ run: ChangeRun) {
    let take: @Sendable (ChangeProgress.Event) -> Void = { writer === original ? run.take($0) : run.takeLater($0) }
    if let error = original.refusal(of: EditPreconditions()) { return take(.refused(error)) }
    guard original.goesOn() else { return take(.behind) }
    let (changes, table, inputs) = original.content.access { content in
      content.refreshResult(named: name)
      defer { content.letGoOfPart() }
      let latest = original.versions.latest.table
      let changes = content.toggle(row, in: latest)
      // Where another replica leads, or has shown newer items, only the shown version can be laid out here.
      let isCurrent = content.isMapped && (!isShared || content.isAheadOfStoredInputs())
      // That one is made of what the store has been told.
      return isCurrent
        ? (changes, content.table(named: name), content.toldInputs) : (changes, latest.toggling(row), nil)
    }
    let done: @Sendable (_ isKept: Bool) -> Void = { isKept in
      let tell: @Sendable () -> Void = { run.take(.done(.success(answer(at: versions.current)), isKept: isKept)) }
      if writer === original { tell() } else { writer.afterFollowing(tell) }
    }
    let latest = original.versions.latest.table
    guard let version = original.prepare(table) else {
      // It may be the same as what is still on its way to the store.
      let isWaiting = original.content.access { content in
        content.commits.whenStored({ done(false) }, undone: { take(.undone) })
      }
      return isWaiting ? () : done(false)
    }
    guard MemberWeighing(writer: original).hasRoom(for: version) else {
      original.versions.withdraw()
      return done(false)
    }
    guard original.isStored else {
      original.publish(version)
      original.updateTranslations()
      return done(false)
    }
    var commit = Commit(table: original.storedName, durability: .full, version: version)
    commit.toggles = changes
    commit.inputs = inputs
    // The toggle and its answer are stored as one: a repeat toggles nothing.
    commit.reply = idempotency.flatMap {
      StoredReply($0.asked(writer.answersName), .success(answer(at: version, of: original.reader)))
    }
    let objects = original.content.access { content in
      content.objectChanges(from: content.toldSections ?? latest.sections, to: table.sections)
    }
    commit.objects = objects
    let fail: @Sendable (ChangeProgress.Event) -> Void = { event in
      original.content.access { $0.noteUntold(objects) }
      take(event)
    }
    original.store(commit, retry: { fail($0.map { .baseFailed($0) } ?? .undone) }) { error in
      if let error { return fail(.failed(TableError(error))) }
      original.content.access { $0.noteTold(table.sections) }
      done(true)
    }
  }
}

extension Table {
  /// With one row toggled. As fast as ``RowList/replacing(_:with:)``.
  fileprivate func toggling(_ id: String) -> Table {
    guard let path = indexPath(of: id), let plain = self[at: path] else { return self }
    var table = self
    let section = sections[path.section]
    table.sections[path.section] = section.with(section.rows.replacing(path.row, with: plain.toggled()))
    return table
  }
}
