internal import Synchronization
internal import TableDiff
public import TableModel

/// The result of one search in one version of a table. Immutable for its readers; on any thread.
public final class FoundTable: Sendable {
  public let search: FindSearch
  /// The version as all see it.
  public let plain: Table
  let matching: Matching
  let order: RowOrder
  /// By part of the order.
  let matches: [MatchNode]
  private let framing: Framing
  /// How many rows are found.
  public let count: Int
  /// The size of the matches that it doesn't share with the versions that it was made from, about, in bytes.
  private let ownBytes: Int
  /// The size of all of its matches.
  private let allBytes: Int
  private let made: Mutex<Made>

  /// Parts that are made when they are first asked for.
  private struct Made {
    var whole: Table?
    /// The size of its lists that aren't the table's, and whether the version before has parts of them.
    var (wholeBytes, isWholeShared) = (0, false)
    var counts: FilterCounts?
    /// The version's.
    var census: ValueCensus?
    /// By the section's identity.
    var frames: [Fingerprint: Frame] = [:]
    var frameBytes = 0
    /// Told when more is made than was told of last, in bytes.
    var growth: (@Sendable (FoundTable) -> Void)?
    var toldBytes = 0

    var bytes: Int { wholeBytes + frameBytes + (counts?.footprint ?? 0) + (census?.footprint ?? 0) }

    /// Without what only the version that it was made for has.
    var inherited: Made {
      var made = self
      (made.whole, made.census, made.growth) = (nil, nil, nil)
      (made.wholeBytes, made.isWholeShared, made.toldBytes) = (0, false, 0)
      return made
    }
  }

  private struct Frame {
    /// As the table has them. Not its section, whose rows would outlive their version.
    var plain: (header: CellModel?, footer: CellModel?)
    var count: Int
    /// The matches, where the header or the footer reads their items.
    var match: MatchNode?
    var header: CellModel?
    var footer: CellModel?

    var footprint: Int { 160 + (header?.encoded.count ?? 0) + (footer?.encoded.count ?? 0) }
  }

  /// - Parameter wider: what a search finds in the same version and order that finds all that this one does.
  init(
    _ search: FindSearch,
    in plain: Table,
    _ order: RowOrder,
    _ schema: FindSchema,
    _ framing: Framing,
    within wider: FoundTable?
  ) {
    (self.search, self.plain, self.order, self.framing) = (search, plain, order, framing)
    matching = Matching(search, schema)
    var making = MatchMaking(matching)
    matches = order.parts.enumerated().map { index, part in
      making.match(part.rows.root, within: wider?.matches[index])
    }
    count = matches.reduce(0) { $0 + $1.count }
    (ownBytes, allBytes) = (making.bytes, making.bytes)
    made = Mutex(Made())
  }

  /// Makes the result of a search for a version from that for another version. O(changes · log rows).
  init(following before: FoundTable, in plain: Table, _ order: RowOrder) {
    (search, self.plain, self.order, framing) = (before.search, plain, order, before.framing)
    matching = before.matching
    var making = MatchMaking(matching)
    var known: [Fingerprint: Int] = [:]
    for (index, part) in before.order.parts.enumerated() { known[part.identity] = index }
    var pairs: [Int?] = []
    matches = order.parts.map { part in
      let pair = known.removeValue(forKey: part.identity)
      pairs.append(pair)
      return pair.map { making.match(part.rows.root, after: before.matches[$0]) } ?? making.match(part.rows.root)
    }
    let matches = matches
    count = matches.reduce(0) { $0 + $1.count }
    let former = before.made.withLock { $0 }
    var next = former.inherited
    ownBytes = making.bytes
    // As trees grow and shrink with their tables, but for one that had hardly a row: a chunk takes 192 bytes at most, and has 64 rows
    // where there are more of them.
    let (old, new) = (before.plain.rowCount, plain.rowCount)
    let grown = old > 0 ? Int(Double(before.allBytes) * Double(new) / Double(old)) : making.bytes
    allBytes = max(making.bytes, min(grown, new * 4 + order.parts.count * 192))
    if next.frames.count > plain.sections.count + 16 { (next.frames, next.frameBytes) = ([:], 0) }
    if next.counts != nil { next.census = ValueCensus.of(plain, matching.schema) }
    if var counts = next.counts, next.census?.isWhole ?? false {
      let admitted = [Set<[UInt8]>?](repeating: nil, count: matching.schema.filters.count)
      for node in making.fresh { counts.add(node, matching, only: admitted) }
      for node in making.gone { counts.add(node, matching, sign: -1, only: admitted) }
      for index in known.values {
        before.matches[index].forEachChunk { counts.add($0, before.matching, sign: -1, only: admitted) }
      }
      next.counts = counts
    } else {
      next.counts = nil
    }
    made = Mutex(next)
    guard let whole = former.whole else { return }
    // Unchanged parts are shared with the version before, so that the diff costs only the changes.
    let shownRows = Dictionary(whole.sections.map { ($0.identity, $0.rows) }) { first, _ in first }
    let lists = order.parts.indices.map { index in
      pairs[index].flatMap { pair -> RowList? in
        guard let shown = shownRows[order.parts[index].identity] else { return nil }
        return Self.rows(
          shown,
          from: (before.order.parts[pair].rows, before.matches[pair]),
          to: (order.parts[index].rows, matches[index])
        )
      }
    }
    _ = self.whole(lists)
  }

  private static func rows(
    _ shown: RowList,
    from old: (rows: RowList, match: MatchNode),
    to new: (rows: RowList, match: MatchNode)
  )
    -> RowList
  {
    if new.match.hasAll { return new.rows }
    if old.match === new.match { return shown }
    // It was the list itself.
    guard !old.match.hasAll else { return new.match.rows(sharing: shown) }
    var gaps: [(old: Range<Int>, new: Range<Int>)] = []
    var (from, to) = (0, 0)
    let kept = RowList.inStep(old.rows, new.rows) { first, second in first === second }
    for run in kept + [(old.rows.count..<old.rows.count, new.rows.count..<new.rows.count)] {
      if from < run.old.lowerBound || to < run.new.lowerBound {
        gaps.append((from..<run.old.lowerBound, to..<run.new.lowerBound))
      }
      (from, to) = (run.old.upperBound, run.new.upperBound)
    }
    guard gaps.count * 64 <= shown.count + 4_096 else { return new.match.rows(sharing: shown) }
    var list = shown
    for gap in gaps.reversed() {
      var rows: [Row] = []
      new.match.append(gap.new, to: &rows)
      let place = old.match.rank(of: gap.old.lowerBound)..<old.match.rank(of: gap.old.upperBound)
      if !place.isEmpty || !rows.isEmpty { list = list.replacing(place, with: rows) }
    }
    return list
  }

  // MARK: As a table

  /// The table of what is found: its sections, those without a row left out. O(found) the first time.
  ///
  /// The plain table for an empty search, which shows all its sections.
  public var whole: Table { search.isEmpty ? plain : made.withLock { $0.whole } ?? whole([]) }

  private func whole(_ lists: [RowList?]) -> Table {
    var sections: [Section] = []
    var bytes = 512
    for (index, part) in order.parts.enumerated() where matches[index].count > 0 {
      let known = lists.indices.contains(index) ? lists[index] : nil
      let rows = known ?? (matches[index].hasAll ? part.rows : matches[index].rows(sharing: nil))
      sections.append(section(index, rows))
      // A row of a list takes some forty bytes.
      bytes += 160 + (matches[index].hasAll ? 0 : rows.count * 40)
    }
    let table = table(sections)
    let isShared = lists.contains { $0 != nil }
    made.withLock { made in
      made.whole = table
      (made.wholeBytes, made.isWholeShared) = (bytes, isShared)
    }
    noteGrowth()
    return table
  }

  /// The table of what is found, cut to a window. O(rows asked for), and what headers take that read items.
  public func table(_ window: WindowRange) -> Table {
    guard !search.isEmpty else { return plain.cut(to: window) }
    let ranks = window.from..<window.end
    var (sections, start): ([Section], Int) = ([], 0)
    for (index, part) in order.parts.enumerated() where matches[index].count > 0 {
      let end = start + matches[index].count
      let own = ranks.clamped(to: start..<end)
      if !own.isEmpty {
        var rows: [Row] = []
        rows.reserveCapacity(own.count)
        matches[index].append(ranks: own.lowerBound - start..<own.upperBound - start, to: &rows)
        let list = own.count == part.rows.count ? part.rows : RowList(rows)
        sections.append(section(index, list, skipped: own.lowerBound - start))
      }
      start = end
      if start >= ranks.upperBound { break }
    }
    noteGrowth()
    var table = table(sections)
    table.window = Window(window, of: count)
    return table
  }

  private func table(_ sections: [Section]) -> Table {
    var table = plain
    table.sections = sections
    table.countRows()
    return table
  }

  private func section(_ index: Int, _ rows: RowList, skipped: Int = 0) -> Section {
    let part = order.parts[index]
    guard let place = part.section else { return Section(id: part.id, rows: rows, skipped: skipped) }
    let plain = plain.sections[place]
    let (header, footer) = frame(plain, matches[index])
    if rows.isVery(plain.rows), CellModel.same(header, plain.header), CellModel.same(footer, plain.footer) {
      return plain
    }
    return Section(id: part.id, header: header, footer: footer, rows: rows, skipped: skipped)
  }

  private func frame(_ section: Section, _ match: MatchNode) -> (header: CellModel?, footer: CellModel?) {
    // All items in another order are other items to who reads them.
    let isAsPlain = match.hasAll && (search.sort == nil || !framing.readsItems(section))
    guard section.header != nil || section.footer != nil, !isAsPlain else { return (section.header, section.footer) }
    let readsItems = framing.readsItems(section)
    let known = made.withLock { $0.frames[section.identity] }
    if let known, known.count == match.count, CellModel.same(known.plain.header, section.header),
      CellModel.same(known.plain.footer, section.footer), known.match === match || !readsItems
    {
      return (known.header, known.footer)
    }
    var first: [Row] = []
    match.append(ranks: 0..<1, to: &first)
    guard let first = first.first else { return (section.header, section.footer) }
    let (header, footer) = framing.models(
      Framing.Found(section: section, count: match.count, first: first) { match.all }
    )
    let frame = Frame(
      plain: (section.header, section.footer),
      count: match.count,
      match: readsItems ? match : nil,
      header: header,
      footer: footer
    )
    made.withLock { made in
      let former = made.frames.updateValue(frame, forKey: section.identity)
      made.frameBytes += frame.footprint - (former?.footprint ?? 0)
    }
    return (header, footer)
  }

  // MARK: Counts

  /// By filter, the values that there are among what is found given the words and the other filters, how often; nil for those
  /// that are not counted, as there are too many.
  ///
  /// - Parameter always: by filter, values that are counted however many there are.
  func counts(always: [[[UInt8]]]) -> (counts: FilterCounts, hasMore: [Bool]) {
    let schema = matching.schema
    let census = made.withLock { $0.census } ?? ValueCensus.of(plain, schema)
    let admitted = schema.filters.indices.map { filter in
      census.admitted(filter).map { $0.union(always[filter]).union(matching.chosen[filter]) }
    }
    let hasMore = admitted.map { $0 != nil }
    made.withLock { $0.census = census }
    if !hasMore.contains(true), let known = made.withLock({ $0.counts }) { return (known, hasMore) }
    var counts = FilterCounts(schema)
    for match in matches { match.forEachChunk { counts.add($0, matching, only: admitted) } }
    if !hasMore.contains(true) { made.withLock { $0.counts = counts } }
    noteGrowth()
    return (counts, hasMore)
  }

  // MARK: Memory

  /// The size of the result, about, in bytes. O(filters).
  ///
  /// - Parameter withShared: with what it shares with the versions that it was made from.
  func footprint(withShared: Bool) -> Int {
    // A plain order is made for each version.
    let around = 512 + order.parts.count * 8 + (search.sort == nil ? order.bytes : 0)
    let parts = made.withLock { made in
      withShared || !made.isWholeShared ? made.bytes : made.bytes - made.wholeBytes
    }
    return around + (withShared ? allBytes : ownBytes) + parts
  }

  /// Has somebody told when parts are made that were not there until now.
  ///
  /// - Parameter growth: called on any thread, without a lock.
  func tell(_ growth: @escaping @Sendable (FoundTable) -> Void) {
    made.withLock { made in (made.growth, made.toldBytes) = (growth, made.bytes) }
  }

  private func noteGrowth() {
    let growth = made.withLock { made -> (@Sendable (FoundTable) -> Void)? in
      guard made.bytes > made.toldBytes else { return nil }
      made.toldBytes = made.bytes
      return made.growth
    }
    growth?(self)
  }
}

extension MatchNode {
  var all: [Row] {
    var rows: [Row] = []
    rows.reserveCapacity(count)
    append(0..<source.count, to: &rows)
    return rows
  }

  fileprivate func rows(sharing other: RowList?) -> RowList {
    other.map { RowList(all, sharing: $0) } ?? RowList(all)
  }
}
