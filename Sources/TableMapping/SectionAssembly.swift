internal import Definitions
internal import Expressions
internal import TableModel

/// Puts rows into sections: refuses identities that are taken, sorts, and limits.
struct SectionAssembly {
  private let plan: MappingPlan
  private var buckets: [Bucket] = []
  private var groups: [ExactText: Int] = [:]
  private let items: [MappedItem]
  /// Places among the items, by their rows' identities.
  private var identities: IdentityTable
  /// Something had an identity that was taken.
  private(set) var hasDuplicates = false
  /// The places of items that a section takes and that have no row.
  private(set) var skipped: [Int] = []

  private struct Bucket {
    var id: String
    var key: SortKey = .none
    let plan: SectionPlan
    /// As the plan has it: asked for each row.
    let readsItems: Bool
    var isDeclared = true
    var rows: [Row] = []
    /// The positions of the rows' items among all: as many as rows, where a header or footer reads them.
    var positions: [Int] = []
    /// As many as rows, where the section sorts.
    var sortKeys: [[SortKey]] = []

    init(id: String, key: SortKey = .none, plan: SectionPlan, isDeclared: Bool = true) {
      (self.id, self.key, self.plan, self.isDeclared, readsItems) = (id, key, plan, isDeclared, plan.readsItems)
    }

    /// Takes the rows of all items, in their order.
    mutating func take(_ rows: [Row]) {
      self.rows = rows
      if readsItems { positions = Array(rows.indices) }
    }

    @inline(__always)
    mutating func append(_ row: Row, ofItemAt position: Int, _ sortKeys: [SortKey]) {
      rows.append(row)
      if readsItems { positions.append(position) }
      if !sortKeys.isEmpty { self.sortKeys.append(sortKeys) }
    }
  }

  /// The rows to be added are those of `items`, one by one.
  init(plan: MappingPlan, adding items: [MappedItem]) {
    self.init(plan: plan, items: items)
    if buckets.count == 1 { buckets[0].rows.reserveCapacity(items.count) }
  }

  private init(plan: MappingPlan, items: [MappedItem]) {
    (self.plan, self.items) = (plan, items)
    var capacity = items.count
    if case .list(let sections, firstMatch: false) = plan.sections { capacity *= sections.count }
    identities = IdentityTable(capacity: capacity)
    switch plan.sections {
    case .list(let sections, _):
      buckets = sections.map { Bucket(id: $0.id, plan: $0) }
    case .groups(let definition, let section):
      for id in definition.order where groups[ExactText(id)] == nil {
        groups[ExactText(id)] = buckets.count
        buckets.append(Bucket(id: id, key: .text(id), plan: section))
      }
    }
  }

  /// With the rows of all items, which have one each and nothing else, in one section; nil where two have one identity, or
  /// there is more to them.
  init?(plan: MappingPlan, items: [MappedItem], _ soleRows: SoleRows) {
    guard plan.onlyMakesRows, soleRows.rows.count == items.count else { return nil }
    self.init(plan: plan, items: items)
    guard buckets.count == 1 else { return nil }
    for (position, identity) in soleRows.identities.enumerated() {
      let isFree = identities.insert(position, under: identity) { items[$0].hasRow(soleRows.rows[position].id) }
      guard isFree else { return nil }
    }
    buckets[0].take(soleRows.rows)
  }

  /// Adds the first row of the item at a place, if it has one; false where its identity is taken.
  ///
  /// Counts no references but that of the row in its section: this is done for all items in one go, while nothing else is.
  @inline(__always)
  mutating func addRow(ofItemAt position: Int) -> Bool {
    let item = Unmanaged.passUnretained(items[position])
    return item._withUnsafeGuaranteedRef { item in
      guard let row = item.row else { return true }
      guard claim(row, position) else { return false }
      let details = item.details
      let bucket = details?.group.map { self.bucket(for: $0) } ?? item.section
      buckets[bucket].append(row, ofItemAt: position, details?.sortKeys ?? [])
      return true
    }
  }

  /// True if an item has more than its row.
  @inline(__always)
  func hasDetails(_ position: Int) -> Bool {
    Unmanaged.passUnretained(items[position])._withUnsafeGuaranteedRef { $0.details != nil }
  }

  /// As for the first row.
  mutating func add(_ placement: MappedItem.Placement, ofItemAt position: Int) -> Bool {
    guard claim(placement.row, position) else { return false }
    buckets[placement.section].append(placement.row, ofItemAt: position, placement.sortKeys)
    return true
  }

  /// Lets an item without a row be found by its address, unless something else is found by that.
  mutating func add(_ address: MappedItem.Address, ofItemAt position: Int) {
    let fingerprint = Fingerprint(of: address.id)
    guard identities.first(fingerprint, where: { items[$0].isNamed(address.id) }) == nil else {
      hasDuplicates = true
      return
    }
    identities.insert(position, under: fingerprint)
  }

  @inline(__always)
  private mutating func claim(_ row: Row, _ position: Int) -> Bool {
    // The search may come by the item itself, which is there under the identities of its other rows.
    let isFree = identities.insert(position, under: row.key.identity) { $0 != position && items[$0].hasRow(row.id) }
    if !isFree { hasDuplicates = true }
    return isFree
  }

  /// Notes that a section takes an item which has no row.
  mutating func skip(itemAt position: Int) { skipped.append(position) }

  private mutating func bucket(for group: MappedItem.GroupKey) -> Int {
    let text = ExactText(group.id)
    if let bucket = groups[text] { return bucket }
    groups[text] = buckets.count
    buckets.append(Bucket(id: group.id, key: group.key, plan: plan.sectionPlans[0], isDeclared: false))
    return buckets.count - 1
  }

  /// The identities by which rows are found, and whose they are.
  var lookup: ItemLookup { ItemLookup(items: MappedItems(items), index: identities) }

  /// The sections in their order, those without rows too, sorted and limited as the scope says.
  func arranged(in scope: Scope, _ report: inout MappingReport) -> [ArrangedSection] {
    // Groups have one plan, whose expressions are evaluated once.
    var arrangements: [ObjectIdentifier: Arrangement] = [:]
    return ordered.map { bucket in
      let key: SortKey = if case .groups = plan.sections { bucket.key } else { .text(bucket.id) }
      let arrangement = arrangements[ObjectIdentifier(bucket.plan)] ?? Arrangement(bucket.plan, scope, &report)
      arrangements[ObjectIdentifier(bucket.plan)] = arrangement
      var section = ArrangedSection(
        id: bucket.id,
        key: key,
        plan: bucket.plan,
        isDeclared: bucket.isDeclared,
        arrangement: arrangement,
        unsortedRows: bucket.rows,
        positions: bucket.positions
      )
      arrangement.apply(to: &section, bucket.sortKeys)
      return section
    }
  }

  private var ordered: [Bucket] {
    guard case .groups(let definition, _) = plan.sections, let direction = definition.sortGroups else { return buckets }
    let declared = Set(definition.order.map(ExactText.init)).count
    let others = buckets[declared...].enumerated().sorted { first, second in
      let order = first.element.key.compared(with: second.element.key, descending: direction == .descending)
      return order == 0 ? first.offset < second.offset : order < 0
    }
    return buckets[..<declared] + others.map(\.element)
  }
}

/// A section with its rows in their order.
struct ArrangedSection {
  var id: String
  /// The value of `$key` in its header.
  var key: SortKey
  var plan: SectionPlan
  /// The table's definition names it: it is there without rows too.
  var isDeclared: Bool
  var arrangement: Arrangement
  /// All rows, in the order of the items.
  var unsortedRows: [Row]
  /// All rows, in the section's order.
  var sorted: [Row]
  /// The rows that the limit leaves.
  var rows: [Row]
  /// The positions of the items of `rows` among all, where a header or footer reads them.
  var positions: [Int]
  /// The cost of its header and footer, in steps; nil: more than they may.
  var modelWork: Int? = 0

  init(
    id: String,
    key: SortKey,
    plan: SectionPlan,
    isDeclared: Bool,
    arrangement: Arrangement,
    unsortedRows: [Row],
    positions: [Int]
  ) {
    (self.id, self.key, self.plan, self.isDeclared, self.arrangement) = (id, key, plan, isDeclared, arrangement)
    (self.unsortedRows, sorted, rows, self.positions) = (unsortedRows, unsortedRows, unsortedRows, positions)
  }
}

/// How the rows of a section are ordered and how many it has, as the table's parameters say.
struct Arrangement: Sendable {
  private var isDescending: [Bool]
  private(set) var limit: Int?

  /// A failure is a warning: rows then ascend, and all are shown.
  init(_ plan: SectionPlan, _ scope: Scope, _ report: inout MappingReport) {
    isDescending = []
    for sort in plan.sort {
      do throws(EvaluationError) {
        isDescending.append(try sort.order.direction(in: scope) == .descending)
      } catch {
        report.warn("`sort.order`: \(error); sorted ascending")
        isDescending.append(false)
      }
    }
    do throws(EvaluationError) {
      limit = try plan.limit?.rows(in: scope)
    } catch {
      report.warn("`limit`: \(error); all rows are shown")
    }
  }

  /// False: rows stand in the order of their items.
  var sorts: Bool { !isDescending.isEmpty }

  /// -1, 0 or 1: how two rows of a section stand by what they are sorted by.
  func order(_ first: [SortKey], _ second: [SortKey]) -> Int {
    for (key, isDescending) in isDescending.enumerated() where key < min(first.count, second.count) {
      let order = first[key].compared(with: second[key], descending: isDescending)
      if order != 0 { return order }
    }
    return 0
  }

  /// The places of rows in the order of their keys.
  private func order(of sortKeys: [[SortKey]]) -> [Int] {
    func precedes(_ first: Int, _ second: Int) -> Bool {
      let order = self.order(sortKeys[first], sortKeys[second])
      return order == 0 ? first < second : order < 0
    }
    // Eight bytes decide mostly, where all are of one kind.
    let kind = sortKeys.first?.first?.head?.kind
    let isDescending = isDescending.first ?? false
    let heads = sortKeys.enumerated().compactMap { place, keys -> (head: UInt64, place: Int)? in
      guard let own = keys.first?.head, own.kind == kind else { return nil }
      return (isDescending ? ~own.bytes : own.bytes, place)
    }
    guard heads.count == sortKeys.count else { return sortKeys.indices.sorted(by: precedes) }
    return heads.sorted { first, second in
      first.head == second.head ? precedes(first.place, second.place) : first.head < second.head
    }.map(\.place)
  }

  func apply(to section: inout ArrangedSection, _ sortKeys: [[SortKey]]) {
    if sortKeys.count == section.rows.count, !sortKeys.isEmpty {
      let order = order(of: sortKeys)
      section.sorted = order.map { section.unsortedRows[$0] }
      section.rows = section.sorted
      if !section.positions.isEmpty { section.positions = order.map { section.positions[$0] } }
    }
    guard let limit, section.rows.count > limit else { return }
    section.rows.removeLast(section.rows.count - max(0, limit))
    if !section.positions.isEmpty { section.positions.removeLast(section.positions.count - max(0, limit)) }
  }
}
