import Synchronization

/// The common properties of rows that are drawn alike: the cells for which a row has a payload, and the field that a
/// tap toggles.
///
/// A client's choice of cells and its taps depend on the kinds of a table's rows and on nothing else in a
/// configuration: replicas of two configurations that have a table's kinds in common draw it alike.
public struct RowKind: Hashable, Sendable {
  /// The row's cell, then its fallbacks in order.
  public let cells: [String]
  /// The name of the member that a tap toggles, as it stands in the payload's JSON; nil where it toggles nothing.
  public let toggles: [UInt8]?

  /// O(1) for what is sensible: in proportion to the names.
  init(_ row: Row) {
    cells = row.cells.map(\.cellIdentifier)
    toggles = row.expansion.map { Self.name(before: $0.lowerBound, in: row.encoded) }
  }

  /// Returns whether a row is of the kind. In proportion to the names, without making any.
  func includes(_ row: Row) -> Bool {
    guard cells.count == row.cells.count, zip(cells, row.cells).allSatisfy({ $0 == $1.cellIdentifier }) else {
      return false
    }
    guard let toggles, let expansion = row.expansion else { return self.toggles == nil && row.expansion == nil }
    // `"name":` stands before the value, and the object's brace or a comma before that.
    let end = expansion.lowerBound - 2
    let start = end - toggles.count
    return start > 1 && row.encoded[end] == UInt8(ascii: "\"") && row.encoded[start..<end].elementsEqual(toggles)
      && row.encoded[start - 1] == UInt8(ascii: "\"")
      && [UInt8(ascii: "{"), UInt8(ascii: ",")].contains(row.encoded[start - 2])
  }

  /// The name of the member whose value begins at an index; empty where there is none.
  private static func name(before value: Int, in bytes: [UInt8]) -> [UInt8] {
    let end = value - 2
    guard end > 0, bytes[end] == UInt8(ascii: "\"") else { return [] }
    var start = end
    while start > 0 {
      if bytes[start - 1] == UInt8(ascii: "\""), start < 2 || bytes[start - 2] != UInt8(ascii: "\\") { break }
      start -= 1
    }
    return Array(bytes[start..<end])
  }
}

extension RowNode {
  /// The kinds of its rows, each once. O(rows) where it is first asked; lists that follow from each other share what they
  /// share of it.
  var kinds: [RowKind] {
    heldKinds.withLock { held in
      if let held { return held }
      var kinds: [RowKind] = []
      if isChunk {
        for row in rows where !kinds.contains(where: { $0.includes(row) }) { kinds.append(RowKind(row)) }
      } else {
        for child in children { kinds.add(child.kinds) }
      }
      held = kinds
      return kinds
    }
  }
}

extension RowNode {
  /// Takes over the kinds of the chunk that this one was made from by replacing a range, where each new row is of the kind of
  /// the one whose place it takes, or of any where it takes none. In proportion to the new rows; what is removed without a row
  /// in its place may have been the last of its kind.
  func inheritKinds(of chunk: RowNode, replacing range: Range<Int>, with new: some Collection<Row>) {
    guard isChunk, range.count <= new.count else { return }
    inheritKinds(
      of: chunk,
      new.enumerated().lazy.map { ($1, $0 < range.count ? chunk.rows[range.lowerBound + $0] : nil) }
    )
  }

  /// The same of rows, each with the one whose place it takes.
  func inheritKinds(of chunk: RowNode, _ rows: some Sequence<(row: Row, former: Row?)>) {
    guard let known = chunk.heldKinds.withLock({ $0 }) else { return }
    for (row, former) in rows {
      guard let kind = known.first(where: { $0.includes(row) }), former.map(kind.includes) ?? true else { return }
    }
    heldKinds.withLock { $0 = known }
  }

  /// Takes over the kinds of the node that this one was made from, where each other child has those of the one whose place it
  /// takes. O(children).
  func inheritKinds(of node: RowNode) {
    guard !isChunk, node.children.count == children.count, let known = node.heldKinds.withLock({ $0 }) else { return }
    for (child, former) in zip(children, node.children) where child !== former {
      guard let kinds = child.heldKinds.withLock({ $0 }), kinds == former.heldKinds.withLock({ $0 }) else { return }
    }
    heldKinds.withLock { $0 = known }
  }
}

extension Table {
  /// The kinds of its rows, each once, in no order that means anything. O(sections) where the parts are known, else O(rows).
  public var rowKinds: [RowKind] {
    var kinds: [RowKind] = []
    for section in sections { kinds.add(section.rows.root.kinds) }
    return kinds
  }
}

extension [RowKind] {
  fileprivate mutating func add(_ others: [RowKind]) {
    for kind in others where !contains(kind) { append(kind) }
  }
}
