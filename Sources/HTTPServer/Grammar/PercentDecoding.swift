import FieldValues

/// Percent-decoding of what stands in a target (RFC 3986 section 2.1).
enum PercentDecoding {
  /// Returns a name or value of a query as text.
  static func queryText(_ bytes: ArraySlice<UInt8>) throws(Refusal) -> String {
    let isPlain = bytes.allSatisfy { $0 != UInt8(ascii: "%") && $0 != UInt8(ascii: "+") }
    // Without anything to decode it is copied once: a target may have thousands of short names.
    let decoded = isPlain ? bytes : try decode(bytes, plusIsBlank: true)[...]
    guard let text = String(validating: decoded, as: UTF8.self) else { throw .malformed("The query is not UTF-8.") }
    return text
  }

  /// - Parameter plusIsBlank: as in forms' queries. What was encoded as `%2B` stays a plus.
  static func decode(_ bytes: ArraySlice<UInt8>, plusIsBlank: Bool = false) throws(Refusal) -> [UInt8] {
    var encoded = Array(bytes)
    if plusIsBlank {
      for index in encoded.indices where encoded[index] == UInt8(ascii: "+") { encoded[index] = UInt8(ascii: " ") }
    }
    // Most targets have nothing to decode.
    guard encoded.contains(UInt8(ascii: "%")) else { return encoded }
    guard let decoded = PercentCoding.decode(encoded) else {
      throw .malformed("A % in the target must be followed by two hexadecimal digits.")
    }
    return decoded
  }
}
