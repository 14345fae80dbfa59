/// A JSON value as it came, byte for byte: checked as a whole, read member by member when asked.
///
/// Rows stay what the service sent, so that a number keeps its digits and an object the order of its members.
public struct JSONText: Hashable, Sendable {
  /// Valid JSON without space around it.
  let bytes: ArraySlice<UInt8>

  /// Checks the text. O(bytes).
  public init(_ bytes: [UInt8]) throws {
    let range = try bytes.withUnsafeBufferPointer { try JSONScanner.check($0) }
    self.bytes = bytes[range]
  }

  public init(_ text: String) throws { try self.init(Array(text.utf8)) }

  fileprivate init(checked bytes: ArraySlice<UInt8>) { self.bytes = bytes }

  static let null = JSONText(checked: ArraySlice(Array("null".utf8)))

  /// The text as it came. O(bytes).
  public var text: String { String(decoding: bytes, as: UTF8.self) }

  /// With bytes of its own: a row must not keep the whole reply that it came with in memory.
  var detached: JSONText { JSONText(checked: ArraySlice(Array(bytes))) }

  public var isNull: Bool { bytes.first == UInt8(ascii: "n") }
  var isObject: Bool { bytes.first == UInt8(ascii: "{") }
  var isArray: Bool { bytes.first == UInt8(ascii: "[") }

  /// The value of a text; nil for any other value.
  public var string: String? {
    guard bytes.first == UInt8(ascii: "\"") else { return nil }
    let content = bytes.dropFirst().dropLast()
    guard content.contains(UInt8(ascii: "\\")) else { return String(decoding: content, as: UTF8.self) }
    return unescaped(content)
  }

  /// The value of a number without a fraction; nil for any other value.
  public var integer: Int? { bytes.first.map { $0.isDigit || $0 == UInt8(ascii: "-") } == true ? Int(text) : nil }

  public var boolean: Bool? {
    switch bytes.first {
    case UInt8(ascii: "t"): true
    case UInt8(ascii: "f"): false
    default: nil
    }
  }

  /// A member of an object; nil where it is absent or null. O(bytes up to it).
  public subscript(name: String) -> JSONText? {
    guard isObject, let range = range(of: name) else { return nil }
    let value = JSONText(checked: bytes[range])
    return value.isNull ? nil : value
  }

  /// Where the first member of that name has its value. Makes no texts of the others' names: a changeset asks for a dozen
  /// members of each of its rows.
  private func range(of name: String) -> Range<Int>? {
    bytes.withUnsafeBufferPointer { buffer in
      var walker = JSONWalker(bytes: buffer, offset: bytes.startIndex)
      walker.enter()
      while walker.isInside {
        let key = walker.value()
        walker.skipSeparators()
        let value = walker.value()
        if isName(key, name) { return value }
        walker.skipSeparators()
      }
      return nil
    }
  }

  private func isName(_ range: Range<Int>, _ name: String) -> Bool {
    let content = bytes[range].dropFirst().dropLast()
    if content.elementsEqual(name.utf8) { return true }
    return content.contains(UInt8(ascii: "\\")) && unescaped(content) == name
  }

  /// The members of an object in the order in which they came; none for any other value. O(bytes).
  public var members: [(name: String, value: JSONText)] {
    guard isObject else { return [] }
    var result: [(name: String, value: JSONText)] = []
    walk { walker in
      let name = JSONText(checked: bytes[walker.value()])
      walker.skipSeparators()
      result.append((name.string ?? "", JSONText(checked: bytes[walker.value()])))
    }
    return result
  }

  /// The elements of a list; none for any other value. O(bytes).
  public var elements: [JSONText] {
    guard isArray else { return [] }
    var result: [JSONText] = []
    walk { walker in result.append(JSONText(checked: bytes[walker.value()])) }
    return result
  }

  private func walk(_ element: (inout JSONWalker) -> Void) {
    bytes.withUnsafeBufferPointer { buffer in
      var walker = JSONWalker(bytes: buffer, offset: bytes.startIndex)
      walker.enter()
      while walker.isInside {
        element(&walker)
        walker.skipSeparators()
      }
    }
  }
}

/// Walks over the parts of one checked list or object.
private struct JSONWalker {
  let bytes: UnsafeBufferPointer<UInt8>
  /// Of the slice in its array.
  let offset: Int
  private var position = 0

  init(bytes: UnsafeBufferPointer<UInt8>, offset: Int) { (self.bytes, self.offset) = (bytes, offset) }

  /// The closing bracket is the last byte.
  var isInside: Bool { position < bytes.count - 1 }

  mutating func enter() {
    position += 1
    skipSeparators()
  }

  mutating func skipSeparators() {
    while isInside {
      let byte = bytes[position]
      guard byte.isJSONSpace || byte == UInt8(ascii: ",") || byte == UInt8(ascii: ":") else { return }
      position += 1
    }
  }

  /// Passes one value. Returns where it stands in the slice's array.
  mutating func value() -> Range<Int> {
    let start = position
    switch bytes[position] {
    case UInt8(ascii: "\""): skipString()
    case UInt8(ascii: "{"), UInt8(ascii: "["): skipContainer()
    default:
      while isInside {
        let byte = bytes[position]
        if byte.isJSONSpace || byte == UInt8(ascii: ",") || byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") {
          break
        }
        position += 1
      }
    }
    return offset + start..<offset + position
  }

  private mutating func skipString() {
    position += 1
    while bytes[position] != UInt8(ascii: "\"") { position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1 }
    position += 1
  }

  private mutating func skipContainer() {
    var depth = 0
    repeat {
      switch bytes[position] {
      case UInt8(ascii: "\""):
        skipString()
        continue
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
      default: break
      }
      position += 1
    } while depth > 0
  }
}

/// The text between quotes, its escapes undone; half a surrogate pair becomes U+FFFD.
private func unescaped(_ content: ArraySlice<UInt8>) -> String {
  var units: [UInt16] = []
  var result = ""
  var plain: [UInt8] = []
  func flush() {
    result += String(decoding: plain, as: UTF8.self) + String(decoding: units, as: UTF16.self)
    plain.removeAll(keepingCapacity: true)
    units.removeAll(keepingCapacity: true)
  }
  var index = content.startIndex
  while index < content.endIndex {
    let byte = content[index]
    guard byte == UInt8(ascii: "\\") else {
      if !units.isEmpty { flush() }
      plain.append(byte)
      index += 1
      continue
    }
    if !plain.isEmpty { flush() }
    let escape = content[index + 1]
    index += 2
    switch escape {
    case UInt8(ascii: "b"): units.append(0x08)
    case UInt8(ascii: "f"): units.append(0x0C)
    case UInt8(ascii: "n"): units.append(0x0A)
    case UInt8(ascii: "r"): units.append(0x0D)
    case UInt8(ascii: "t"): units.append(0x09)
    case UInt8(ascii: "u"):
      let code = content[index..<index + 4].reduce(UInt32(0)) { $0 << 4 | ($1.hexValue ?? 0) }
      units.append(UInt16(truncatingIfNeeded: code))
      index += 4
    default: units.append(UInt16(escape))
    }
  }
  flush()
  return result
}
