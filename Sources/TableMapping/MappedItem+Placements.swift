internal import FieldValues
internal import TableModel

extension MappedItem {
  /// The fingerprints of all that the item is found by.
  func forEachName(_ body: (Fingerprint) -> Void) {
    if let row { body(row.key.identity) }
    guard let details else { return }
    for other in details.others { body(other.row.key.identity) }
    if let address = details.address { body(Fingerprint(of: address.id)) }
  }

  /// Its rows, and where they go.
  var placements: [Placement] {
    guard let row else { return [] }
    let first = Placement(section: section, group: details?.group, row: row, sortKeys: details?.sortKeys ?? [])
    return [first] + (details?.others ?? [])
  }

  /// The keys that its first row is sorted by.
  var sortKeys: [SortKey] { details?.sortKeys ?? [] }

  /// Returns the keys that one of its rows is sorted by.
  func sortKeys(of row: Row) -> [SortKey] {
    guard let details else { return [] }
    if details.others.isEmpty || self.row?.key.identity == row.key.identity { return details.sortKeys }
    return details.others.first { $0.row.key.identity == row.key.identity }?.sortKeys ?? []
  }
}

extension MappingResult {
  /// Returns the identity of the row that an item has in a declared section, by that of any of its rows: where several
  /// sections show it, it has one in each. Nil where it has none there. O(its rows).
  public func identity(ofItemInRow id: String, in section: String) -> String? {
    mappedItem(named: id)?.placements.first { placement in
      placement.group == nil && cache.plan.sectionPlans[placement.section].id == section
    }?.row.id
  }

  /// Returns the identities of the rows that an item of the service's own has in further sections, be they shown or lost to another
  /// item that has one of them. As ``identity(ofOwned:at:of:)``.
  public func furtherRows(ofOwned number: UInt64, at position: Int, of source: String) -> [String] {
    mappedItem(ofOwned: number, at: position, of: source)?.details?.others.map(\.row.id) ?? []
  }
}

extension MappedItem {
  /// Returns whether its row stands where another item's did, and both items are otherwise alike.
  func takesThePlace(of other: MappedItem) -> Bool {
    guard let row, let otherRow = other.row, row.id.isExactly(otherRow.id), section == other.section else {
      return false
    }
    switch (details, other.details) {
    case (nil, nil): return true
    case (let one?, let other?): return one.placesOnly && other.placesOnly && one.places(as: other)
    default: return false
    }
  }
}

extension MappedItem.Details {
  /// It says where one row stands, and nothing else.
  fileprivate var placesOnly: Bool { others.isEmpty && skip == nil && address == nil && warning == nil }

  /// Returns whether both say the same of the item's place.
  fileprivate func places(as other: MappedItem.Details) -> Bool {
    let isSameGroup =
      switch (group, other.group) {
      case (nil, nil): true
      case (let one?, let other?): one.id.isExactly(other.id) && one.key.isExactly(other.key)
      default: false
      }
    return isSameGroup && sortKeys.count == other.sortKeys.count
      && zip(sortKeys, other.sortKeys).allSatisfy { $0.isExactly($1) }
  }
}
