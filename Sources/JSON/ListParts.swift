internal import LongWork
internal import Synchronization

/// Finds on all cores where the elements of a long list stand: the text is cut between elements, and each part is walked by
/// itself.
///
/// Where an element begins is only known to who has read all that stands before it. So the places to cut at are guessed,
/// and the walks prove the guesses: a part that ends outside of strings, behind an element of the list itself, shows that
/// the part behind it begins as was assumed.
struct ListParts {
  private let text: UnsafeRawBufferPointer
  private let path: JSONPath
  private let limits: JSONLimits
  private let ranges: [Range<Int>]

  /// So that a part and its structural characters stay in a core's cache.
  private static let partBytes = 1 << 20
  /// How much of the text is looked at for a place to cut at.
  private static let window = 32 << 10

  /// The list at a path, of objects; nil where the text is short, is no such list, has more elements than are kept, or has
  /// to be read as a whole to be sure.
  ///
  /// - Complexity: O(bytes), divided among the cores.
  static func list(in bytes: [UInt8], at path: JSONPath, keeping limit: Int, _ limits: JSONLimits) -> StructureWalk
    .List?
  {
    guard bytes.count >= 2 * partBytes, bytes.count <= limits.maximumBytes,
      bytes.capacity - bytes.count >= Parser.padding
    else { return nil }
    // The elements of an array lie in one allocation of `capacity` bytes.
    return bytes.withUnsafeBytes { ListParts($0, path, limits)?.list(of: limit) }
  }

  private init?(_ text: UnsafeRawBufferPointer, _ path: JSONPath, _ limits: JSONLimits) {
    (self.text, self.path, self.limits) = (text, path, limits)
    var ranges: [Range<Int>] = []
    var start = 0
    // Parts of about one size: a walk over several needs room for one.
    let count = text.count / Self.partBytes
    var cuts = [Int?](repeating: nil, count: count - 1)
    cuts.withUnsafeMutableBufferPointer { cuts in
      // Each is written by one thread, and read when all are done.
      nonisolated(unsafe) let (cuts, text) = (cuts, text)
      LongWork.perform(iterations: cuts.count) { part in
        cuts[part] = Self.cut(text, behind: (part + 1) * (text.count / count))
      }
    }
    for cut in cuts {
      guard let cut else { return nil }
      ranges.append(start..<cut)
      start = cut + 1
    }
    self.ranges = ranges + [start..<text.count]
  }

  // MARK: Guessing

  /// A comma between two objects of the list, as it seems: of those in a window, one that stands the least deep.
  private static func cut(_ text: UnsafeRawBufferPointer, behind start: Int) -> Int? {
    let end = min(start + window, text.count)
    guard let first = (start..<end).first(where: { isBetweenObjects($0, of: text) }) else { return nil }
    var (cut, least) = (first, 0)
    var (position, depth) = (first + 1, 0)
    while position < end {
      switch text[position] {
      case UInt8(ascii: "\""):
        position += 1
        while position < end, text[position] != UInt8(ascii: "\"") {
          position += text[position] == UInt8(ascii: "\\") ? 2 : 1
        }
      case UInt8(ascii: ",") where depth < least && isBetweenObjects(position, of: text):
        (cut, least) = (position, depth)
      case let byte where OpenBrackets.isOpening(byte): depth += 1
      case let byte where OpenBrackets.isClosing(byte): depth -= 1
      default: break
      }
      position += 1
    }
    return cut
  }

  /// Returns whether a comma stands here between an object and another one's first name, as it does only in lists. In a
  /// string there is no quote but the last one.
  private static func isBetweenObjects(_ position: Int, of text: UnsafeRawBufferPointer) -> Bool {
    guard text[position] == UInt8(ascii: ","), text[..<position].last(where: { $0 > 0x20 }) == UInt8(ascii: "}") else {
      return false
    }
    let next = text[(position + 1)...].lazy.filter { $0 > 0x20 }.prefix(2)
    return next.elementsEqual("{\"".utf8)
  }

  // MARK: Walking

  /// The result of a walk over a part.
  private struct Part {
    var list: StructureWalk.List
    /// At the end of the part; in the last one, behind its last element.
    var walk: StructureWalk
    /// Has the structural characters of the last part that it walked over.
    var parser: Parser
  }

  /// - Parameter limit: of how many elements at most: what is noted of them is bounded while the parts are walked over.
  private func list(of limit: Int) -> StructureWalk.List? {
    var parts = [Part?](repeating: nil, count: ranges.count)
    parts.withUnsafeMutableBufferPointer { parts in
      // Each part is written by one thread, and read when all are done.
      nonisolated(unsafe) let (parts, walker) = (parts, self)
      let next = Atomic(0)
      let found = Atomic(0)
      LongWork.onAllCores(upTo: ranges.count) {
        let parser = Parser(maximumDepth: walker.limits.maximumDepth + 1)
        while true {
          let number = next.add(1, ordering: .relaxed).oldValue
          guard number < parts.count else { return }
          guard let part = try? walker.part(number, parser),
            found.add(part.list.count, ordering: .relaxed).newValue <= limit
          else {
            // All is read as a whole then: what is left need not be walked over.
            next.store(parts.count, ordering: .relaxed)
            return
          }
          parts[number] = part
        }
      }
    }
    // The last walk goes on over the structural characters that its part's parser has.
    return withExtendedLifetime(parts) { try? joined(parts) }
  }

  private func part(_ number: Int, _ parser: Parser) throws(JSONError) -> Part? {
    let bytes = UnsafeRawBufferPointer(rebasing: text[ranges[number]])
    guard parser.index(bytes) == 0 else { return nil }
    var limits = limits
    // The other parts begin inside of the list.
    if number > 0 { limits.maximumDepth -= path.count + 1 }
    var walk = StructureWalk(bytes, structurals: parser.structurals, limits: limits)
    var list = StructureWalk.List(inside: 0..<0)
    if number == 0 {
      try walk.descend(to: path)
      list = try walk.beginList(at: path)
    }
    try walk.readElements(into: &list)
    // Its elements are whole, and nothing comes behind them: so the next part begins behind an element, too.
    let isProof = number == ranges.count - 1 || walk.isAtEnd
    return isProof ? Part(list: list, walk: walk, parser: parser) : nil
  }

  /// Nil where a part is not what was assumed.
  private func joined(_ parts: [Part?]) throws(JSONError) -> StructureWalk.List? {
    let parts = parts.compactMap(\.self)
    guard parts.count == ranges.count, let first = parts.first, var last = parts.last else { return nil }
    // The last walk goes on inside of what the first one left open.
    last.walk.follow(first.walk)
    try last.walk.end(&last.list)
    try last.walk.finish()
    var whole = first.list
    whole.inside = whole.inside.lowerBound..<last.list.inside.upperBound + ranges[ranges.count - 1].lowerBound
    whole.elements.reserveCapacity(parts.reduce(0) { $0 + $1.list.count })
    for (part, range) in zip(parts, ranges).dropFirst() {
      whole.elements += part.list.elements.lazy.map { $0.moved(by: range.lowerBound) }
      whole.count += part.list.count
    }
    return whole
  }
}
