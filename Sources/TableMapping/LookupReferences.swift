internal import Synchronization

/// The lookups' reverse index: the items of a source that show a looked-up item.
///
/// Made when it is first asked for, as most versions never are, and handed on from version to version while the items
/// stay.
final class LookupReferences: Sendable {
  private let made = Mutex<[[LookupKey: [Int]]]?>(nil)

  /// The places of the items that a change of a lookup's keys concerns. O(the places), but O(items) at the first time.
  func places(of keys: Set<LookupKey>, lookup: Int, among items: MappedItems) -> [Int] {
    made.withLock { made in
      let references = made ?? Self.references(of: items)
      made = references
      guard references.indices.contains(lookup) else { return [] }
      return keys.flatMap { references[lookup][$0] ?? [] }
    }
  }

  private static func references(of items: MappedItems) -> [[LookupKey: [Int]]] {
    var references: [[LookupKey: [Int]]] = []
    for (place, item) in items.enumerated() {
      for (lookup, keys) in (item.details?.lookupKeys ?? []).enumerated() {
        if lookup == references.count { references.append([:]) }
        keys.forEach { references[lookup][$0, default: []].append(place) }
      }
    }
    return references
  }
}
