/// Walks over the structural characters of a text without parsing values, and proves on its way that brackets match.
///
/// Indices come from simdjson, which keeps them inside of the text.
struct StructureWalk {
  private let structurals: UnsafeBufferPointer<UInt32>
  private let text: UnsafeRawBufferPointer
  private let limits: JSONLimits
  private var position = 0
  private var brackets: OpenBrackets

  init(_ document: borrowing Document) {
    self.init(document.bytes, structurals: document.parser.structurals, limits: document.limits)
  }

  /// - Parameter text: as its structural characters were found in; both must outlive the walk.
  init(_ text: UnsafeRawBufferPointer, structurals: UnsafeBufferPointer<UInt32>, limits: JSONLimits) {
    (self.text, self.structurals, self.limits) = (text, structurals, limits)
    brackets = OpenBrackets(maximumDepth: limits.maximumDepth)
  }

  /// Proves that all is one value: what was cut off is found here.
  mutating func checkAll() throws(JSONError) {
    if position < structurals.count { try skipValue() }
    try finish()
  }

  /// Proves the same of what comes behind this place.
  mutating func finish() throws(JSONError) {
    while brackets.depth > 0, position < structurals.count { try pass() }
    guard brackets.depth == 0 else { throw cutOff }
    guard position >= structurals.count else {
      throw JSONError(.syntax, "something follows the value", offset: offset(at: position))
    }
  }

  /// Moves behind one structural character.
  @inline(__always)
  private mutating func pass() throws(JSONError) {
    let byte = text[Int(structurals[position])]
    if OpenBrackets.isBracket(byte) { try pass(bracket: byte, at: position) }
    position += 1
  }

  @inline(__always)
  private mutating func pass(bracket byte: UInt8, at position: Int) throws(JSONError) {
    if OpenBrackets.isOpening(byte) {
      guard brackets.open(byte) else {
        throw JSONError(
          .limit,
          "objects and arrays are nested deeper than \(limits.maximumDepth)",
          offset: offset(at: position)
        )
      }
    } else if OpenBrackets.isClosing(byte) {
      guard brackets.close(byte) else {
        let bracket = byte == UInt8(ascii: "}") ? "}" : "]"
        throw JSONError(.syntax, "\(bracket) closes nothing", offset: offset(at: position))
      }
    }
  }

  private var cutOff: JSONError {
    let things = brackets.depth == 1 ? "an open object or array" : "\(brackets.depth) open objects and arrays"
    return JSONError(.truncated, "the text ends inside of \(things)", offset: text.count)
  }

  private func byte(at position: Int) -> UInt8 {
    position < structurals.count ? text[Int(structurals[position])] : 0
  }

  private func offset(at position: Int) -> Int {
    position < structurals.count ? Int(structurals[position]) : text.count
  }

  /// Moves to the value at the end of a path.
  mutating func descend(to path: JSONPath) throws(JSONError) {
    for (depth, component) in path.enumerated() {
      switch component {
      case .name(let name): try enterMember(name, of: path, depth: depth)
      case .index(let index): try enterElement(index, of: path, depth: depth)
      }
    }
  }

  private mutating func enterMember(_ name: String, of path: JSONPath, depth: Int) throws(JSONError) {
    guard byte(at: position) == UInt8(ascii: "{") else {
      throw mismatch(path.prefix(depth), expected: "an object with “\(name)”")
    }
    try pass()
    while byte(at: position) != UInt8(ascii: "}") {
      guard position < structurals.count else { throw cutOff }
      guard byte(at: position) == UInt8(ascii: "\""), byte(at: position + 1) == UInt8(ascii: ":") else {
        throw JSONError(.syntax, "a member's name and a colon are expected", offset: offset(at: position))
      }
      let isMatch = try self.name(at: position).utf8.elementsEqual(name.utf8)
      position += 2
      if isMatch { return }
      try skipValue()
      if byte(at: position) == UInt8(ascii: ",") { position += 1 }
    }
    throw JSONError(.mismatch, "there is no “\(name)” in \(Self.describe(path.prefix(depth)))")
  }

  private mutating func enterElement(_ index: Int, of path: JSONPath, depth: Int) throws(JSONError) {
    let start = position
    let list = try list(at: JSONPath(path.prefix(depth)))
    let wanted = index < 0 ? list.elements.count + index : index
    guard list.elements.indices.contains(wanted) else {
      throw JSONError(
        .mismatch,
        "\(Self.describe(path.prefix(depth))) has \(list.elements.count) elements, none at \(index)"
      )
    }
    // Back inside of the array, at the element.
    guard brackets.open(UInt8(ascii: "[")) else { throw cutOff }
    position = start
    while offset(at: position) < list.elements[wanted].range.lowerBound { position += 1 }
  }

  /// A list, as ``list(at:keeping:)`` finds it.
  struct List {
    /// The range between its brackets.
    var inside: Range<Int>
    /// The first of its elements, and how many there are in all.
    var elements: [ListedText.Element] = []
    var count = 0
  }

  /// The list at the current position, with where so many of its elements stand; the position is then behind it.
  mutating func list(at path: JSONPath, keeping limit: Int = .max) throws(JSONError) -> List {
    var list = try beginList(at: path)
    if byte(at: position) != UInt8(ascii: "]") { try readElements(into: &list, keeping: limit) }
    try end(&list)
    return list
  }

  /// Moves behind the bracket that opens a list.
  mutating func beginList(at path: JSONPath) throws(JSONError) -> List {
    guard byte(at: position) == UInt8(ascii: "[") else { throw mismatch(path[...], expected: "an array") }
    let start = offset(at: position) + 1
    try pass()
    return List(inside: start..<start)
  }

  /// Moves behind the elements that follow here, one at least, to what stands behind the last one.
  mutating func readElements(into list: inout List, keeping limit: Int = .max) throws(JSONError) {
    while true {
      let element = try element()
      if list.count < limit { list.elements.append(element) }
      list.count += 1
      guard byte(at: position) == UInt8(ascii: ",") else { return }
      position += 1
    }
  }

  /// Moves behind the bracket that closes a list.
  mutating func end(_ list: inout List) throws(JSONError) {
    guard byte(at: position) == UInt8(ascii: "]") else {
      guard position < structurals.count else { throw cutOff }
      throw JSONError(.syntax, "a comma or ] is expected after an element", offset: offset(at: position))
    }
    list.inside = list.inside.lowerBound..<offset(at: position)
    try pass()
  }

  /// True if this walk has come to the end of its text.
  var isAtEnd: Bool { position >= structurals.count }

  /// Goes on where another walk was that came to the end of the text before this one's.
  mutating func follow(_ other: StructureWalk) { brackets = other.brackets }

  private mutating func element() throws(JSONError) -> ListedText.Element {
    let start = offset(at: position)
    let isContainer = OpenBrackets.isOpening(byte(at: position))
    try skipValue()
    var end = isContainer ? offset(at: position - 1) + 1 : offset(at: position)
    while end > start, ListScanner.isSpace(text[end - 1]) { end -= 1 }
    return ListedText.Element(start..<end)
  }

  private mutating func skipValue() throws(JSONError) {
    let first = byte(at: position)
    if OpenBrackets.isOpening(first) {
      try skipContainer()
    } else {
      guard position < structurals.count else { throw cutOff }
      if first == UInt8(ascii: ",") || first == UInt8(ascii: ":") || OpenBrackets.isClosing(first) {
        throw JSONError(.syntax, "a value is expected", offset: offset(at: position))
      }
      position += 1
    }
  }

  /// From an opening bracket to behind the one that closes it.
  private mutating func skipContainer() throws(JSONError) {
    let outside = brackets.depth
    // In a register: nearly all that this walk passes is no bracket.
    var next = position
    defer { position = next }
    while next < structurals.count {
      let byte = text[Int(structurals[next])]
      next += 1
      guard OpenBrackets.isBracket(byte) else { continue }
      try pass(bracket: byte, at: next - 1)
      if brackets.depth == outside { return }
    }
    throw cutOff
  }

  /// The unescaped text of the string that starts here.
  private func name(at position: Int) throws(JSONError) -> String {
    let start = offset(at: position)
    var end = offset(at: position + 1)
    while end > start, ListScanner.isSpace(text[end - 1]) { end -= 1 }
    guard end - start >= 2 else { throw JSONError(.syntax, "a member's name is expected", offset: start) }
    let inner = UnsafeRawBufferPointer(rebasing: text[(start + 1)..<(end - 1)])
    guard inner.contains(UInt8(ascii: "\\")) else { return String(decoding: inner, as: UTF8.self) }
    guard case .string(let name) = try JSONValue(parsing: Array(text[start..<end])) else { return "" }
    return name
  }

  private func mismatch(_ path: JSONPath.SubSequence, expected: String) -> JSONError {
    let kind =
      switch byte(at: position) {
      case UInt8(ascii: "{"): "an object"
      case UInt8(ascii: "["): "an array"
      case UInt8(ascii: "\""): "a string"
      case UInt8(ascii: "t"), UInt8(ascii: "f"): "a boolean"
      case UInt8(ascii: "n"): "null"
      default: "a number"
      }
    return JSONError(
      .mismatch,
      "\(Self.describe(path)) is \(kind); \(expected) is expected",
      offset: offset(at: position)
    )
  }

  private static func describe(_ path: JSONPath.SubSequence) -> String {
    path.isEmpty ? "the document" : "“\(path.map(\.description).joined())”"
  }
}
