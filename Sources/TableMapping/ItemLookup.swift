internal import TableModel

/// Finds items by their rows' identities.
struct ItemLookup: Sendable {
  let items: MappedItems
  let index: IdentityTable

  /// The item's place among all.
  func position(_ id: String) -> Int? { index.first(Fingerprint(of: id)) { items[$0].isNamed(id) } }
}
