/// Walks over the structural characters of a text without parsing values.
/// Brackets are known to match (`StructureCheck`), so that every skip ends.
struct StructureWalk {
  private let structurals: UnsafeBufferPointer<UInt32>
  private let text: UnsafeRawBufferPointer
  private var position = 0

  init(_ document: borrowing Document) {
    structurals = document.parser.structurals
    text = document.bytes
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
    position += 1
    while byte(at: position) != UInt8(ascii: "}") {
      guard byte(at: position) == UInt8(ascii: "\""), byte(at: position + 1) == UInt8(ascii: ":") else {
        throw JSONError(.syntax, "a member's name and a colon are expected", offset: offset(at: position))
      }
      let isMatch = try self.name(at: position) == name
      position += 2
      if isMatch { return }
      try skipValue()
      if byte(at: position) == UInt8(ascii: ",") { position += 1 }
    }
    throw JSONError(.mismatch, "there is no “\(name)” in \(Self.describe(path.prefix(depth)))")
  }

  private mutating func enterElement(_ index: Int, of path: JSONPath, depth: Int) throws(JSONError) {
    let elements = try self.elements(at: JSONPath(path.prefix(depth)))
    let wanted = index < 0 ? elements.count + index : index
    guard elements.indices.contains(wanted) else {
      throw JSONError(
        .mismatch,
        "\(Self.describe(path.prefix(depth))) has \(elements.count) elements, none at \(index)"
      )
    }
    position = elements[wanted].structural
  }

  /// The elements of the array at the current position; the position is then behind it.
  mutating func elements(at path: JSONPath) throws(JSONError) -> [Document.Element] {
    guard byte(at: position) == UInt8(ascii: "[") else { throw mismatch(path[...], expected: "an array") }
    position += 1
    var elements: [Document.Element] = []
    if byte(at: position) == UInt8(ascii: "]") {
      position += 1
      return elements
    }
    while true {
      elements.append(try element())
      switch byte(at: position) {
      case UInt8(ascii: ","): position += 1
      case UInt8(ascii: "]"):
        position += 1
        return elements
      default:
        throw JSONError(.syntax, "a comma or ] is expected after an element", offset: offset(at: position))
      }
    }
  }

  private mutating func element() throws(JSONError) -> Document.Element {
    let (start, structural) = (offset(at: position), position)
    let first = byte(at: position)
    let isContainer = first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    try skipValue()
    var end = isContainer ? offset(at: position - 1) + 1 : offset(at: position)
    while end > start, text[end - 1] <= 0x20 { end -= 1 }
    return Document.Element(offset: start, length: end - start, structural: structural, isContainer: isContainer)
  }

  private mutating func skipValue() throws(JSONError) {
    let first = byte(at: position)
    if first | 0x20 == StructureCheck.opening {
      // Ends inside of the text, as brackets match.
      var depth = 0
      repeat {
        let bracket = text[Int(structurals[position])] | 0x20
        depth += (bracket == StructureCheck.opening ? 1 : 0) - (bracket == StructureCheck.closing ? 1 : 0)
        position += 1
      } while depth > 0
    } else {
      let isSeparator = first == UInt8(ascii: ",") || first == UInt8(ascii: ":")
      if isSeparator || first | 0x20 == StructureCheck.closing || position >= structurals.count {
        throw JSONError(.syntax, "a value is expected", offset: offset(at: position))
      }
      position += 1
    }
  }

  /// The unescaped text of the string that starts here.
  private func name(at position: Int) throws(JSONError) -> String {
    let start = offset(at: position)
    var end = offset(at: position + 1)
    while end > start, text[end - 1] <= 0x20 { end -= 1 }
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
