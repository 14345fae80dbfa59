internal import TableDiff
internal import TableModel

/// A table's rows in the order of one of its sorts. Immutable; searches share it, and the next version's goes on from it.
final class RowOrder: Sendable {
  /// A section as it is searched.
  struct Part: Sendable {
    var id: String
    /// Among the table's sections; nil where all rows stand in one.
    var section: Int?
    var rows: RowList
    /// The fingerprint of the identity: Swift's texts are equal where they look alike.
    let identity: Fingerprint

    init(id: String, section: Int?, rows: RowList) {
      (self.id, self.section, self.rows, identity) = (id, section, rows, Fingerprint(of: id))
    }
  }

  let parts: [Part]
  /// Its size without the rows and what it shares with the order before, about, in bytes.
  let bytes: Int

  private init(_ parts: [Part], bytes: Int) { (self.parts, self.bytes) = (parts, bytes) }

  /// Its size with what it shares with the order before. O(sections).
  var allBytes: Int { parts.reduce(64) { $0 + 64 + $1.rows.count * 60 } }

  /// The plain order. O(sections).
  init(_ sections: [Section]) {
    parts = sections.enumerated().map { Part(id: $1.id, section: $0, rows: $1.rows) }
    bytes = 64 + sections.count * 48
  }

  /// True if all parts are the very same trees: one that was forgotten, and is made anew, may have others. O(sections).
  func hasSameTrees(as other: RowOrder) -> Bool {
    self === other
      || parts.count == other.parts.count
        && zip(parts, other.parts).allSatisfy { $0.rows.root === $1.rows.root }
  }

  /// O(rows · log rows).
  static func sorted(_ sections: [Section], by sort: Int, _ schema: FindSchema, sharing other: RowOrder?) -> RowOrder {
    let sorting = Sorting(sort, schema)
    let definition = schema.sorts[sort]
    func list(_ lists: [RowList], _ id: String) -> RowList {
      let rows = sorting.sorted(lists.flatMap { Array($0) })
      let before = other?.parts.first { $0.id.utf8.elementsEqual(id.utf8) }
      return before.map { RowList(rows, sharing: $0.rows) } ?? RowList(rows)
    }
    let parts =
      definition.keepsSections
      ? sections.enumerated().map { Part(id: $1.id, section: $0, rows: list([$1.rows], $1.id)) }
      : [Part(id: definition.id, section: nil, rows: list(sections.map(\.rows), definition.id))]
    return RowOrder(parts, bytes: parts.reduce(64) { $0 + 64 + $1.rows.count * 60 })
  }

  /// The order of a version that was made from another one.
  ///
  /// - Parameters:
  ///   - before: the sections of that version, of which this is the order.
  /// - Complexity: O(changes · log² rows), and what finding rows by their identities takes; O(rows · log rows) where much has
  ///   changed.
  func following(_ before: [Section], to sections: [Section], by sort: Int, _ schema: FindSchema) -> RowOrder {
    let sorting = Sorting(sort, schema)
    if schema.sorts[sort].keepsSections {
      let known = Dictionary(zip(before, parts).map { ($0.identity, ($0.rows, $1.rows)) }) { first, _ in first }
      var bytes = 64
      let parts = sections.enumerated().map { index, section in
        let pair = known[section.identity]
        let rows = pair.flatMap { sorting.following($0.1, from: [$0.0], to: [section.rows], &bytes) }
        return Part(id: section.id, section: index, rows: rows ?? sorting.list(section.rows, pair?.1, &bytes))
      }
      return RowOrder(parts, bytes: bytes)
    }
    var bytes = 64
    // The order of sections decides between equal keys.
    guard before.map(\.identity) == sections.map(\.identity), sections.count <= Self.fewSections, let own = parts.first,
      let rows = sorting.following(own.rows, from: before.map(\.rows), to: sections.map(\.rows), &bytes)
    else { return Self.sorted(sections, by: sort, schema, sharing: self) }
    return RowOrder([Part(id: own.id, section: nil, rows: rows)], bytes: bytes)
  }

  /// In so many each row is looked for.
  private static let fewSections = 16
}

/// How rows stand by the keys of one sort.
private struct Sorting {
  let sort: Int
  let schema: FindSchema
  private let isDescending: Bool

  init(_ sort: Int, _ schema: FindSchema) {
    (self.sort, self.schema, isDescending) = (sort, schema, schema.sorts[sort].isDescending)
  }

  /// Empty where it has none.
  func key(_ row: Row) -> ArraySlice<UInt8> {
    guard var reader = FindRecordReader(row.findable, of: schema), reader.text() != nil,
      let filters = reader.count()
    else { return [] }
    for _ in 0..<filters {
      guard let values = reader.count(), reader.skip(values) else { return [] }
    }
    guard let count = reader.count(), sort < count, reader.skip(sort) else { return [] }
    return reader.text() ?? []
  }

  /// -1, 0 or 1; what has no value comes last in both directions.
  func order(_ first: ArraySlice<UInt8>, _ second: ArraySlice<UInt8>) -> Int {
    if first.isEmpty || second.isEmpty { return first.isEmpty ? (second.isEmpty ? 0 : 1) : -1 }
    let order = first.lexicographicallyPrecedes(second) ? -1 : second.lexicographicallyPrecedes(first) ? 1 : 0
    return isDescending ? -order : order
  }

  func list(_ rows: RowList, _ before: RowList?, _ bytes: inout Int) -> RowList {
    bytes += 64 + rows.count * 60
    let sorted = sorted(Array(rows))
    return before.map { RowList(sorted, sharing: $0) } ?? RowList(sorted)
  }

  func sorted(_ rows: [Row]) -> [Row] {
    struct Keyed {
      var head: UInt64
      var place: Int32
    }
    let keys = rows.map { key($0) }
    var order = keys.enumerated().map { place, key in
      // The first eight bytes decide mostly.
      let head = key.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } << UInt64(8 * max(0, 8 - key.count))
      return Keyed(head: key.isEmpty ? .max : isDescending ? ~head : head, place: Int32(truncatingIfNeeded: place))
    }
    order.sort { first, second in
      if first.head != second.head, !keys[Int(first.place)].isEmpty, !keys[Int(second.place)].isEmpty {
        return first.head < second.head
      }
      let order = self.order(keys[Int(first.place)], keys[Int(second.place)])
      return order == 0 ? first.place < second.place : order < 0
    }
    return order.map { rows[Int($0.place)] }
  }

  /// Nil where so much has changed that sorting all is as fast, or something stands where it should not.
  func following(_ sorted: RowList, from old: [RowList], to new: [RowList], _ bytes: inout Int) -> RowList? {
    var (gone, come): ([Row], [(row: Row, key: ArraySlice<UInt8>, part: Int, place: Int)]) = ([], [])
    let bound = 64 + sorted.count / 32
    for (part, (before, after)) in zip(old, new).enumerated() where !before.isVery(after) {
      var (from, to) = (0, 0)
      let kept = RowList.inStep(before, after) { _, _ in true }
      for run in kept + [(before.count..<before.count, after.count..<after.count)] {
        for place in from..<run.old.lowerBound { gone.append(before[place]) }
        for place in to..<run.new.lowerBound { come.append((after[place], key(after[place]), part, place)) }
        (from, to) = (run.old.upperBound, run.new.upperBound)
        guard gone.count + come.count <= bound else { return nil }
      }
    }
    bytes += 64 + (gone.count + come.count) * 128 * 60
    var places: [Int] = []
    for row in gone {
      guard let place = sorted.firstIndex(of: row.id, row.key.identity) else { return nil }
      places.append(place)
    }
    var rows = sorted
    for place in places.sorted(by: >) { rows = rows.removing(at: place) }
    /// Returns a row's place among all, in the plain order.
    func position(_ row: Row) -> (part: Int, place: Int)? {
      for (part, list) in new.enumerated() {
        if let place = list.firstIndex(of: row.id, row.key.identity) { return (part, place) }
      }
      return nil
    }
    // Rows of one key stand in the plain order, in which each is looked for: with many of them sorting all is faster.
    var ties = 1_024 + rows.count / 16
    for (row, key, part, place) in come {
      var (low, high) = (0, rows.count)
      while low < high {
        let middle = (low + high) / 2
        let other = rows[middle]
        var order = self.order(self.key(other), key)
        if order == 0 {
          ties -= 1
          guard ties >= 0, let position = position(other) else { return nil }
          order = position < (part, place) ? -1 : 1
        }
        if order < 0 { low = middle + 1 } else { high = middle }
      }
      rows = rows.inserting(row, at: low)
    }
    return rows
  }
}
