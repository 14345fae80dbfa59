/// The part of a common mapping that one mapping shows.
struct MappedPart: Sendable {
  let common: CommonMapping
  let selection: PartSelection
  /// The key of the member; nil where all items are to be asked.
  let key: PartIndex.Key?
}

extension MappedPart {
  /// The items that no section of the member takes. As ``MappingResult/unplaced()``.
  func unplaced() -> (count: Int, first: [SkippedItem]) {
    let taken = Set(selection.items.map { Int($0.position) })
    let source = common.group.source
    let places = common.source.items.indices.filter { !taken.contains($0) && !common.source.items[$0].isMalformed }
    return (
      places.count,
      places.prefix(MappingResult.maximumKept).map { place in
        SkippedItem(source: source, index: place, reason: "no section takes it")
      }
    )
  }
}

extension MappingResult {
  /// The key of the part that this is; nil where any change of the answer may change it.
  public var partKey: PartKey? {
    guard let part, let key = part.key, part.common.index?.hasAllKeys == true else { return nil }
    return PartKey(group: part.common.group, value: key)
  }

  /// Lets go of the rows that it shares, but not of those that it shows: no item is found in it any more, until it is mapped again.
  public mutating func letGoOfPart() { change { $0.part = nil } }
}
