internal import JSON
internal import TableModel

/// Decides about items that a walk over pages did not meet, though they were there before. Pure.
///
/// An item that goes while pages are read pulls those behind it forward, and the first of the next page is read by nobody:
/// it looks as if it had gone, too. So nothing is taken away that only one walk has missed:
///
/// 1. A walk that misses an item that was there the last time is followed by another one.
/// 2. What both miss is gone. What the second alone misses is carried over from the first, behind the item that it stood
///    behind there; the next refresh looks for it again.
///
/// So an item that is there is missed only where as many others as a page has go during the two walks.
struct SecondLook {
  /// One page of a walk: its text, and a hash of each item's identity, in order.
  struct Page: Sendable {
    var text: ResponseCheck.Text
    var identities: [Int]
  }

  /// The destination of an item that is carried over, and its origin.
  fileprivate struct Addition {
    /// The element before it in its new page; nil: it comes first.
    var after: Int?
    var item: [UInt8]
    var identity: Int
  }

  /// Returns whether a walk misses something. O(items).
  static func misses(_ pages: [[Int]], of known: [Int]) -> Bool {
    guard !known.isEmpty else { return false }
    var left = Set(known)
    for page in pages {
      for identity in page { left.remove(identity) }
      if left.isEmpty { return false }
    }
    return true
  }

  /// The second walk's pages, with the items that only the first has met.
  ///
  /// - Parameter known: the identities of the items before both, in order: it tells where an item is put.
  /// - Returns: the pages, and the identities of all their items. O(bytes + known).
  static func merge(
    _ first: [Page],
    into second: [Page],
    known: [Int]
  ) throws -> (pages: [Page], identities: [Int], carried: Int) {
    // The places of the second walk's items.
    var places: [Int: (page: Int, element: Int)] = [:]
    for (page, read) in second.enumerated() {
      for (element, identity) in read.identities.enumerated() { places[identity] = (page, element) }
    }
    var additions: [Int: [Addition]] = [:]
    var carried: Set<Int> = []
    let ranks = Dictionary(known.enumerated().map { ($1, $0) }, uniquingKeysWith: { rank, _ in rank })
    // For each known item the place of the nearest one before it that the second walk has met.
    var nearest: [(page: Int, element: Int)?] = []
    nearest.reserveCapacity(known.count)
    var met: (page: Int, element: Int)?
    for identity in known {
      nearest.append(met)
      met = places[identity] ?? met
    }
    var last: (page: Int, element: Int)?
    for page in first {
      for (element, identity) in page.identities.enumerated() {
        if let place = places[identity] {
          last = place
        } else if let list = page.text.list, element < list.elements.count, carried.insert(identity).inserted {
          let item = Array(list.bytes[list.elements[element].range])
          var place = last
          if let rank = ranks[identity] { place = nearest[rank] }
          additions[place?.page ?? 0, default: []].append(
            Addition(after: place?.element, item: item, identity: identity)
          )
        }
      }
    }
    var pages = second
    for (page, added) in additions where pages.indices.contains(page) {
      guard let list = pages[page].text.list else { continue }
      pages[page] = try pages[page].adding(added, to: list)
    }
    return (pages, pages.flatMap(\.identities), carried.count)
  }
}

extension SecondLook.Page {
  /// The page with more items in its list.
  fileprivate func adding(_ additions: [SecondLook.Addition], to list: ListedText) throws -> Self {
    let behind = Dictionary(grouping: additions) { $0.after ?? -1 }
    var items = (behind[-1] ?? []).map { (bytes: $0.item, identity: $0.identity) }
    for ((index, element), identity) in zip(list.elements.enumerated(), identities) {
      items.append((Array(list.bytes[element.range]), identity))
      items += (behind[index] ?? []).map { ($0.item, $0.identity) }
    }
    let body = list.replacingElements(with: items.map(\.bytes))
    let text = ResponseCheck.Text(body: body, list: try ListedText(body, at: list.path))
    return Self(text: text, identities: items.map(\.identity))
  }
}
