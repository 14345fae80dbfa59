/// Rewrites the numbers that simdjson refuses, so that one of them does not cost a document: integers beyond
/// 64 bits become doubles, as JavaScript reads them; what is beyond a double's range becomes null.
enum NumberRepair {
  /// Nil where there is nothing to repair: the text is malformed in another way.
  static func repaired(_ text: UnsafeRawBufferPointer) -> [UInt8]? {
    var result: [UInt8] = []
    result.reserveCapacity(text.count)
    var changed = false
    var position = 0
    while position < text.count {
      switch text[position] {
      case UInt8(ascii: "\""):
        let end = endOfString(in: text, from: position)
        result.append(contentsOf: text[position..<end])
        position = end
      case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
        let end = endOfNumber(in: text, from: position)
        let number = text[position..<end]
        if let replacement = replacement(for: number) {
          result.append(contentsOf: replacement.utf8)
          changed = true
        } else {
          result.append(contentsOf: number)
        }
        position = end
      default:
        result.append(text[position])
        position += 1
      }
    }
    return changed ? result : nil
  }

  private static func endOfString(in text: UnsafeRawBufferPointer, from start: Int) -> Int {
    var position = start + 1
    while position < text.count, text[position] != UInt8(ascii: "\"") {
      position += text[position] == UInt8(ascii: "\\") ? 2 : 1
    }
    return min(position + 1, text.count)
  }

  private static func endOfNumber(in text: UnsafeRawBufferPointer, from start: Int) -> Int {
    var position = start
    loop: while position < text.count {
      switch text[position] {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."),
        UInt8(ascii: "e"), UInt8(ascii: "E"):
        position += 1
      default: break loop
      }
    }
    return position
  }

  private static func replacement(for number: Slice<UnsafeRawBufferPointer>) -> String? {
    let text = String(decoding: number, as: UTF8.self)
    // A leading zero is malformed, not big.
    let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
    if digits.count > 1, digits.hasPrefix("0"), digits.dropFirst().first?.isNumber == true { return nil }
    if Int64(text) != nil || UInt64(text) != nil { return nil }
    guard let value = Double(text) else { return nil }
    guard value.isFinite else { return "null" }
    return text.allSatisfy({ $0 == "-" || $0.isNumber }) ? "\(value.description)" : nil
  }
}
