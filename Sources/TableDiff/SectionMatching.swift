import TableModel

/// The pairs of old and new sections, by identity.
struct SectionMatching {
  /// A section that stands in both tables, by its indexes.
  struct Pair {
    let from: Int
    let to: Int
  }

  /// The sections that stay, in the order of the new table.
  private(set) var pairs: [Pair] = []
  /// Indexes in the old table, ascending.
  private(set) var deleted: [Int] = []
  /// Indexes in the new table, ascending.
  private(set) var inserted: [Int] = []

  /// O(sections): common head and tail are paired in step, the rest through a table of identities.
  init(from old: [Section], to new: [Section]) {
    let shorter = min(old.count, new.count)
    var head = 0
    while head < shorter, Section.sameIdentity(old[head], new[head]) { head += 1 }
    var tail = 0
    while tail < shorter - head, Section.sameIdentity(old[old.count - 1 - tail], new[new.count - 1 - tail]) {
      tail += 1
    }

    pairs.reserveCapacity(shorter)
    for index in 0..<head { pairs.append(Pair(from: index, to: index)) }
    let oldMiddle = head..<(old.count - tail)
    let newMiddle = head..<(new.count - tail)
    if oldMiddle.isEmpty {
      inserted = Array(newMiddle)
    } else if newMiddle.isEmpty {
      deleted = Array(oldMiddle)
    } else {
      match(old, oldMiddle, new, newMiddle)
    }
    for index in new.count - tail..<new.count { pairs.append(Pair(from: index - new.count + old.count, to: index)) }
  }

  private mutating func match(_ old: [Section], _ oldMiddle: Range<Int>, _ new: [Section], _ newMiddle: Range<Int>) {
    let table = IdentityTable(count: oldMiddle.count) { old[oldMiddle.lowerBound + $0].identity }
    var isTaken = [Bool](repeating: false, count: oldMiddle.count)
    table.withLookup { lookup in
      for index in newMiddle {
        let section = new[index]
        let found = lookup.first(section.identity) {
          !isTaken[$0] && Section.sameIdentity(old[oldMiddle.lowerBound + $0], section)
        }
        if let found {
          isTaken[found] = true
          pairs.append(Pair(from: oldMiddle.lowerBound + found, to: index))
        } else {
          inserted.append(index)
        }
      }
    }
    for (offset, isTaken) in isTaken.enumerated() where !isTaken { deleted.append(oldMiddle.lowerBound + offset) }
  }
}
