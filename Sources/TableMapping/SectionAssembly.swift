internal import Definitions
internal import Expressions
internal import TableModel

/// Puts rows into sections: refuses identities that are taken, sorts, limits, and leaves out what is empty.
struct SectionAssembly {
  private let plan: MappingPlan
  private var buckets: [Bucket] = []
  private var groups: [ExactText: Int] = [:]
  private let items: [MappedItem]
  /// Places among the items, by their rows' identities.
  private var identities: IdentityTable

  private struct Bucket {
    var id: String
    var key: SortKey = .none
    var plan: SectionPlan
    var rows: [Row] = []
    /// As many as rows, where the section sorts.
    var sortKeys: [[SortKey]] = []
  }

  /// The rows to be added are those of `items`.
  init(plan: MappingPlan, items: [MappedItem]) {
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

  /// Adds the first row of the item at a place; false where its identity is taken.
  @inline(__always)
  mutating func add(_ row: Row, section: Int, _ details: MappedItem.Details?, ofItemAt position: Int) -> Bool {
    guard claim(row, position) else { return false }
    let bucket = details?.group.map { self.bucket(for: $0) } ?? section
    buckets[bucket].rows.append(row)
    if let details, !details.sortKeys.isEmpty { buckets[bucket].sortKeys.append(details.sortKeys) }
    return true
  }

  /// As for the first row.
  mutating func add(_ placement: MappedItem.Placement, ofItemAt position: Int) -> Bool {
    guard claim(placement.row, position) else { return false }
    buckets[placement.section].rows.append(placement.row)
    if !placement.sortKeys.isEmpty { buckets[placement.section].sortKeys.append(placement.sortKeys) }
    return true
  }

  /// Lets an item without a row be found by its address, unless something else is found by that.
  mutating func add(_ address: MappedItem.Address, ofItemAt position: Int) {
    let fingerprint = Fingerprint(of: address.id)
    guard identities.first(fingerprint, where: { items[$0].isNamed(address.id) }) == nil else { return }
    identities.insert(position, under: fingerprint)
  }

  @inline(__always)
  private mutating func claim(_ row: Row, _ position: Int) -> Bool {
    let fingerprint = row.key.identity
    // The search may come by the item itself, which is there under the identities of its other rows.
    let other = identities.first(fingerprint) { $0 != position && items[$0].hasRow(row.id) }
    guard other == nil else { return false }
    identities.insert(position, under: fingerprint)
    return true
  }

  private mutating func bucket(for group: MappedItem.GroupKey) -> Int {
    if let bucket = groups[ExactText(group.id)] { return bucket }
    groups[ExactText(group.id)] = buckets.count
    buckets.append(Bucket(id: group.id, key: group.key, plan: plan.sectionPlans[0]))
    return buckets.count - 1
  }

  /// The sections in their order, with headers and footers from `model`; and how many were left out.
  func sections(
    model: (CellPlan, _ section: String, _ key: SortKey, _ count: Int) -> CellModel?
  ) -> (sections: [Section], omitted: Int) {
    var sections: [Section] = []
    var omitted = 0
    for bucket in ordered {
      let rows = Self.sorted(bucket)
      guard !rows.isEmpty || !bucket.plan.hideEmpty else {
        omitted += 1
        continue
      }
      let key: SortKey = if case .groups = plan.sections { bucket.key } else { .text(bucket.id) }
      sections.append(
        Section(
          id: bucket.id,
          header: bucket.plan.header.flatMap { model($0, bucket.id, key, rows.count) },
          footer: bucket.plan.footer.flatMap { model($0, bucket.id, key, rows.count) },
          rows: rows
        )
      )
    }
    return (sections, omitted)
  }

  /// The identities by which rows are found, and whose they are.
  var lookup: ItemLookup { ItemLookup(items: items, index: identities) }

  private var ordered: [Bucket] {
    guard case .groups(let definition, _) = plan.sections, let direction = definition.sortGroups else { return buckets }
    let declared = Set(definition.order.map(ExactText.init)).count
    let others = buckets[declared...].enumerated().sorted { first, second in
      let order = first.element.key.compared(with: second.element.key, descending: direction == .descending)
      return order == 0 ? first.offset < second.offset : order < 0
    }
    return buckets[..<declared] + others.map(\.element)
  }

  private static func sorted(_ bucket: Bucket) -> [Row] {
    var rows = bucket.rows
    if bucket.sortKeys.count == rows.count, !rows.isEmpty {
      let descending = bucket.plan.sort.map { $0.order.isAlways(.descending) }
      let order = rows.indices.sorted { first, second in
        for (key, isDescending) in descending.enumerated() {
          let order = bucket.sortKeys[first][key].compared(
            with: bucket.sortKeys[second][key],
            descending: isDescending
          )
          if order != 0 { return order < 0 }
        }
        return first < second
      }
      rows = order.map { rows[$0] }
    }
    if let limit = bucket.plan.limit, rows.count > limit { rows.removeLast(rows.count - limit) }
    return rows
  }
}

/// Finds items by their rows' identities.
struct ItemLookup: Sendable {
  let items: [MappedItem]
  let index: IdentityTable

  /// The item's place among all.
  func position(_ id: String) -> Int? { index.first(Fingerprint(of: id)) { items[$0].isNamed(id) } }
}
