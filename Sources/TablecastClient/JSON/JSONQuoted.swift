/// What stands between quotes: a text, or the name of a member, compared where it stands. To be used while the reader is.
struct JSONQuoted {
  private let content: UnsafeBufferPointer<UInt8>

  init(_ content: UnsafeBufferPointer<UInt8>) { self.content = content }

  /// With escapes undone; half a surrogate pair becomes U+FFFD.
  var text: String { isEscaped ? unescaped(content) : String(decoding: content, as: UTF8.self) }

  static func == (name: JSONQuoted, text: String) -> Bool {
    name.content.elementsEqual(text.utf8) || name.isEscaped && name.text == text
  }

  /// For `switch`.
  static func ~= (text: StaticString, name: JSONQuoted) -> Bool {
    let utf8 = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    return utf8.count == name.content.count && utf8.elementsEqual(name.content)
      || name.isEscaped && name.text == text.description
  }

  private var isEscaped: Bool { content.contains(UInt8(ascii: "\\")) }
}

private func unescaped(_ content: UnsafeBufferPointer<UInt8>) -> String {
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
