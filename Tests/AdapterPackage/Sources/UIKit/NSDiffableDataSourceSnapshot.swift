import Foundation

/// A state of sections and items by identity. What the real one raises an exception for is kept, and raised by the view
/// that it is applied to.
public struct NSDiffableDataSourceSnapshot<SectionID: Hashable & Sendable, ItemID: Hashable & Sendable>: Sendable {
  private var sections: [(id: SectionID, items: [ItemID])] = []
  private var section: [ItemID: SectionID] = [:]
  private(set) var reconfigured: Set<ItemID> = []
  private(set) var reloaded: Set<ItemID> = []
  private(set) var reloadedSections: Set<SectionID> = []
  private(set) var exceptions: [String] = []

  public init() {}

  public mutating func appendSections(_ identifiers: [SectionID]) {
    for identifier in identifiers {
      if sections.contains(where: { $0.id == identifier }) { exceptions.append("section identifiers must be unique") }
      sections.append((identifier, []))
    }
  }

  public mutating func appendItems(_ identifiers: [ItemID], toSection identifier: SectionID? = nil) {
    guard let index = identifier.map({ id in sections.firstIndex { $0.id == id } }) ?? sections.indices.last else {
      return exceptions.append("there is no section to append to")
    }
    for item in identifiers {
      if section[item] != nil { exceptions.append("item identifiers must be unique") }
      section[item] = sections[index].id
      sections[index].items.append(item)
    }
  }

  public var sectionIdentifiers: [SectionID] { sections.map(\.id) }
  public var itemIdentifiers: [ItemID] { sections.flatMap(\.items) }
  public func itemIdentifiers(inSection identifier: SectionID) -> [ItemID] {
    sections.first { $0.id == identifier }?.items ?? []
  }

  public mutating func reconfigureItems(_ identifiers: [ItemID]) {
    check(identifiers, "reconfigured")
    reconfigured.formUnion(identifiers)
  }

  public mutating func reloadItems(_ identifiers: [ItemID]) {
    check(identifiers, "reloaded")
    reloaded.formUnion(identifiers)
  }

  public mutating func reloadSections(_ identifiers: [SectionID]) {
    for id in identifiers where !sectionIdentifiers.contains(id) {
      exceptions.append("a section that isn't there is reloaded")
    }
    reloadedSections.formUnion(identifiers)
  }

  private mutating func check(_ identifiers: [ItemID], _ what: String) {
    for item in identifiers where section[item] == nil { exceptions.append("an item that isn't there is \(what)") }
  }

  /// As the data source keeps it: what was to be filled again is done.
  var settled: NSDiffableDataSourceSnapshot {
    var copy = self
    (copy.reconfigured, copy.reloaded, copy.reloadedSections, copy.exceptions) = ([], [], [], [])
    return copy
  }

  func item(_ path: IndexPath) -> ItemID? {
    guard sections.indices.contains(path.section), sections[path.section].items.indices.contains(path.item) else {
      return nil
    }
    return sections[path.section].items[path.item]
  }
}

/// What both data sources do with a snapshot: cells of items that stay are kept, others are asked for.
@MainActor
struct DiffableState<SectionID: Hashable & Sendable, ItemID: Hashable & Sendable, Cell: AnyObject> {
  typealias Snapshot = NSDiffableDataSourceSnapshot<SectionID, ItemID>
  var current = Snapshot()
  /// By item: a row that the user drags is elsewhere in the view before its data source knows.
  var cells: [ItemID: Cell] = [:]
  /// Inside a cell provider: applying there is a deadlock.
  var isAsking = false

  /// Brings a list to a snapshot. `fill` asks the cell provider.
  func apply<Header>(
    _ next: Snapshot,
    to list: inout StrictList<Cell, Header>,
    fill: (IndexPath, ItemID) -> Cell?,
    header: (Int) -> Header?,
    kind: (Cell) -> String?,
    raise: (String) -> Void
  ) {
    for exception in next.exceptions { raise(exception) }
    let former = Set(current.itemIdentifiers)
    let headers = Dictionary(zip(current.sectionIdentifiers, list.headers)) { first, _ in first }
    list.headers = next.sectionIdentifiers.enumerated().map { section, id in
      next.reloadedSections.contains(id) ? header(section) : headers[id] ?? header(section)
    }
    list.cells = next.sectionIdentifiers.enumerated().map { section, sectionID in
      next.itemIdentifiers(inSection: sectionID).enumerated().compactMap { item, id in
        let path = IndexPath(item: item, section: section)
        guard former.contains(id), let cell = cells[id], !next.reloaded.contains(id),
          !next.reloadedSections.contains(sectionID)
        else { return fill(path, id) }
        guard next.reconfigured.contains(id) else { return cell }
        let filled = fill(path, id)
        if filled.flatMap(kind) != kind(cell) {
          raise("a cell of another kind was dequeued for an item that is reconfigured")
        }
        return filled
      }
    }
  }
}
