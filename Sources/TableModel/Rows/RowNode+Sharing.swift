extension RowNode {
  /// The root of a list that takes over every chunk of another whose rows, as the same objects, stand in it one behind
  /// the other. O(rows).
  static func root(_ rows: [Row], sharing other: RowNode) -> RowNode {
    guard rows.count > longestChunk else {
      return other.isChunk && have(rows, other.rows, at: 0, areAll: true) ? other : RowNode(chunk: rows)
    }
    guard !other.isChunk else { return root(rows) }
    var chunks: [ObjectIdentifier: RowNode] = [:]
    other.forEachChunk { chunk in chunks[ObjectIdentifier(chunk.rows[0])] = chunk }
    var parts: [RowNode] = []
    var (next, firstNew) = (0, 0)
    while next < rows.count {
      guard let chunk = chunks[ObjectIdentifier(rows[next])], have(rows, chunk.rows, at: next) else {
        next += 1
        continue
      }
      parts += Self.chunks(Array(rows[firstNew..<next]))
      parts.append(chunk)
      next += chunk.count
      firstNew = next
    }
    parts += Self.chunks(Array(rows[firstNew...]))
    return root(over: filled(parts))
  }

  /// Whether a chunk's rows stand in `rows` from a place on.
  private static func have(_ rows: [Row], _ chunk: [Row], at start: Int, areAll: Bool = false) -> Bool {
    guard areAll ? rows.count == chunk.count : rows.count - start >= chunk.count else { return false }
    return chunk.indices.allSatisfy { rows[start + $0] === chunk[$0] }
  }
}
