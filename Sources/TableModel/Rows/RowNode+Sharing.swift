extension RowNode {
  /// The root of a list that takes over of another what their rows, as the same objects, have in common: chunks, and nodes
  /// over such.
  ///
  /// - Complexity: O(rows) to compare references, at the speed of memory: what is shared is neither hashed nor counted.
  static func root(_ rows: [Row], sharing other: RowNode) -> RowNode {
    guard rows.count > longestChunk else {
      return other.isChunk && rows.count == other.count && (rows.isEmpty || have(rows, other.rows, at: 0))
        ? other : RowNode(chunk: rows)
    }
    guard !other.isChunk else { return root(rows) }
    var parts = parts(of: rows, sharing: other.level(0), \.rows) { RowNode.chunks(Array($0)) }
    for height in 1...other.height where parts.count > 1 {
      parts = Self.parts(of: parts, sharing: other.level(height), \.children) { RowNode.nodes(Array($0)) }
    }
    return root(over: parts)
  }

  /// All nodes of one height, in order.
  private func level(_ wanted: Int) -> [RowNode] {
    height == wanted ? [self] : children.flatMap { $0.level(wanted) }
  }

  /// The nodes over `elements`: those of `others` that have just these, one behind the other, and new ones for the rest.
  private static func parts<Element: AnyObject>(
    of elements: [Element],
    sharing others: [RowNode],
    _ content: (RowNode) -> [Element],
    making new: (ArraySlice<Element>) -> [RowNode]
  ) -> [RowNode] {
    var parts: [RowNode] = []
    parts.reserveCapacity(others.count + 1)
    var alignment = Alignment(elements, others.map(content))
    var next = 0
    while let shared = alignment.next() {
      if next < shared.place { parts += new(elements[next..<shared.place]) }
      parts.append(others[shared.group])
      next = shared.end
    }
    if next < elements.count { parts += new(elements[next...]) }
    return filled(parts)
  }

  /// Finds in a list, from its beginning on, the groups of another one.
  private struct Alignment<Element: AnyObject> {
    private let elements: [Element]
    private let groups: [[Element]]
    /// The place where the search goes on, and the group that is expected there.
    private var place = 0
    private var group = 0
    /// The groups by their first elements; made where the lists go on differently.
    private var byFirst: [ObjectIdentifier: Int]?

    /// How many groups may have changed one behind the other for the next one to be looked for where it stood.
    private static var window: Int { 8 }

    init(_ elements: [Element], _ groups: [[Element]]) { (self.elements, self.groups) = (elements, groups) }

    /// The next group that stands in the list whole, and where.
    mutating func next() -> (group: Int, place: Int, end: Int)? {
      guard let (found, start) = inPlace() ?? elsewhere() else { return nil }
      (group, place) = (found + 1, start + groups[found].count)
      return (found, start, place)
    }

    /// Elements are mostly replaced where they stand.
    private func inPlace() -> (Int, Int)? {
      var start = place
      for candidate in group..<min(group + Self.window, groups.count) {
        if stands(candidate, at: start) { return (candidate, start) }
        start += groups[candidate].count
      }
      return nil
    }

    private mutating func elsewhere() -> (Int, Int)? {
      if byFirst == nil {
        let firsts = groups.enumerated().compactMap { number, group in
          group.first.map { (ObjectIdentifier($0), number) }
        }
        byFirst = Dictionary(firsts) { first, _ in first }
      }
      guard let byFirst else { return nil }
      return elements[min(place, elements.count)...].withUnsafeBufferPointer { rest in
        for (offset, element) in rest.enumerated() {
          guard let candidate = byFirst[ObjectIdentifier(element)], stands(candidate, at: place + offset) else {
            continue
          }
          return (candidate, place + offset)
        }
        return nil
      }
    }

    /// Returns whether a group's elements, as the same objects, stand at a place. Counts no reference.
    private func stands(_ group: Int, at start: Int) -> Bool {
      RowNode.have(elements, groups[group], at: start)
    }
  }

  private static func have<Element: AnyObject>(_ elements: [Element], _ group: [Element], at start: Int) -> Bool {
    guard !group.isEmpty, elements.count - start >= group.count else { return false }
    return elements.withUnsafeBytes { elements in
      group.withUnsafeBytes { group in
        // References side by side: equal words are the same objects.
        let word = MemoryLayout<UInt>.stride
        var (place, offset) = (start * word, 0)
        while offset < group.count {
          let (one, other) = (
            elements.load(fromByteOffset: place, as: UInt.self), group.load(fromByteOffset: offset, as: UInt.self)
          )
          guard one == other else { return false }
          (place, offset) = (place + word, offset + word)
        }
        return true
      }
    }
  }
}

extension RowNode {
  /// How many rows stand in parts at the beginning that both lists have. O(log rows).
  static func sharedPrefix(_ old: RowNode, _ new: RowNode) -> Int {
    if old === new { return old.count }
    if old.height > new.height { return sharedPrefix(old.children[0], new) }
    if new.height > old.height { return sharedPrefix(old, new.children[0]) }
    var count = 0
    for (old, new) in zip(old.children, new.children) {
      guard old === new else { return count + sharedPrefix(old, new) }
      count += old.count
    }
    return count
  }

  /// How many rows stand in parts at the end that both lists have. O(log rows).
  static func sharedSuffix(_ old: RowNode, _ new: RowNode) -> Int {
    if old === new { return old.count }
    if old.height > new.height { return sharedSuffix(old.children[old.children.count - 1], new) }
    if new.height > old.height { return sharedSuffix(old, new.children[new.children.count - 1]) }
    var count = 0
    for (old, new) in zip(old.children.reversed(), new.children.reversed()) {
      guard old === new else { return count + sharedSuffix(old, new) }
      count += old.count
    }
    return count
  }
}
