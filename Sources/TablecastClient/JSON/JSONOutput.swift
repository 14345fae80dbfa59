/// Writes JSON: values that came are copied byte for byte.
struct JSONOutput {
  private(set) var bytes: [UInt8] = []

  mutating func raw(_ text: String) { bytes.append(contentsOf: text.utf8) }
  mutating func raw(_ json: JSONText) { bytes.append(contentsOf: json.bytes) }

  /// A text in quotes (RFC 8259 §7).
  mutating func string(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
      case 0x0A: raw("\\n")
      case 0..<0x20:
        let digits = String(byte, radix: 16)
        raw("\\u00" + (digits.count == 1 ? "0" : "") + digits)
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  /// `,"name":`, without the comma right after an opening bracket.
  mutating func name(_ name: String) {
    comma()
    string(name)
    bytes.append(UInt8(ascii: ":"))
  }

  mutating func comma() {
    if let last = bytes.last, last != UInt8(ascii: "{"), last != UInt8(ascii: "[") { bytes.append(UInt8(ascii: ",")) }
  }

  mutating func member(_ name: String, _ text: String?) {
    self.name(name)
    if let text { string(text) } else { raw("null") }
  }

  mutating func member(_ name: String, _ json: JSONText?) {
    self.name(name)
    if let json { raw(json) } else { raw("null") }
  }

  /// Null where values that came are nested too deeply in what is written around them.
  static func write(_ body: (inout JSONOutput) -> Void) -> JSONText { (try? checked(body)) ?? .null }

  /// - Throws: `MalformedReply`, where values that came are nested too deeply in what is written around them.
  static func checked(_ body: (inout JSONOutput) -> Void) throws -> JSONText {
    var output = JSONOutput()
    body(&output)
    return try JSONText(output.bytes)
  }
}
