import Synchronization
import TableDiff
import TableEncoding
import TableModel
import TableStore

/// The comparison of clients' cursors with the current version, which decides whether a poll waits. On any queue.
extension TableReader {
  /// O(1) for who is at the newest version; else what ``Table/firstAffectedRow(from:to:seenAs:)`` takes, once for each
  /// pair of versions and appearance, and in a view O(rows toggled since).
  ///
  /// - Parameter waits: whoever is drawn otherwise by replicas whose configuration counts waits for these.
  func state(for query: TableQuery, waits: Bool = true) -> QueryState {
    let isBeyondReach = query.after.map { self.isBeyondReach($0, query.lens) } ?? false
    let (current, view) = (versions.current, view(query.lens))
    let lens = self.current(query.lens, current, query.after.flatMap { standing(at: $0, query.lens.find) })
    let to = cursor(current, lens, view)
    guard let after = query.after, after != to else { return QueryState(isCurrent: query.after == to, to: to) }
    if isBeyondReach || isFoundElsewhere(lens, in: current) || waits && isDrawnElsewhere(after, lens, view) {
      return QueryState(isCurrent: true, to: after)
    }
    return QueryState(isCurrent: isSame(after, to, current, lens, view), to: to)
  }

  /// Returns whether a client at `after` sees the current version through its lens: the changes lie beyond its window,
  /// or in what it is not shown of rows.
  private func isSame(_ after: Cursor, _ to: Cursor, _ current: Version, _ lens: Lens, _ view: TappedView?) -> Bool {
    guard let (old, from) = comparable(after, to, lens) else { return false }
    if after.version < to.version, isAffected(lens, from: old, to: current) { return false }
    guard let view else { return after.taps == 0 && from.view == nil }
    let isUntapped = from.view == nil && after.taps == 0
    guard isUntapped || from.view == view.digest(over: old) && old.togglesAlike(current),
      let tap = UInt32(exactly: after.taps),
      case .point = view.state.lookup(tap: after.taps)
    else { return false }
    // The plain rows are the same, so that the two differ in what was toggled between them alone.
    let changed = view.state.changed(from: tap, to: view.state.taps)
    guard !changed.isEmpty else { return true }
    let shown = shown(lens, in: current)
    return !changed.contains { isSeen($0, in: shown.table, within: shown.window, lens.appearance) }
  }

  /// The version of a client at `after`, if its lens shows that one and the current one alike, so that the two are compared. Nil: it is
  /// led on in any case. O(1), or what ``standing(at:_:)`` takes.
  private func comparable(_ after: Cursor, _ to: Cursor, _ lens: Lens) -> (version: Version, tag: LensTag)? {
    guard after.epoch == to.epoch, after.version <= to.version, let from = after.lensTag, let tag = to.lensTag,
      from.rows == tag.rows, let old = standing(at: after, lens.find),
      search(in: from, lens, of: old) == .some(lens.find),
      from.cells == drawing(of: old, lens)?.tag
    else { return nil }
    return (old, from)
  }

  /// Returns whether an event loop may ask for a client's standing: its search has its result, and whether it sees what has changed is
  /// known, or told by few rows. O(1) for who is at the newest version.
  func isFound(_ query: TableQuery) -> Bool {
    let current = versions.current
    if let search = query.lens.find, !isFound(search, in: current) { return false }
    guard let after = query.after, after.version != current.number || after.epoch != current.cursor.epoch else {
      return true
    }
    let lens = self.current(query.lens, current, standing(at: after, query.lens.find))
    guard let old = comparable(after, cursor(current, lens, view(query.lens)), lens)?.version, old !== current else {
      return true
    }
    return isAffectedAtOnce(lens, from: old, to: current) != nil
  }

  /// As `isAffected`, if it is known or told by few rows; nil where it is not.
  private func isAffectedAtOnce(_ lens: Lens, from old: Version, to new: Version) -> Bool? {
    if lens.find == nil, lens.rows == nil, old.table.counts != new.table.counts { return true }
    let plain = isAffectedAtOnce(lens, from: old, to: new, nil)
    guard plain == true, let appearance = lens.appearance else { return plain }
    return isAffectedAtOnce(lens, from: old, to: new, appearance)
  }

  private func isAffectedAtOnce(
    _ lens: Lens,
    from old: Version,
    to new: Version,
    _ appearance: RowAppearance?
  ) -> Bool? {
    if lens.find != nil {
      // Windows are built of what is found, which may take long.
      let kind = WaitedLenses.Kind(lens)
      let pair = FoundPair(from: old.cursor, to: new.cursor, kind: kind, appearance: appearance?.digest)
      return changes.withLock { $0[pair] }
    }
    let pair = FirstAffectedRows.Pair(from: old.cursor, to: new.cursor, appearance: appearance?.digest)
    guard let first = firstAffectedRowAtOnce(pair, from: old, to: new, appearance) else { return nil }
    guard let window = lens.rows else { return first != .max }
    guard first < window.end else { return false }
    guard window.from > 0 else { return true }
    if let known = changes.withLock({ $0[window, pair] }) { return known }
    let isAffected = Table.isAffected(window, from: old.table, to: new.table, seenAs: seen(appearance), within: .few)
    if let isAffected { changes.withLock { $0[window, pair] = isAffected } }
    return isAffected
  }

  private func firstAffectedRowAtOnce(
    _ pair: FirstAffectedRows.Pair,
    from old: Version,
    to new: Version,
    _ appearance: RowAppearance?
  ) -> Int? {
    if let known = changes.withLock({ $0[pair] }) { return known }
    let affected = Table.affectedRow(from: old.table, to: new.table, seenAs: seen(appearance), within: .few)
    guard affected.isCertain else { return nil }
    changes.withLock { $0[pair] = affected.row }
    return affected.row
  }

  /// Returns whether a row's toggle can be seen through a lens. Expected O(sections + rows / 8,000).
  private func isSeen(
    _ identity: Fingerprint,
    in table: Table,
    within window: WindowRange?,
    _ appearance: RowAppearance?
  ) -> Bool {
    guard let row = table.row(identity, within: window), row.expansion != nil else { return false }
    guard let appearance else { return true }
    let cells = drawing.withLock { $0 }
    return !Row.looksSame(
      cells.variant(of: row, appearance),
      cells.variant(of: row.toggled(), appearance, isKept: false)
    )
  }

  /// Returns whether a lens without its view shows another table at one version than at another: rows that came and
  /// went don't count, nor changes beyond its window or in what it does not show of rows.
  private func isAffected(_ lens: Lens, from old: Version, to new: Version) -> Bool {
    if lens.find != nil {
      let kind = WaitedLenses.Kind(lens)
      return isFoundAffected(kind, from: old, to: new, nil)
        && (lens.appearance == nil || isFoundAffected(kind, from: old, to: new, lens.appearance))
    }
    if let rows = lens.rows {
      return isAffected(rows, from: old, to: new, nil)
        && (lens.appearance == nil || isAffected(rows, from: old, to: new, lens.appearance))
    }
    guard old.table.counts == new.table.counts else { return true }
    return firstAffectedRow(from: old, to: new, nil) != .max
      && (lens.appearance == nil || firstAffectedRow(from: old, to: new, lens.appearance) != .max)
  }

  /// Notes what came with the versions after one, so that waiters with a window outlast them; and others where there are searches, as
  /// versions then may change nothing else. O(changes). On the table's queue, once they are published.
  func noteChanges(after previous: Version) {
    let isFirst = forgotten.withLock { $0 == nil }
    let isSearched = finding.withLock { $0.current != nil }
    guard !isFirst || waiting.withLock({ isSearched ? !$0.counts.isEmpty : !$0.windows.isEmpty }) else { return }
    let (current, oldest) = (versions.current, versions.oldest)
    // Who has come to wait may have seen a version before.
    let goesBack = isFirst && oldest.cursor.epoch == previous.cursor.epoch && oldest.number < previous.number
    let first = goesBack ? oldest : previous
    var (last, steps): (Version, [ForgottenChanges.Step]) = (first, [])
    while last.number < current.number, let next = versions.version(last.number + 1) {
      let rows = Table.affectedRows(from: last.table, to: next.table)
      steps.append(ForgottenChanges.Step(rows: rows, size: ForgottenChanges.Size(of: next.table)))
      last = next
    }
    let isWhole = last === current && first.cursor.epoch == current.cursor.epoch
    forgotten.withLock { forgotten in
      var noted = forgotten.take() ?? ForgottenChanges()
      let from = isWhole ? first : current
      noted.note(
        isWhole ? steps : [],
        after: from.cursor,
        ForgottenChanges.Size(of: from.table),
        oldest: oldest.cursor
      )
      forgotten = noted
    }
  }

  /// Returns whether a window shows another table at one version than at another. Found out once for all who are
  /// shown rows so.
  func isAffected(_ window: WindowRange, from old: Version, to new: Version, _ appearance: RowAppearance?) -> Bool {
    guard firstAffectedRow(from: old, to: new, appearance) < window.end else { return false }
    guard window.from > 0 else { return true }
    let pair = FirstAffectedRows.Pair(from: old.cursor, to: new.cursor, appearance: appearance?.digest)
    if let known = changes.withLock({ $0[window, pair] }) { return known }
    let isAffected = Table.isAffected(window, from: old.table, to: new.table, seenAs: seen(appearance))
    changes.withLock { $0[window, pair] = isAffected }
    return isAffected
  }

  /// `Int.max` where there is none. Found out once for all who are shown rows so.
  func firstAffectedRow(from old: Version, to new: Version, _ appearance: RowAppearance?) -> Int {
    let pair = FirstAffectedRows.Pair(from: old.cursor, to: new.cursor, appearance: appearance?.digest)
    if let known = changes.withLock({ $0[pair] }) { return known }
    let first = Table.firstAffectedRow(from: old.table, to: new.table, seenAs: seen(appearance)) ?? .max
    changes.withLock { $0[pair] = first }
    return first
  }

  /// How rows are looked at by who is shown them so; nil: as they are.
  private func seen(_ appearance: RowAppearance?) -> ((Row) -> Row)? {
    guard let appearance else { return nil }
    let cells = drawing.withLock { $0 }
    return { cells.variant(of: $0, appearance) }
  }

  /// Returns whether a cursor names a state that this process doesn't know and another one may have given. O(toggles).
  ///
  /// - Parameter name: the view that it is asked with.
  func isAhead(_ after: Cursor, view name: String?) -> Bool {
    let current = versions.current.cursor
    guard after.epoch == current.epoch else { return true }
    if after.version > current.version { return true }
    guard let name, after.taps > 0 || after.lensTag?.view != nil else { return false }
    guard let view = view(Lens(view: name)) else { return true }
    guard after.taps <= view.taps else { return true }
    // Nothing can be found out about a version that is no longer held.
    return held(after).map { after.lensTag?.view != view.digest(over: $0) } ?? false
  }

  /// A cursor that only the store knows, while that can't be read: whoever has it waits rather than be set back.
  /// Once the store has been looked at, a cursor that is not here is nobody's: asked for before the version is taken that it is
  /// held against, which may come from the store meanwhile.
  func isBeyondReach(_ after: Cursor, _ lens: Lens) -> Bool {
    guard context.replica.isShared, let looked = lastLook.withLock({ $0 }) else { return false }
    let isOld = !context.replica.isReachable || ContinuousClock.now - looked > Self.validityOfLooks
    return isOld && isAhead(after, view: lens.view)
  }

  /// The table stands where the store has it; or nobody can tell any more.
  func noteLook(isRead: Bool) {
    lastLook.withLock { last in
      guard isRead || last != nil else { return }
      last = isRead ? .now : Self.longAgo
    }
  }

  /// Others may have stored more since it was read: until somebody looks, only the store knows a cursor that is ahead.
  func expectNews() { lastLook.withLock { $0 = Self.longAgo } }

  private static var longAgo: ContinuousClock.Instant { .now - validityOfLooks * 2 }

  /// Longer than whoever has asked for a look takes to answer.
  private static let validityOfLooks = Duration.milliseconds(500)
}

extension Table {
  /// The row with an identity, if it stands in a window.
  fileprivate func row(_ identity: Fingerprint, within window: WindowRange?) -> Row? {
    guard let window else {
      return sections.lazy.compactMap { section in section.rows.firstIndex(of: identity).map { section.rows[$0] } }
        .first
    }
    for part in parts(in: window) {
      let rows = sections[part.section].rows
      if let place = rows.firstIndex(of: identity) { return part.rows.contains(place) ? rows[place] : nil }
    }
    return nil
  }
}
