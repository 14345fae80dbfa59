internal import Synchronization
internal import TableModel

/// By filter, how many rows would be found with each value, given the words and the other filters.
struct FilterCounts: Sendable {
  private(set) var counts: [[[UInt8]: Int]]

  init(_ schema: FindSchema) { counts = .init(repeating: [:], count: schema.filters.count) }

  /// Its size, about, in bytes, without the values, which chunks have.
  var footprint: Int { counts.reduce(0) { $0 + 64 + $1.count * 32 } }

  /// - Parameter sign: -1 where the chunk is gone.
  mutating func add(_ node: MatchNode, _ matching: Matching, sign: Int = 1, only admitted: [Set<[UInt8]>?]) {
    guard node.textCount > 0, !counts.isEmpty else { return }
    let chunk = FindChunk.of(node.source, matching.schema)
    for filter in counts.indices {
      let rows =
        matching.chosen[filter].isEmpty ? node.found : matching.found(node.source, text: node.text, but: filter)
      let column = chunk.columns[filter]
      if column.values.isEmpty || rows == .none { continue }
      var local = [Int](repeating: 0, count: column.values.count)
      rows.forEach(of: node.source.count) { row in for entry in column.entries(of: row) { local[Int(entry)] += 1 } }
      for (entry, count) in local.enumerated() where count > 0 {
        let value = column.values[entry]
        if let admitted = admitted[filter], !admitted.contains(value) { continue }
        let sum = (counts[filter][value] ?? 0) + sign * count
        counts[filter][value] = sum == 0 ? nil : sum
      }
    }
  }
}

/// The values that rows have in each filter, as far as they are counted: the first thousand in the order of the table.
final class ValueCensus: Sendable {
  let mark: UInt64
  /// By filter, in the order in which rows first have them; one more than are counted where there are more.
  let values: [[[UInt8]]]

  static let maximum = 1_000

  private init(_ mark: UInt64, _ values: [[[UInt8]]]) { (self.mark, self.values) = (mark, values) }

  /// Makes a chunk's census of the values of its columns, which it shares where they are few. O(filters).
  convenience init(_ mark: UInt64, of columns: [FindChunk.FilterColumn]) {
    self.init(
      mark,
      columns.map { column in
        column.values.count <= Self.maximum + 1 ? column.values : Array(column.values.prefix(Self.maximum + 1))
      }
    )
  }

  /// Its size, about, in bytes, without the values, which chunks have.
  var footprint: Int { values.reduce(64) { $0 + 32 + $1.count * 8 } }

  /// Returns whether all values are counted.
  var isWhole: Bool { values.allSatisfy { $0.count <= Self.maximum } }

  /// Returns the census of a list; made once for each part of it. O(rows) at first, then O(changes · log rows ·
  /// values).
  static func of(_ node: RowNode, _ schema: FindSchema) -> ValueCensus {
    if node.isChunk { return FindChunk.of(node, schema).census }
    let known = node.findings.withLock { $0 as? ValueCensus }
    if let known, known.mark == schema.mark { return known }
    let made = joined(node.children.lazy.map { of($0, schema) }, schema)
    node.findings.withLock { $0 = made }
    return made
  }

  /// Returns the census of a table. O(sections · values) beside that of each section.
  static func of(_ table: Table, _ schema: FindSchema) -> ValueCensus {
    joined(table.sections.lazy.map { of($0.rows.root, schema) }, schema)
  }

  /// Returns the census of lists one behind the other.
  static func joined(_ parts: some Sequence<ValueCensus>, _ schema: FindSchema) -> ValueCensus {
    let parts = Array(parts)
    if parts.count == 1 { return parts[0] }
    var values = [[[UInt8]]](repeating: [], count: schema.filters.count)
    var known = [Set<[UInt8]>](repeating: [], count: schema.filters.count)
    for part in parts {
      for filter in values.indices {
        for value in part.values[filter] where values[filter].count <= maximum && known[filter].insert(value).inserted {
          values[filter].append(value)
        }
      }
    }
    return ValueCensus(schema.mark, values)
  }

  /// Returns the values that are counted, where not all are.
  func admitted(_ filter: Int) -> Set<[UInt8]>? {
    values[filter].count > Self.maximum ? Set(values[filter].prefix(Self.maximum)) : nil
  }
}
