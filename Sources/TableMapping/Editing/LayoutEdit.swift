internal import Definitions
internal import Expressions
internal import JSON
internal import TableModel

/// A few items of a source that are others now, laid out on what the last mapping has made.
///
/// Which rows an item has, and in which sections, it decides by itself; where a row stands, it and its section's others
/// decide. So what changed leaves its sections, comes into those that take it now, and headers and footers of just these
/// are made anew. What comes of it is what a whole mapping would make.
///
/// - Complexity: O(changes · log² rows + sections). A header or footer that reads `$items` costs its section's items.
struct LayoutEdit {
  private let plan: MappingPlan
  private(set) var layout: ItemLayout
  private(set) var report: MappingReport
  private let scope: Scope
  private var mapper: ItemMapper
  /// By how much what the items take of memory has grown, about, in bytes.
  private(set) var growth = 0
  /// The same of the work for them, in steps.
  private(set) var workGrowth = 0
  /// Places of sections with other rows than before.
  private var touched: Set<Int> = []
  /// Groups that came, or whose first items are others, by their places.
  private var open: Set<Int> = []

  /// - Parameters:
  ///   - warnings: What is said already.
  ///   - lookups: Of the last mapping.
  init(_ layout: ItemLayout, plan: MappingPlan, scope: Scope, lookups: Lookups, warnings: [String]) {
    (self.layout, self.plan, self.scope, report) = (layout, plan, scope, MappingReport(warnings))
    mapper = ItemMapper(source: plan.sources[0], plan: plan, lookups: lookups, scope: scope)
  }

  /// False where it can't be told from the changes alone: two things would have one identity. Nothing that was begun
  /// counts then.
  mutating func lay(_ changes: [OwnedItemChange]) -> Bool {
    let mapped = changes.map { change in change.after.map { self.mapped($0, layout.items[change.number]) } }
    // No JSON is a problem of the whole response.
    guard plan.sources[0].isLocal || !mapped.contains(where: { $0?.isMalformed == true }) else { return false }
    // Most stay where they are.
    let moving = zip(changes, mapped).filter { change, mapped in !replace(change, mapped) }
    guard moving.isEmpty || !layout.hasDuplicates else { return false }
    // All leave by the order in which they are, and come by the order in which they then are.
    for (change, _) in moving where change.before != nil {
      guard leave(change.number) else { return false }
    }
    for (change, mapped) in moving {
      if let before = layout.items[change.number] { layout.items.remove(namesOf: before.mapped, for: change.number) }
      put(mapped.flatMap { mapped in change.after.map { LayoutItem(mapped, $0.rank, .own($0.bytes)) } }, change.number)
    }
    for (change, _) in moving where change.after != nil {
      guard come(change.number) else { return false }
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

  private mutating func mapped(_ item: OwnedItem, _ before: LayoutItem?) -> MappedItem {
    if let before, before.bytes == item.bytes { return before.mapped }
    let givenID = plan.sources[0].isLocal ? item.id : nil
    let index = plan.sources[0].isLocal ? 0 : Int(item.number)
    let mapped = item.bytes.withUnsafeBytes { mapper.item(at: index, $0, givenID: givenID) }
    if let warning = mapped.details?.warning { report.warn(warning) }
    return mapped
  }

  private mutating func put(_ item: LayoutItem?, _ number: UInt64) {
    let before = layout.items[number]
    growth += (item?.cost ?? 0) - (before?.cost ?? 0)
    workGrowth += (item?.mapped.work ?? 0) - (before?.mapped.work ?? 0)
    layout.items[number] = item
  }

  // MARK: Rows

  /// Puts an item's row in the place of the one that it had; false where that is not all that there is to do.
  private mutating func replace(_ change: OwnedItemChange, _ mapped: MappedItem?) -> Bool {
    guard let after = change.after, let mapped, let row = mapped.row, let item = layout.items[change.number],
      let old = item.mapped.row, item.rank == after.rank, mapped.takesThePlace(of: item.mapped),
      let section = item.mapped.placements.first.flatMap({ layout.section($0) }),
      layout.sections.indices.contains(section)
    else { return false }
    let laid = layout.sections[section]
    let place = layout.place(of: old, of: item, among: laid.rows, laid.arrangement)
    guard place < laid.rows.count, laid.rows[place] === old else { return false }
    var unsortedRows = laid.unsortedRows
    if let rows = laid.unsortedRows {
      let place = layout.place(of: old, of: item, among: rows, nil)
      guard place < rows.count, rows[place] === old else { return false }
      unsortedRows = rows.replacing(place, with: row)
    }
    layout.sections[section].rows = laid.rows.replacing(place, with: row)
    layout.sections[section].unsortedRows = unsortedRows
    put(LayoutItem(mapped, after.rank, .own(after.bytes)), change.number)
    touched.insert(section)
    return true
  }

  private mutating func leave(_ number: UInt64) -> Bool {
    guard let item = layout.items[number] else { return false }
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
    let place = layout.place(of: row, of: item, among: rows, arrangement)
    guard place < rows.count, rows[place] === row else { return nil }
    return rows.removing(at: place)
  }

  private mutating func come(_ number: UInt64) -> Bool {
    guard let item = layout.items[number], layout.items.add(namesOf: item.mapped, for: number) else { return false }
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
