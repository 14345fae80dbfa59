internal import LongWork
package import Synchronization

/// A part of a list of rows, with the digest of what stands under it.
///
/// A list that is not long is one chunk, so that what goes over it reads on and on; in a tree chunks are shorter, for an edit
/// copies one, and what differs between two versions is found to within one.
package final class RowNode: ListNode {
  package let count: Int
  package let height: Int
  package let digest: RowsDigest
  /// The rows of a chunk; else empty.
  package let rows: [Row]
  /// `rows[i].key`, side by side, so that a diff reads them in one sweep.
  package let keys: [RowKey]
  package let children: [RowNode]
  package let ends: [Int]
  /// Made when it is first asked for.
  private let index = Mutex<RowIndex?>(nil)
  /// Found when they are first asked for.
  let heldKinds = Mutex<[RowKind]?>(nil)

  /// The search texts of a chunk's rows, made by the module `TableFinding` when it is first searched.
  package let findings = Mutex<(any AnyObject & Sendable)?>(nil)

  package static var longestChunk: Int { 2048 }
  package static var chunkSizes: ClosedRange<Int> { 64...256 }
  package static var nodeSizes: ClosedRange<Int> { 16...64 }

  /// The number of chunks of a long list that a thread makes in one go.
  private static let chunksInARun = 16

  package convenience init(chunk rows: [Row]) {
    // An array made with room for nothing writes its count into the one storage that all empty arrays share.
    guard !rows.isEmpty else {
      self.init([], keys: [])
      return
    }
    let keys = [RowKey](unsafeUninitializedCapacity: rows.count) { keys, count in
      rows.withUnsafeBufferPointer { rows in
        for row in rows.indices { keys.initializeElement(at: row, to: rows[row].key) }
      }
      count = rows.count
    }
    self.init(rows, keys: keys)
  }

  /// A chunk of rows with these keys. O(rows), none of which is looked at.
  init(_ rows: [Row], keys: [RowKey]) {
    (self.rows, self.keys) = (rows, keys)
    count = rows.count
    digest = keys.withUnsafeBufferPointer { RowsDigest(of: $0) }
    (height, children, ends) = (0, [], [])
  }

  package init(children: [RowNode]) {
    (self.children, ends) = (children, RowNode.ends(of: children))
    digest = children.reduce(RowsDigest.empty) { $0.followed(by: $1.digest) }
    (count, height) = (ends.last ?? 0, (children.first?.height ?? 0) + 1)
    (rows, keys) = ([], [])
  }

  package var elements: [Row] { rows }

  /// As for any list; here as well, since other modules would ask for the height by a call.
  package var isChunk: Bool { height == 0 }

  package static func chunks(of pieces: [ArraySlice<Row>]) -> [RowNode] {
    guard pieces.count > chunksInARun else { return pieces.map { RowNode(chunk: Array($0)) } }
    return [RowNode](unsafeUninitializedCapacity: pieces.count) { chunks, count in
      // Each place is written by one thread.
      nonisolated(unsafe) let chunks = chunks
      let runs = (pieces.count + chunksInARun - 1) / chunksInARun
      LongWork.perform(iterations: runs) { run in
        for chunk in run * chunksInARun..<min((run + 1) * chunksInARun, pieces.count) {
          chunks.initializeElement(at: chunk, to: RowNode(chunk: Array(pieces[chunk])))
        }
      }
      count = pieces.count
    }
  }
}

// MARK: - Finding

extension RowNode {
  /// The place of the first row with an identity.
  ///
  /// Every chunk that is a list of its own, and every node over chunks, makes an index when it is first asked; lists that
  /// follow from each other share those of the nodes that they share. So that after an edit one is made anew, of some
  /// 8,000 rows, and in a list of a million some hundred and twenty are asked.
  ///
  /// - Complexity: Expected O(rows / 8,000); where indexes are missing, O(rows of their nodes).
  func firstIndex(_ identity: Fingerprint, where isMatch: (Row) -> Bool) -> Int? {
    if height <= 1 {
      return withIndex { index in
        index.first(identity) { place in
          let (chunk, start) = chunk(with: place)
          return chunk.keys[place - start].identity == identity && isMatch(chunk.rows[place - start])
        }
      }
    }
    var start = 0
    for child in children {
      if let place = child.firstIndex(identity, where: isMatch) { return start + place }
      start += child.count
    }
    return nil
  }

  /// Calls `body` with where identities stand. O(rows) the first time.
  private func withIndex<Result>(_ body: (RowIndex) -> Result) -> Result {
    let index = index.withLock { index in
      let made = index ?? RowIndex(self)
      index = made
      return made
    }
    return body(index)
  }
}

// MARK: - Parts

extension RowNode {
  /// The root of a list of some of the rows, side by side.
  ///
  /// O(log rows + range) for as many as have one chunk, whatever the list's length; O(log rows) for more.
  func part(_ range: Range<Int>) -> RowNode {
    guard range.count < count else { return self }
    guard range.count <= Self.longestChunk else {
      return replacing(range.upperBound..<count, with: EmptyCollection<Row>())
        .replacing(0..<range.lowerBound, with: EmptyCollection<Row>())
    }
    guard !range.isEmpty else { return RowNode(chunk: []) }
    if isChunk { return RowNode(Array(rows[range]), keys: Array(keys[range])) }
    var (rows, keys): ([Row], [RowKey]) = ([], [])
    rows.reserveCapacity(range.count)
    keys.reserveCapacity(range.count)
    forEachSlice(range) {
      rows += $0.rows[$1]
      keys += $0.keys[$1]
    }
    return RowNode(rows, keys: keys)
  }

  /// The digest of some of the rows, side by side. O(log rows + range), and O(log rows + rows of a chunk) where it
  /// goes over whole ones.
  func digest(of range: Range<Int>) -> RowsDigest {
    if range.count == count { return digest }
    var digest = RowsDigest.empty
    forEachSlice(range) { chunk, rows in
      digest = digest.followed(
        by: rows.count == chunk.count
          ? chunk.digest
          : chunk.keys.withUnsafeBufferPointer { RowsDigest(of: .init(rebasing: $0[rows])) }
      )
    }
    return digest
  }

  /// Returns the digest of the list's first rows. O(log rows), and O(rows of a chunk).
  func digest(ofFirst rows: Int) -> RowsDigest {
    var (node, left, digest) = (self, rows, RowsDigest.empty)
    while left > 0 {
      if left == node.count { return digest.followed(by: node.digest) }
      if node.isChunk {
        return digest.followed(by: node.keys.withUnsafeBufferPointer { RowsDigest(of: .init(rebasing: $0[..<left])) })
      }
      for child in node.children {
        if left < child.count {
          node = child
          break
        }
        digest = digest.followed(by: child.digest)
        left -= child.count
      }
    }
    return digest
  }
}

// MARK: - Other rows

extension RowNode {
  /// - Parameter start: the place of this node's first row.
  func replacing(_ new: ArraySlice<(place: Int, row: Row)>, from start: Int) -> RowNode {
    guard isChunk else {
      var (children, rest, start) = (children, new, start)
      for child in children.indices where !rest.isEmpty {
        let end = start + children[child].count
        let own = rest.prefix { $0.place < end }
        rest = rest[own.endIndex...]
        if !own.isEmpty { children[child] = children[child].replacing(own, from: start) }
        start = end
      }
      let node = RowNode(children: children)
      node.inherit(from: self)
      return node
    }
    var (rows, keys) = (rows, keys)
    for (place, row) in new { (rows[place - start], keys[place - start]) = (row, row.key) }
    let chunk = RowNode(rows, keys: keys)
    chunk.inheritKinds(of: self, new.lazy.map { ($0.row, self.rows[$0.place - start]) })
    return chunk
  }
}
