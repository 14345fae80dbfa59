internal import Definitions
internal import Expressions
internal import JSON
internal import TableModel

/// An item that is another one now, came, or went.
struct LayoutChange {
  let number: UInt64
  /// As it was laid out.
  let before: LayoutItem?
  let after: LayoutItem?
  /// The item has come, gone or moved, or its rows have other places now; else its row takes the place of the one that it had.
  let isMove: Bool

  init(number: UInt64, before: LayoutItem?, after: LayoutItem?) {
    (self.number, self.before, self.after) = (number, before, after)
    isMove =
      if let before, let after {
        before.rank != after.rank || !after.mapped.takesThePlace(of: before.mapped)
      } else {
        true
      }
  }
}

/// A few items of a source that are others now, laid out on what the last mapping has made.
///
/// Which rows an item has, and in which sections, it decides by itself; where a row stands, it and its section's others
/// decide. So what changed leaves its sections, comes into those that take it now, and headers and footers of just these
/// are made anew. The result equals that of a whole mapping.
///
/// - Complexity: O(changes · log² rows + sections), and for many rows that take the places of others O(rows of their chunks). A
///   header or footer that reads `$items` costs its section's items.
struct LayoutEdit {
  private let plan: MappingPlan
  private(set) var layout: ItemLayout
  /// The words about the changes.
  private(set) var report = MappingReport([])
  private let scope: Scope
  /// Places of sections whose headers and footers may be others now.
  private var touched: Set<Int> = []
  /// Groups that came, or whose first items are others, by their places.
  private var open: Set<Int> = []
  /// By section.
  private var replaced: [Int: ReplacedRows] = [:]
  /// All rows stand where they stood.
  private(set) var isInPlace = true

  /// Rows that take the places of others.
  private struct ReplacedRows {
    var rows: [(place: Int, row: Row)] = []
    /// The same in the order of the items, where that is kept.
    var unsortedRows: [(place: Int, row: Row)] = []
    /// How far the last row stands from where its item's number is.
    var shift = 0

    /// Sorted, rows stand in another order than their items.
    func laid(over list: RowList, _ rows: KeyPath<ReplacedRows, [(place: Int, row: Row)]>) -> RowList {
      list.replacing(self[keyPath: rows].sorted { $0.place < $1.place })
    }
  }

  init(_ layout: ItemLayout, plan: MappingPlan, scope: Scope) {
    (self.layout, self.plan, self.scope) = (layout, plan, scope)
  }

  /// Lays out all changes since the last mapping.
  ///
  /// - Parameter next: the items of the next response with these changes; nil: the changes are kept beside what was mapped.
  /// - Returns: false where it can't be told from the changes alone: two things would have one identity. Nothing that was begun counts
  ///   then.
  mutating func lay(_ changes: [LayoutChange], next: (MappedItems, ItemTexts)? = nil) -> Bool {
    for item in changes.lazy.compactMap(\.after?.mapped) {
      // No JSON is a problem of the whole response.
      guard plan.sources[0].isLocal || !item.isMalformed else { return false }
      if let warning = item.details?.warning { report.warn(warning) }
    }
    // Most stay where they are.
    let moving = changes.filter { !replace($0) }
    isInPlace = moving.isEmpty
    guard isInPlace || !layout.hasDuplicates else { return false }
    showReplaced()
    // All leave by the order in which they are, and come by the order in which they then are.
    for change in moving {
      guard let before = change.before else { continue }
      guard leave(before) else { return false }
    }
    for change in moving { change.before.map { layout.items.remove(namesOf: $0.mapped, for: change.number) } }
    for change in changes { count(change) }
    if let (items, texts) = next {
      layout.items.follow(items, texts)
    } else {
      for change in changes { layout.items[change.number] = change.after }
    }
    for change in moving {
      guard let after = change.after else { continue }
      guard come(after, change.number) else { return false }
    }
    for section in touched { show(section) }
    settleGroups()
    return modelsAreAffordable
  }

  /// False where a whole mapping would leave out headers and footers, as they are too much work all together.
  private var modelsAreAffordable: Bool {
    let totals = layout.totals
    return totals.excesses == 0
      && totals.work <= MappingBudget.maximumWork(ofItems: totals.rows, each: plan.workPerItem)
  }

  private mutating func count(_ change: LayoutChange) {
    layout.cost += (change.after?.cost ?? 0) - (change.before?.cost ?? 0)
    layout.work += (change.after?.mapped.work ?? 0) - (change.before?.mapped.work ?? 0)
  }

  // MARK: Rows

  /// Puts an item's row in the place of the one that it had; false where that is not all that there is to do.
  private mutating func replace(_ change: LayoutChange) -> Bool {
    guard !change.isMove, let before = change.before, let old = before.mapped.row, let row = change.after?.mapped.row,
      let section = layout.section(of: before.mapped), layout.sections.indices.contains(section)
    else { return false }
    // Items with equal bytes share one mapped item: only the first of them owns the row.
    if layout.hasDuplicates,
      layout.items.number(named: old.key.identity, where: { $0.hasRow(old.id) }) != change.number
    {
      return false
    }
    let (laid, number) = (layout.sections[section], Int(truncatingIfNeeded: change.number))
    let guess = number &- (replaced[section]?.shift ?? 0)
    guard let place = layout.place(standing: old, of: before, among: laid.rows, laid.arrangement, near: guess) else {
      return false
    }
    if let rows = laid.unsortedRows {
      guard let place = layout.place(standing: old, of: before, among: rows, nil) else { return false }
      replaced[section, default: ReplacedRows()].unsortedRows.append((place, row))
    }
    replaced[section, default: ReplacedRows()].rows.append((place, row))
    replaced[section]?.shift = number &- place
    return true
  }

  private mutating func showReplaced() {
    for (place, replaced) in replaced {
      var section = layout.sections[place]
      section.rows = replaced.laid(over: section.rows, \.rows)
      section.unsortedRows = section.unsortedRows.map { replaced.laid(over: $0, \.unsortedRows) }
      if section.plan.readsItems { touched.insert(place) }
      // Of other headers and footers, each sees what it saw.
      section.shown = section.shown.map {
        Section(id: $0.id, header: $0.header, footer: $0.footer, rows: section.visible)
      }
      layout.sections[place] = section
    }
    replaced = [:]
  }

  private mutating func leave(_ item: LayoutItem) -> Bool {
    for placement in item.mapped.placements {
      guard let section = layout.section(placement), layout.sections.indices.contains(section) else { return false }
      noteFirst(of: section, placement.row)
      let laid = layout.sections[section]
      guard let rows = without(placement.row, of: item, laid.rows, laid.arrangement) else { return false }
      layout.sections[section].rows = rows
      if let unsortedRows = laid.unsortedRows {
        guard let unsortedRows = without(placement.row, of: item, unsortedRows, nil) else { return false }
        layout.sections[section].unsortedRows = unsortedRows
      }
      touched.insert(section)
    }
    return true
  }

  private func without(_ row: Row, of item: LayoutItem, _ rows: RowList, _ arrangement: Arrangement?) -> RowList? {
    layout.place(standing: row, of: item, among: rows, arrangement).map { rows.removing(at: $0) }
  }

  private mutating func come(_ item: LayoutItem, _ number: UInt64) -> Bool {
    guard layout.items.add(namesOf: item.mapped, for: number) else { return false }
    for placement in item.mapped.placements {
      let section = layout.section(placement) ?? begin(placement)
      let laid = layout.sections[section]
      let place = layout.place(of: placement.row, of: item, among: laid.rows, laid.arrangement)
      layout.sections[section].rows = laid.rows.inserting(placement.row, at: place)
      if let unsortedRows = laid.unsortedRows {
        let place = layout.place(of: placement.row, of: item, among: unsortedRows, nil)
        layout.sections[section].unsortedRows = unsortedRows.inserting(placement.row, at: place)
      }
      noteFirst(of: section, placement.row)
      touched.insert(section)
    }
    return true
  }

  // MARK: Groups

  /// A group that there was not before. It stands behind all others until ``settleGroups()``.
  private mutating func begin(_ placement: MappedItem.Placement) -> Int {
    let group = placement.group ?? .absent
    let plan = plan.sectionPlans[0]
    let section = LayoutSection(group, plan: plan, Arrangement(plan, scope, &report))
    layout.sections.append(section)
    layout.groups[ExactText(group.id)] = layout.sections.count - 1
    open.insert(layout.sections.count - 1)
    return layout.sections.count - 1
  }

  private mutating func noteFirst(of section: Int, _ row: Row) {
    if layout.sections[section].first === row { open.insert(section) }
  }

  /// Groups stand where their first items do, unless they are sorted; one without rows is none.
  ///
  /// Few of them are taken out and put where they belong: O(log sections) each, and what moving those behind them takes.
  private mutating func settleGroups() {
    guard let first = open.min(), case .groups(let definition, _) = plan.sections else { return }
    let declared = layout.sections.prefix { $0.isDeclared }.count
    let order = GroupOrder(definition.sortGroups)
    let places = open.filter { $0 >= declared }.sorted(by: >)
    guard !places.isEmpty else { return }
    guard places.count <= Self.fewGroups else { return sortGroups(behind: declared, order) }
    var moving: [LayoutSection] = []
    for place in places {
      let section = layout.sections.remove(at: place)
      if section.first == nil { layout.totals.remove(section) }
      if section.first == nil { layout.groups[ExactText(section.id)] = nil } else { moving.append(section) }
    }
    var changed = max(first, declared)
    for section in moving.reversed() {
      guard let item = section.first.flatMap({ layout.item(of: $0) }) else { continue }
      var (low, high) = (declared, layout.sections.count)
      // Mostly it comes behind all others.
      if high > low, isBefore(high - 1, section, item.rank, order) { low = high }
      while low < high {
        let middle = (low + high) / 2
        if isBefore(middle, section, item.rank, order) { low = middle + 1 } else { high = middle }
      }
      layout.sections.insert(section, at: low)
      changed = min(changed, low)
    }
    layout.indexGroups(from: min(changed, layout.sections.count))
  }

  /// More of them are sorted with all others.
  private static let fewGroups = 16

  private func isBefore(_ place: Int, _ section: LayoutSection, _ rank: Int64, _ order: GroupOrder) -> Bool {
    let other = layout.sections[place]
    guard let item = other.first.flatMap({ layout.item(of: $0) }) else { return false }
    return order.precedes((other.key, item.rank), (section.key, rank))
  }

  private mutating func sortGroups(behind declared: Int, _ order: GroupOrder) {
    let others = layout.sections[declared...].compactMap { section in
      section.first.flatMap { layout.item(of: $0) }.map { (section: section, rank: $0.rank) }
    }
    let sorted = others.sorted { order.precedes(($0.section.key, $0.rank), ($1.section.key, $1.rank)) }
    for section in layout.sections[declared...] where section.first == nil { layout.totals.remove(section) }
    layout.sections.replace(from: declared, with: sorted.map(\.section))
    layout.indexGroups()
  }

  // MARK: What is shown

  /// Makes what is shown of a section of its rows.
  private mutating func show(_ place: Int) {
    var section = layout.sections[place]
    layout.totals.remove(section)
    if !section.isDeclared, let first = section.first, let group = layout.item(of: first)?.mapped.details?.group {
      section.key = group.key
    }
    let rows = section.visible
    if rows.isEmpty, section.plan.hideEmpty {
      (section.shown, section.modelWork) = (nil, 0)
    } else {
      var scope = scope
      (scope.key, scope.count) = (section.key.value, rows.count)
      var models = SectionModels(plan: plan)
      models.begin(rows: rows.count)
      let layout = layout
      let (header, footer) = models.models(
        of: section.id,
        section.plan,
        in: scope,
        list: { layout.list(of: rows) },
        &report
      )
      section.shown = Section(id: section.id, header: header, footer: footer, rows: rows)
      section.modelWork = models.spent
    }
    layout.totals.add(section)
    layout.sections[place] = section
  }
}
