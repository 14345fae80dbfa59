internal import Expressions
public import JSON

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
