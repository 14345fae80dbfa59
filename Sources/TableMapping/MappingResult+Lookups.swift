internal import Expressions
public import JSON

extension MappingResult {
  /// What the table's lookups find for a row's item, by their names: null where there is none, nothing where the source
  /// of a lookup has not answered. Nil where there is no such row. O(bytes of what is found).
  public func lookedUp(for row: String) -> [String: JSONValue]? {
    guard let item = mappedItem(named: row) else { return nil }
    let keys = item.details?.lookupKeys ?? []
    var found: [String: JSONValue] = [:]
    for (number, lookup) in cache.plan.lookups.enumerated() {
      guard cache.lookups.indices.contains(number), let index = cache.lookups[number] else { continue }
      let key = keys.indices.contains(number) ? keys[number] : nil
      let bytes = key.flatMap { index.position(of: $0) }.map { index.bytes(of: $0) }
      found[lookup.name] = bytes.flatMap { try? JSONValue(parsing: $0) } ?? .null
    }
    return found
  }
}
