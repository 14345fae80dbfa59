import Synchronization
import TableDiff
import TableFinding
import TableModel
import TableStore

/// Finding, as clients see it. On any queue, but a search that is not known yet is best made on the rendering queue.
extension TableReader {
  var offer: FindOffer? { finding.withLock { $0.current?.offer } }

  /// The lens of a client that asks for menus alone: the plain table's where there are none. O(1).
  func withoutMissingMenus(_ lens: Lens) -> Lens {
    guard let search = lens.find, search.isEmpty, offer == nil else { return lens }
    var plain = lens
    plain.find = nil
    return plain
  }

  /// The lens of a client that asks for menus, which the table had not when it asked: with them, once the rows are made
  /// to be searched. O(1).
  func withMenus(_ lens: Lens) -> Lens {
    guard lens.find == nil, offer != nil else { return lens }
    var asking = lens
    asking.find = FindSearch()
    return isFoundElsewhere(asking, in: versions.current) ? lens : asking
  }

  /// Returns whether a search can't be made here: the version's rows were made to be found by another definition. A replica of another
  /// generation has made them, or a process before this one. It would find nothing of them, under a cursor by which the other one's
  /// clients have its rows.
  func isFoundElsewhere(_ lens: Lens, in version: Version) -> Bool {
    guard lens.find != nil else { return false }
    return finding.withLock { $0.current != nil && $0.finder(in: version) == nil }
  }

  /// Returns whether a query can't be answered here for now: its search can't be made, and its client has nothing that it could
  /// wait with, or is to be led to another search.
  func isUnanswerable(_ query: TableQuery) -> Bool {
    isFoundElsewhere(query.lens, in: versions.current) && hasNothing(of: query)
  }

  /// Returns whether the client of a query has nothing of what it looks for. O(1).
  func hasNothing(of query: TableQuery) -> Bool { query.after?.lensTag == nil || leadsElsewhere(query) }

  /// The finder of a version; nil where the table offers nothing, or rows are found by what it doesn't know.
  private func finder(in version: Version) -> TableFinder? { finding.withLock { $0.finder(in: version) } }

  /// Goes on with what another definition offers.
  func find(with new: TableFinder?) {
    let isSame = finding.withLock { finding in
      defer { finding.replace(with: new) }
      return finding.current?.offer == new?.offer
    }
    if !isSame { standings.withLock { $0 = FoundStandings() } }
  }

  /// The rows that a lens shows, before they are drawn for its cells and its view: what is found of a version, cut to the
  /// window. In proportion to the window where it is found already, else to the table.
  func base(of version: Version, _ lens: Lens) -> Table {
    guard let search = lens.find, let finding = finder(in: version) else {
      return lens.rows.map { version.table.cut(to: $0) } ?? version.table
    }
    let found = finding.finder.found(search, Finder.Version(version.cursor), version.table)
    var table = rows(of: found, lens.rows)
    table.find = found.menu(finding.offer)
    return table
  }

  /// Nil where the version's definition doesn't offer the search.
  private func result(of search: FindSearch, in version: Version) -> FoundTable? {
    guard let finding = finder(in: version), finding.offers(search) else { return nil }
    return finding.finder.found(search, Finder.Version(version.cursor), version.table)
  }

  /// The rows that a lens shows, as they are and without menus: a table, and the part of it that is the window; nil: all of it.
  ///
  /// - Complexity: O(1) without a search, as nothing is cut; for a known search O(window), not what is found.
  func shown(_ lens: Lens, in version: Version) -> (table: Table, window: WindowRange?) {
    guard let search = lens.find, let found = result(of: search, in: version) else { return (version.table, lens.rows) }
    return (rows(of: found, lens.rows), nil)
  }

  private func rows(of found: FoundTable, _ window: WindowRange?) -> Table {
    guard let window else { return found.whole }
    return found.table(window)
  }

  /// The search that a cursor holds; nil where it can't be made again: the cursor has its digest alone, and nobody here knows
  /// it, or its version is of a configuration that nobody here knows. Nothing (`.some(nil)`) where the cursor holds none.
  ///
  /// - Parameter version: the one that shows what the client has.
  func search(in tag: LensTag, _ lens: Lens, of version: Version) -> FindSearch?? {
    let search: FindSearch?
    switch tag.find {
    case nil: return .some(nil)
    case .search(let held)?: search = held
    case .digest(let digest)?:
      if let own = lens.find, own.digest == digest {
        search = own
      } else {
        search = finding.withLock { $0.search(digest) }
      }
    }
    guard let search, let finding = finding.withLock({ $0.maker(of: version) }), finding.offers(search) else {
      return nil
    }
    return .some(search)
  }

  /// Returns whether a client is to be led to another search than its cursor's. O(1).
  func leadsElsewhere(_ query: TableQuery) -> Bool {
    guard let tag = query.after?.lensTag else { return false }
    return tag.find != cursor(versions.current, query.lens).lensTag?.find
  }

  // MARK: Waiting

  /// Returns whether the result of a search is known, or there is none. O(1).
  func isFound(_ search: FindSearch, in version: Version) -> Bool {
    guard let finding = finder(in: version), finding.offers(search) else { return true }
    return finding.finder.known(search, Finder.Version(version.cursor)) != nil
  }

  /// Finds it on the rendering queue, at the asker's turn: a search may take as long as a reply. Makes the reply, too, where
  /// one is due: so the asker need not take another turn.
  ///
  /// - Parameter waits: false: the asker is answered in any case.
  func find(
    _ query: TableQuery,
    for asker: ReplyAsker,
    waits: Bool,
    _ completion: @escaping @Sendable () -> Void
  ) {
    inTurn(asker) { [self] in
      if let search = query.lens.find {
        let current = versions.current
        let old = query.after.flatMap { standing(at: $0, search) }
        if let old, old !== current { _ = result(of: search, in: old) }
        _ = result(of: search, in: current)
      }
      if !waits || !state(for: query).isCurrent { _ = prepare(query) }
      completion()
    }
  }

  /// Returns whether another row, header or footer is shown of the found table, inside the window: counts don't count.
  /// For a known search O(log² rows), or the window.
  func isFoundAffected(_ kind: WaitedLenses.Kind, from old: Version, to new: Version, _ appearance: RowAppearance?)
    -> Bool
  {
    guard let search = kind.find else {
      return firstAffectedRow(from: old, to: new, appearance) != .max
    }
    let pair = FoundPair(from: old.cursor, to: new.cursor, kind: kind, appearance: appearance?.digest)
    if let known = changes.withLock({ $0[pair] }) { return known }
    // Where it is not offered any more, the client is told so.
    guard let before = result(of: search, in: old), let after = result(of: search, in: new) else { return true }
    let cells = drawing.withLock { $0 }
    let seen = appearance.map { appearance in { (row: Row) in cells.variant(of: row, appearance) } }
    let isAffected =
      Table.firstAffectedRow(from: rows(of: before, kind.rows), to: rows(of: after, kind.rows), seenAs: seen) != nil
    changes.withLock { $0[pair] = isAffected }
    return isAffected
  }

  /// Finds what somebody waits for in each version that has come, and notes whether it has changed. On the rendering queue.
  ///
  /// - Parameters:
  ///   - previous: the one that was shown before, which may be forgotten already.
  ///   - current: the same, the one that was shown then.
  func noteFound(_ kinds: [WaitedLenses.Kind], after previous: Version, to current: Version) {
    for kind in kinds where kind.find != nil {
      let epoch = current.cursor.epoch
      guard let checked = standings.withLock({ $0.checked(kind, epoch) }) else {
        if previous.cursor.epoch == epoch { noteFirst(kind, until: previous) }
        step(kind, from: previous, to: current)
        continue
      }
      guard checked < current.number else { continue }
      let last = checked == previous.number ? previous : versions.version(checked)
      if let last { step(kind, from: last, to: current) } else { begin(kind, current) }
    }
  }

  /// Lets go what was found in versions that are not held any more, which would hold their rows.
  ///
  /// - Parameter published: what is noted now. It is what the next version is compared with, though a short history may have
  ///   forgotten it already.
  func retireFound(beside published: Version) {
    let oldest = versions.oldest
    guard oldest.cursor.epoch == published.cursor.epoch else { return }
    let first = oldest.number < published.number ? oldest : published
    finding.withLock { $0 }.retire(before: Finder.Version(first.cursor))
  }

  /// So many versions that came before a search was waited with are looked at.
  private static let firstSteps: UInt64 = 8

  /// Begins with the earliest version that a waiter with the search has seen, as far as it is held.
  private func noteFirst(_ kind: WaitedLenses.Kind, until last: Version) {
    let seen = waiting.withLock { $0.earliest[kind] }.flatMap { $0.epoch == last.cursor.epoch ? $0.version : nil }
    let earliest = max(seen ?? last.number, last.number - min(last.number, Self.firstSteps))
    // Taken out before any is searched, as they may be forgotten meanwhile. The newest first.
    var held = [last]
    while let first = held.last, first.number > earliest, let before = versions.version(first.number - 1) {
      held.append(before)
    }
    if let first = held.last { begin(kind, first) }
    for (next, before) in zip(held, held.dropFirst()).reversed() { note(kind, next, after: before) }
  }

  /// One version after the other: what came and went is a change to whoever has seen what was between.
  private func step(_ kind: WaitedLenses.Kind, from first: Version, to current: Version) {
    var last = first
    while last.number < current.number {
      let following = last.number + 1 == current.number ? current : versions.version(last.number + 1)
      guard let next = following else { return begin(kind, current) }
      note(kind, next, after: last)
      last = next
    }
  }

  /// Returns whether the window begins in another place of its first section.
  private func isOtherNumberBefore(_ kind: WaitedLenses.Kind, _ old: Version, _ new: Version) -> Bool {
    guard let search = kind.find, let window = kind.rows, window.from > 0 else { return false }
    let skipped = [old, new].map { result(of: search, in: $0)?.table(window).sections.first?.skipped }
    return skipped[0] != skipped[1]
  }

  private func begin(_ kind: WaitedLenses.Kind, _ version: Version) {
    standings.withLock { $0.begin(kind, version.cursor) }
  }

  private func note(_ kind: WaitedLenses.Kind, _ version: Version, after last: Version) {
    // Nobody is woken by the number of rows before the window, but it has to be told.
    let isAffected =
      isFoundAffected(kind, from: last, to: version, nil) || isOtherNumberBefore(kind, last, version)
    standings.withLock { $0.note(kind, version.cursor, isAffected: isAffected) }
  }

  /// The oldest version held, where it is known that what is found there is what a client at a cursor has.
  ///
  /// - Parameter own: the request's search.
  func standing(at cursor: Cursor, finding find: LensTag.Find, or own: FindSearch?) -> Version? {
    let oldest = versions.oldest
    guard case .some(.some(let search)) = search(in: LensTag(find: find), Lens(find: own), of: oldest) else {
      return nil
    }
    let kind = WaitedLenses.Kind(Lens(rows: cursor.lensTag?.rows, find: search))
    return standings.withLock { $0.isUnchanged(kind, from: cursor, to: oldest.cursor) } ? oldest : nil
  }
}
