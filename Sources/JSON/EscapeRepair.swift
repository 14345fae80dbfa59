/// Rewrites the escapes that simdjson refuses though they are JSON (RFC 8259 section 8.2): halves of surrogate pairs, as
/// JavaScript writes them of a text that was cut in the middle of a character. They become U+FFFD, so that one such text
/// does not cost a document.
enum EscapeRepair {
  private static let highHalves: Range<UInt16> = 0xD800..<0xDC00
  private static let lowHalves: Range<UInt16> = 0xDC00..<0xE000

  /// Nil where there is nothing to repair: the text is malformed in another way.
  static func repaired(_ text: UnsafeRawBufferPointer) -> [UInt8]? {
    var result = [UInt8](text)
    var changed = false
    var position = 0
    while position < text.count {
      guard text[position] == UInt8(ascii: "\\") else {
        position += 1
        continue
      }
      guard let unit = utf16Unit(in: text, at: position), highHalves.contains(unit) || lowHalves.contains(unit) else {
        // The character behind a backslash may be another one.
        position += 2
        continue
      }
      if highHalves.contains(unit), let next = utf16Unit(in: text, at: position + 6), lowHalves.contains(next) {
        position += 12
        continue
      }
      result.replaceSubrange(position..<position + 6, with: "\\ufffd".utf8)
      changed = true
      position += 6
    }
    return changed ? result : nil
  }

  /// Returns the unit that `\uXXXX` stands for; nil if there is no such escape.
  private static func utf16Unit(in text: UnsafeRawBufferPointer, at position: Int) -> UInt16? {
    guard position + 6 <= text.count, text[position] == UInt8(ascii: "\\"), text[position + 1] == UInt8(ascii: "u")
    else {
      return nil
    }
    let digits = text[(position + 2)..<(position + 6)]
    guard digits.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }) else { return nil }
    return UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
  }
}
