internal import TableModel

/// A search as chunks are asked.
struct Matching: Sendable {
  let schema: FindSchema
  /// The longest first: they find least.
  private let patterns: [Pattern]
  /// By filter, in the schema's order: the values of which one is asked for; none where the filter isn't used.
  let chosen: [[[UInt8]]]

  init(_ search: FindSearch, _ schema: FindSchema) {
    self.schema = schema
    patterns = Set(search.words.flatMap { Folding.patterns(of: $0) }).sorted { first, second in
      first.count == second.count ? first.lexicographicallyPrecedes(second) : first.count > second.count
    }.map { Pattern($0) }
    chosen = schema.filters.map { search.values(of: $0) }
  }

  /// Its size, about, in bytes.
  var footprint: Int { patterns.reduce(0) { $0 + $1.footprint } }

  /// The rows that have all words, among some.
  func text(_ node: RowNode, among rows: RowSet = .all) -> RowSet {
    guard !patterns.isEmpty, rows != .none else { return rows }
    let chunk = FindChunk.of(node, schema)
    return patterns.reduce(rows) { chunk.rows(with: $1, among: $0, of: node, schema) }
  }

  /// Returns the rows that have all words and a chosen value in each filter that is used, except one filter.
  func found(_ node: RowNode, text: RowSet, but filter: Int? = nil) -> RowSet {
    var rows = text
    for other in chosen.indices where other != filter && !chosen[other].isEmpty && rows != .none {
      let with = FindChunk.of(node, schema).columns[other].rows(with: chosen[other])
      rows = rows.intersection(with, of: node.count)
    }
    return rows
  }
}

/// The rows that a search finds in a part of a list of rows: a tree of the same form. Immutable; searches of versions
/// that share a part share this.
final class MatchNode: Sendable {
  let source: RowNode
  /// How many rows are found, and how many have the words.
  let count: Int
  let textCount: Int
  /// The rows of a chunk that have the words.
  let text: RowSet
  let found: RowSet
  /// The children of a node; none where no row has the words.
  let children: [MatchNode]

  /// Makes a leaf for a chunk.
  init(_ source: RowNode, text: RowSet, found: RowSet) {
    (self.source, self.text, self.found, children) = (source, text, found, [])
    (count, textCount) = (found.count(of: source.count), text.count(of: source.count))
  }

  convenience init(_ source: RowNode, children: [MatchNode]) {
    let (count, textCount) = children.reduce((0, 0)) { ($0.0 + $1.count, $0.1 + $1.textCount) }
    self.init(source, children: children, count: count, textCount: textCount)
  }

  /// - Parameters:
  ///   - count: of all children.
  ///   - textCount: of all children.
  init(_ source: RowNode, children: [MatchNode], count: Int, textCount: Int) {
    (self.source, self.count, self.textCount) = (source, count, textCount)
    self.children = textCount == 0 ? [] : children
    (text, found) = (.none, .none)
  }

  /// Where no row has the words.
  convenience init(emptyFor source: RowNode) {
    if source.isChunk { self.init(source, text: .none, found: .none) } else { self.init(source, children: []) }
  }

  /// The size of this node alone, about, in bytes.
  var footprint: Int {
    var bytes = 112 + children.count * 8
    for set in [text, found] { if case .some(let bits) = set { bytes += 32 + bits.count * 8 } }
    return bytes
  }

  var hasAll: Bool { count == source.count }

  // MARK: Reading

  /// How many rows are found before a place of the source's. O(log rows).
  func rank(of place: Int) -> Int {
    if place <= 0 || count == 0 { return 0 }
    if place >= source.count { return count }
    if source.isChunk { return found.count(before: place) }
    var (rest, rank) = (place, 0)
    for child in children {
      if rest < child.source.count { return rank + child.rank(of: rest) }
      rest -= child.source.count
      rank += child.count
    }
    return rank
  }

  /// Appends the found rows of a range of the source's places. O(log rows + found).
  func append(_ range: Range<Int>, to rows: inout [Row]) {
    guard count > 0, !range.isEmpty else { return }
    if source.isChunk {
      found.forEach(of: source.count) { if range.contains($0) { rows.append(source.rows[$0]) } }
      return
    }
    var start = 0
    for child in children {
      let end = start + child.source.count
      let own = range.clamped(to: start..<end)
      if !own.isEmpty { child.append(own.lowerBound - start..<own.upperBound - start, to: &rows) }
      start = end
    }
  }

  /// Appends found rows by their numbers among those that are found. O(log rows + found).
  func append(ranks: Range<Int>, to rows: inout [Row]) {
    guard count > 0, !ranks.isEmpty else { return }
    if source.isChunk {
      var rank = 0
      found.forEach(of: source.count) { row in
        if ranks.contains(rank) { rows.append(source.rows[row]) }
        rank += 1
      }
      return
    }
    var start = 0
    for child in children where start < ranks.upperBound {
      let end = start + child.count
      if end > ranks.lowerBound {
        let low = max(ranks.lowerBound, start) - start
        child.append(ranks: low..<min(ranks.upperBound, end) - start, to: &rows)
      }
      start = end
    }
  }

  /// Each chunk with a row that has the words.
  func forEachChunk(_ body: (MatchNode) -> Void) {
    guard textCount > 0 else { return }
    if source.isChunk { body(self) } else { for child in children { child.forEachChunk(body) } }
  }
}

/// Finds a search's rows in a list, going on from what is known of it.
struct MatchMaking {
  let matching: Matching
  /// The chunks that were looked at, and those of the list before that are gone.
  private(set) var fresh: [MatchNode] = []
  private(set) var gone: [MatchNode] = []
  /// The size of the parts made so far, about, in bytes.
  private(set) var bytes = 0
  private var known: [ObjectIdentifier: MatchNode] = [:]

  init(_ matching: Matching) { self.matching = matching }

  /// In a list of which nothing is known.
  ///
  /// - Parameter wider: of the same list, what a search found that finds all that this one does.
  /// - Complexity: O(rows) at some nanoseconds each; with `wider` of the rows that it found.
  mutating func match(_ root: RowNode, within wider: MatchNode? = nil) -> MatchNode {
    known = [:]
    return make(root, wider)
  }

  /// In a list that was made from another one. O(changes · log rows).
  mutating func match(_ root: RowNode, after before: MatchNode) -> MatchNode {
    known = [:]
    return make(root, after: before.source, before)
  }

  /// In a part of a list that stands where another part stood: mostly the trees have one form, and differ in some chunks.
  ///
  /// - Parameter before: what was found there; nil: no row had the words.
  private mutating func make(_ node: RowNode, after old: RowNode, _ before: MatchNode?) -> MatchNode {
    if node === old { return before ?? MatchNode(emptyFor: node) }
    if node.isChunk, old.isChunk { return makeChunk(node, after: old, before) }
    guard node.height == old.height, node.children.count == old.children.count else {
      let ends = node.height == old.height ? Self.commonEnds(node.children, old.children) : nil
      return make(node, after: old, before, keeping: ends)
    }
    var children = before?.children ?? []
    let isKnown = !children.isEmpty
    var (count, textCount) = isKnown ? (before?.count ?? 0, before?.textCount ?? 0) : (0, 0)
    for index in Self.differences(node.children, old.children) {
      let former = isKnown ? children[index] : nil
      let made = make(node.children[index], after: old.children[index], former)
      if children.isEmpty {
        // Where nothing was found most parts are as they were: nothing is made for them before there is a row to be found.
        guard made.textCount > 0 else { continue }
        children = node.children.map { MatchNode(emptyFor: $0) }
      }
      children[index] = made
      count += made.count - (former?.count ?? 0)
      textCount += made.textCount - (former?.textCount ?? 0)
    }
    let made = MatchNode(node, children: children, count: count, textCount: textCount)
    bytes += made.footprint
    return made
  }

  /// The places at which two lists of one length have other nodes. Compares the references alone: to look at a thousand nodes of
  /// which a few differ would take more than all the rest.
  private static func differences(_ new: [RowNode], _ old: [RowNode]) -> [Int] {
    new.withUnsafeBytes { new in
      old.withUnsafeBytes { old in
        let (new, old) = (new.bindMemory(to: UInt.self), old.bindMemory(to: UInt.self))
        return new.indices.filter { new[$0] != old[$0] }
      }
    }
  }

  private mutating func makeChunk(_ node: RowNode, after old: RowNode, _ before: MatchNode?) -> MatchNode {
    let (formerText, formerFound) = (before?.text ?? .none, before?.found ?? .none)
    let (chunk, isFormer) = FindChunk.of(node, after: old, matching.schema)
    if isFormer {
      let made = MatchNode(node, text: formerText, found: formerFound)
      bytes += made.footprint
      return made
    }
    let text = matching.text(node)
    let made = MatchNode(node, text: text, found: matching.found(node, text: text))
    bytes += made.footprint
    // Counts go by the rows that are found and by their values alone.
    let countsAlike =
      text == formerText && made.found == formerFound && node.count == old.count
      && chunk.columns == FindChunk.of(old, matching.schema).columns
    guard !countsAlike else { return made }
    if made.textCount > 0 { fresh.append(made) }
    if let before, before.textCount > 0 { gone.append(before) }
    return made
  }

  /// The number of children at the beginning and at the end that are the same.
  private static func commonEnds(_ new: [RowNode], _ old: [RowNode]) -> (first: Int, last: Int) {
    let limit = min(new.count, old.count)
    var (first, last) = (0, 0)
    while first < limit, new[first] === old[first] { first += 1 }
    while last < limit - first, new[new.count - 1 - last] === old[old.count - 1 - last] { last += 1 }
    return (first, last)
  }

  /// Where the trees have two forms: parts of the old one are looked for, wherever they stand.
  ///
  /// - Parameter ends: how many children at the beginning and at the end are the same; nil: the heights are others.
  private mutating func make(
    _ node: RowNode,
    after old: RowNode,
    _ before: MatchNode?,
    keeping ends: (first: Int, last: Int)?
  ) -> MatchNode {
    let former = before?.children ?? []
    if let ends {
      let isKnown = !former.isEmpty
      let last = node.children.count - ends.last
      if isKnown {
        note(Array(node.children[ends.first..<last]), after: Array(former[ends.first..<former.count - ends.last]))
      }
      let children = node.children.enumerated().map { index, child in
        if index >= ends.first, index < last { return make(child, nil) }
        guard isKnown else { return MatchNode(emptyFor: child) }
        return former[index < ends.first ? index : former.count - (node.children.count - index)]
      }
      let made = MatchNode(node, children: children)
      bytes += made.footprint
      return made
    }
    if let before { note([node], after: [before]) }
    return make(node, nil)
  }

  /// Notes which parts of some nodes are known, wherever they stand, and which chunks have gone.
  private mutating func note(_ nodes: [RowNode], after before: [MatchNode]) {
    var (old, new) = (before, nodes)
    var height = max(old.lazy.map(\.source.height).max() ?? 0, new.lazy.map(\.height).max() ?? 0)
    while height >= 0 {
      let known = Dictionary(old.lazy.filter { $0.source.height == height }.map { (ObjectIdentifier($0.source), $0) }) {
        first,
        _ in first
      }
      var shared: Set<ObjectIdentifier> = []
      var below: [RowNode] = []
      for node in new {
        if node.height < height {
          below.append(node)
        } else if let found = known[ObjectIdentifier(node)] {
          self.known[ObjectIdentifier(node)] = found
          shared.insert(ObjectIdentifier(node))
        } else {
          below += node.children
        }
      }
      old = old.flatMap { node -> [MatchNode] in
        if node.source.height < height { return [node] }
        if shared.contains(ObjectIdentifier(node.source)) { return [] }
        if height == 0 { gone.append(node) }
        return node.children
      }
      new = below
      height -= 1
    }
  }

  private mutating func make(_ node: RowNode, _ wider: MatchNode?) -> MatchNode {
    if let known = known[ObjectIdentifier(node)] { return known }
    let made: MatchNode
    if wider?.textCount == 0 {
      made = MatchNode(emptyFor: node)
    } else if node.isChunk {
      let text = matching.text(node, among: wider?.text ?? .all)
      made = MatchNode(node, text: text, found: matching.found(node, text: text))
      if made.textCount > 0 { fresh.append(made) }
    } else {
      var children: [MatchNode] = []
      children.reserveCapacity(node.children.count)
      for (index, child) in node.children.enumerated() {
        children.append(make(child, wider.map { $0.children[index] }))
      }
      made = MatchNode(node, children: children)
    }
    bytes += made.footprint
    return made
  }
}
