import JSON

extension Value {
  /// The number that a text stands for, if it is the text of one; every other value is itself.
  ///
  /// The one rule for texts where numbers are wanted: `"12.50"` counts as 12.5 in arithmetic but `+`, which joins
  /// texts, in every filter that takes a number or orders values, and in `<` and its kin. `==` compares the values as
  /// they are. A number's text is decimal, as JSON has it, with spaces around it, a `+` before it and zeros at its
  /// beginning allowed: at most 64 bytes.
  var countedAsNumber: Value {
    guard kind == .string else { return self }
    return withUTF8 { bytes in Self.number(of: bytes) } ?? self
  }

  private static func number(of bytes: UnsafeBufferPointer<UInt8>) -> Value? {
    // Most texts are none: seen by their first byte.
    guard (1...64).contains(bytes.count), let first = bytes.first(where: { $0 != 0x20 }),
      isDigit(first) || first == UInt8(ascii: "-") || first == UInt8(ascii: "+") || first == UInt8(ascii: ".")
    else { return nil }
    var text = bytes[...]
    while text.first == 0x20 { text.removeFirst() }
    while text.last == 0x20 { text.removeLast() }
    var isWhole = true
    for byte in text where !isDigit(byte) {
      switch byte {
      case UInt8(ascii: "-"), UInt8(ascii: "+"): break
      case UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"): isWhole = false
      default: return nil
      }
    }
    let decimal = String(decoding: text, as: UTF8.self)
    if isWhole, let integer = Int64(decimal) { return .integer(integer) }
    guard let number = Double(decimal), number.isFinite else { return nil }
    return .number(number)
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }
}
