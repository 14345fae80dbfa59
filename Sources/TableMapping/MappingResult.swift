public import Definitions
internal import Expressions
internal import FieldValues
public import JSON
public import TableModel

/// The result of a mapping: a table's content, and what did not get into it.
///
/// A value of one reference: what has one, as a table's content, is copied fast, and the result is copied when it is changed.
public struct MappingResult: Sendable {
  public var sections: [Section] { box.values.sections }
  /// Sections left out because they had no rows.
  public var omittedSections: Int { box.values.omittedSections }
  /// Items that no cell took, or whose identity was taken. An item that no section takes is not among them.
  public var skippedItems: Int { box.values.skippedItems }
  /// The first of them, at most ``maximumKept``. O(1); after an edit that was laid out alone O(items).
  public var skipped: [SkippedItem] { box.values.firstSkipped ?? layout?.firstSkipped(Self.maximumKept) ?? [] }
  /// Problems that cost no item: headers that don't fit their cell, failed `can` and `select`. The first, at most
  /// ``maximumKept``; after an edit that was laid out alone the newest.
  public var warnings: [String] { box.values.warnings }
  /// Sources whose answer can't be mapped: they were mapped as if they had none. Whoever has their last good
  /// content maps again with that.
  public var problems: [SourceProblem] { box.values.problems }
  /// A source had more items than it may.
  public var isTruncated: Bool { box.values.isTruncated }
  /// Its memory, about: its sources' answers, as far as their items are shown, and the rows made of them.
  public var byteCount: Int { box.values.byteCount }
  /// The table's title, evaluated.
  public var title: String? { box.values.title }
  /// How many of the items that had changed were laid out alone; nil: everything was mapped.
  public var changeCount: Int? { box.values.changeCount }
  /// True if rows are shared with other tables that have the same answer.
  public var isPart: Bool { box.values.part != nil }

  /// How many skipped items and warnings are kept in full.
  public static let maximumKept = 10

  private var box: Box

  private final class Box: Sendable {
    let values: Values

    init(_ values: Values) { self.values = values }
  }

  init(_ values: Values) { box = Box(values) }

  /// A copy.
  var values: Values { box.values }

  /// Changes some of it. O(1): a copy.
  mutating func change(_ body: (inout Values) -> Void) {
    var values = box.values
    body(&values)
    box = Box(values)
  }

  struct Values: Sendable {
    var sections: [Section] = [] { didSet { rowCount = nil } }
    /// How many rows the sections have, where they were counted.
    var rowCount: Int?
    var omittedSections = 0
    var skippedItems = 0
    var firstSkipped: [SkippedItem]?
    var warnings: [String] = []
    var problems: [SourceProblem] = []
    var isTruncated = false
    var byteCount = 0
    /// By source: what evaluating its items took beyond what their bytes give, in steps.
    var work: [String: Int] = [:]
    var title: String?
    var changeCount: Int?
    /// For the next mapping.
    var cache: MappingCache
    /// Nil where there is a layout, which finds its items itself.
    var lookup: ItemLookup?
    /// The position of each source's first item.
    var starts: [String: Int] = [:]
    /// The edited list of the only source, where edits were laid over its response.
    var edited: EditedList?
    /// The part that this is of a mapping that several tables share.
    var part: MappedPart?
  }

  var cache: MappingCache { box.values.cache }
  var edited: EditedList? { box.values.edited }
  var part: MappedPart? { box.values.part }
  private var lookup: ItemLookup? { box.values.lookup }
  private var starts: [String: Int] { box.values.starts }
  /// The layout that finds items where changes are laid out one by one.
  var layout: ItemLayout? { edited?.layout ?? cache.layout }
  /// The same where the cache has not got the items.
  private var ownLayout: ItemLayout? { edited?.layout ?? cache.layout.flatMap { $0.items.areOwned ? $0 : nil } }

  /// The item of a row; also of one that a section's limit keeps out of sight, and of a local source one without a
  /// row, by the identity that it would have. O(1).
  public func item(_ id: String) -> RepresentedItem? {
    if let layout {
      guard let found = layout.item(named: id) else { return nil }
      return RepresentedItem(found.item, of: layout.source, at: layout.items.areOwned ? nil : Int(found.number))
    }
    guard let lookup, let position = lookup.position(id) else { return nil }
    let item = lookup.items[position]
    let name = cache.plan.sources[item.source].name
    if let part {
      let place = Int(part.selection.items[position].position)
      return RepresentedItem(part.common.source.items[place], of: name, at: place, in: part.common.source.texts)
    }
    guard let source = cache.sources[name], let start = starts[name] else { return nil }
    return RepresentedItem(item, of: name, at: position - start, in: source.texts)
  }

  /// The item around that of a row, where the table's `items` makes rows of what stands in others. O(bytes): a copy.
  public func parent(of id: String) -> [UInt8]? {
    guard let lookup, let position = lookup.position(id) else { return nil }
    let name = cache.plan.sources[lookup.items[position].source].name
    guard let source = cache.sources[name], let start = starts[name] else { return nil }
    return source.expanded?.parent(ofItemAt: position - start)
  }

  /// Returns the identity by which an item of a source is found, even if another item is found by it first; nil for an
  /// upstream's without a row. O(1).
  ///
  /// - Parameter position: its place among the source's items; where they were edited, its number (``ListEdits``).
  public func identity(ofItemAt position: Int, of source: String) -> String? {
    mappedItem(position, of: source).flatMap { $0.row?.id ?? $0.details?.address?.id }
  }

  /// Returns the identity of an item by any of its rows: one that stands in further sections, too, is `ID@SECTION`
  /// there. Nil if there is no such row. O(1).
  public func identity(ofItemInRow id: String) -> String? {
    guard let item = item(id) else { return nil }
    return item.position.flatMap { identity(ofItemAt: $0, of: item.source) }
  }

  /// Returns the work of evaluating the items of a source, in steps beyond 50 for each of their bytes.
  public func work(for source: String) -> Int { box.values.work[source] ?? 0 }

  /// Returns the most work for so many items.
  public func maximumWork(forItems count: Int) -> Int {
    MappingBudget.maximumWork(ofItems: count, each: cache.plan.workPerItem)
  }

  /// Why an item of a source has no row though a section takes it; nil where it has one, or none does. O(1).
  public func refusal(ofItemAt position: Int, of source: String) -> SkippedItem? {
    mappedItem(position, of: source)?.details?.skip.map { SkippedItem($0, of: source, at: position) }
  }

  /// The rows of an item. O(its rows).
  public func rows(ofItemAt position: Int, of source: String) -> [Row] {
    mappedItem(position, of: source)?.placements.map(\.row) ?? []
  }

  /// An item as the source gave it. O(bytes): a copy.
  public func bytes(ofItemAt position: Int, of source: String) -> [UInt8]? {
    if let edited { return UInt64(exactly: position).flatMap { edited.layout.items[$0]?.bytes } }
    guard let source = cached(source), source.items.indices.contains(position) else { return nil }
    return source.texts.bytes(of: position)
  }

  /// Returns the identity by which an item that the service owns is found. As ``identity(ofItemAt:of:)``.
  ///
  /// - Parameter position: its place among the items of its source.
  public func identity(ofOwned number: UInt64, at position: Int, of source: String) -> String? {
    mappedItem(ofOwned: number, at: position, of: source).flatMap { $0.row?.id ?? $0.details?.address?.id }
  }

  /// Why an item that the service owns has no row. As ``refusal(ofItemAt:of:)``.
  public func refusal(ofOwned number: UInt64, at position: Int, of source: String) -> SkippedItem? {
    mappedItem(ofOwned: number, at: position, of: source)?.details?.skip.map {
      SkippedItem($0, of: source, at: position)
    }
  }

  /// Returns the shown section with an identity, compared by its bytes. O(1) where edits are laid out one by one, else
  /// O(sections).
  public func section(named id: String) -> Section? {
    guard let layout else { return sections.first { $0.id.isExactly(id) } }
    return layout.groups[ExactText(id)].flatMap {
      layout.sections.indices.contains($0) ? layout.sections[$0].shown : nil
    }
  }

  /// The section that shows the row of an item, as it was laid out; nil where none does, or edits are not laid out one by
  /// one. O(1).
  public func section(ofRow id: String) -> Section? {
    layout.flatMap { layout in layout.item(named: id).flatMap { layout.shownSection(of: $0.item) } }
  }

  func mappedItem(named id: String) -> MappedItem? {
    if let layout { return layout.item(named: id)?.item.mapped }
    return lookup.flatMap { lookup in lookup.position(id).map { lookup.items[$0] } }
  }

  /// An item that the service owns, by its number or, where there is no layout, its place.
  func mappedItem(ofOwned number: UInt64, at position: Int, of source: String) -> MappedItem? {
    guard let layout else { return mappedItem(position, of: source) }
    return layout.items[number]?.mapped
  }

  private func mappedItem(_ position: Int, of source: String) -> MappedItem? {
    if let layout = ownLayout, layout.source == source {
      guard position >= 0 else { return nil }
      if edited != nil { return layout.items[UInt64(position)]?.mapped }
      return layout.items.ordered.dropFirst(position).first?.item.mapped
    }
    guard let items = cached(source)?.items, items.indices.contains(position) else { return nil }
    return items[position]
  }

  /// A source's items, be they shared.
  private func cached(_ source: String) -> CachedSource? {
    part.flatMap { $0.common.group.source == source ? $0.common.source : nil } ?? cache.sources[source]
  }

  /// A source's items in their order, each with the row that it makes, if it makes one. O(items).
  public func items(of source: String) -> [(row: String?, bytes: [UInt8])] {
    if let layout = ownLayout, layout.source == source {
      return layout.items.ordered.map { ($0.item.mapped.row?.id, $0.item.bytes) }
    }
    guard let found = cached(source) else { return [] }
    let shown = part.map { part in Set(part.selection.items.map { Int($0.position) }) }
    return found.items.enumerated().map { place, item in
      (shown?.contains(place) == false ? nil : item.row?.id, found.texts.bytes(of: place))
    }
  }

  /// The items that no section takes: how many, and the first of them, at most ``maximumKept``. O(items).
  public func unplaced() -> (count: Int, first: [SkippedItem]) {
    if let part { return part.unplaced() }
    var (count, first): (Int, [SkippedItem]) = (0, [])
    for source in Set(cache.sources.keys).union(ownLayout.map { [$0.source] } ?? []).sorted() {
      let layout = ownLayout.flatMap { $0.source == source ? $0 : nil }
      let items = layout?.items.ordered.map(\.item.mapped) ?? cache.sources[source]?.items.array ?? []
      for (index, item) in items.enumerated() where item.row == nil && item.details?.skip == nil && !item.isMalformed {
        count += 1
        guard first.count < Self.maximumKept else { continue }
        let id = item.details?.address?.id
        first.append(SkippedItem(source: source, index: index, id: id, reason: "no section takes it"))
      }
    }
    return (count, first)
  }

  /// The content as a table. `state` nil: `ready`, or `empty` where there are no rows.
  public func table(_ definition: TableDefinition, state: TableState? = nil, problem: Problem? = nil) -> Table {
    let isEmpty = sections.allSatisfy { $0.rows.isEmpty }
    var table = Table(
      name: definition.name,
      title: title ?? definition.title,
      state: state ?? (isEmpty ? .empty : .ready),
      problem: problem,
      animation: definition.animation,
      sections: sections,
      omittedSections: omittedSections,
      skippedItems: skippedItems,
      rowCount: box.values.rowCount
    )
    table.isTruncated = isTruncated
    table.isForEdges = definition.isForEdges
    return table
  }
}

extension MappingResult {
  /// Returns what the table's lookups find for a row's item, by their names: null where there is no such item, a list
  /// where `on` is one, nothing where the source of a lookup has not answered. Nil if there is no such row. O(bytes of
  /// what is found).
  public func lookedUp(for row: String) -> [String: JSONValue]? {
    guard let item = mappedItem(named: row) else { return nil }
    let keys = item.details?.lookupKeys ?? []
    var found: [String: JSONValue] = [:]
    for (number, lookup) in cache.plan.lookups.enumerated() {
      guard cache.lookups.indices.contains(number), let index = cache.lookups[number] else { continue }
      let item = { (key: LookupKey) -> JSONValue? in
        index.position(of: key).flatMap { try? JSONValue(parsing: index.bytes(of: $0)) }
      }
      switch keys.indices.contains(number) ? keys[number] : .none {
      case .none: found[lookup.name] = .null
      case .one(let key): found[lookup.name] = item(key) ?? .null
      case .many(let keys): found[lookup.name] = .array(keys.compactMap(item))
      }
    }
    return found
  }
}

extension MappingResult {
  /// Keeps the first rows in display order: sections behind them are left out, headers and footers stay as they are.
  /// - Precondition: `count` is at least 1. O(sections).
  public mutating func keepFirst(_ count: Int) {
    var left = count
    var kept: [Section] = []
    for section in sections where left > 0 {
      kept.append(section.cut(after: left))
      left -= section.rows.count
    }
    change { $0.sections = kept }
  }

  /// Shows what was found of it instead.
  public mutating func keep(_ sections: [Section]) { change { $0.sections = sections } }
}
