/// RFC 3986 §2.1; nil where an escape is malformed or the bytes are no UTF-8.
package func percentDecoded(_ text: some StringProtocol) -> String? {
  guard text.utf8.contains(UInt8(ascii: "%")) else { return String(text) }
  var bytes: [UInt8] = []
  bytes.reserveCapacity(text.utf8.count)
  var iterator = text.utf8.makeIterator()
  while let byte = iterator.next() {
    guard byte == UInt8(ascii: "%") else {
      bytes.append(byte)
      continue
    }
    guard let high = iterator.next().flatMap(hexDigit), let low = iterator.next().flatMap(hexDigit) else { return nil }
    bytes.append(high << 4 | low)
  }
  return String(validating: bytes, as: UTF8.self)
}

private func hexDigit(_ byte: UInt8) -> UInt8? {
  switch byte {
  case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
  case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
  case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
  default: nil
  }
}

/// Everything but RFC 3986's unreserved characters escaped: safe as a segment and as a query value.
package func percentEncoded(_ text: String) -> String {
  var result = ""
  for byte in text.utf8 {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
      UInt8(ascii: "~"):
      result.unicodeScalars.append(Unicode.Scalar(byte))
    default:
      let digits = String(byte, radix: 16, uppercase: true)
      result += digits.count == 1 ? "%0\(digits)" : "%\(digits)"
    }
  }
  return result
}
