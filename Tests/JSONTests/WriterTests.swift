import JSON
import Testing

@Suite struct WriterTests {
  private static func text(_ write: (inout JSONWriter) -> Void) -> String {
    var writer = JSONWriter()
    write(&writer)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  /// One byte at a time: slow and evidently right (RFC 8259 §7).
  private static func quoted(_ text: some Sequence<UInt8>) -> String {
    var result = "\""
    for byte in text {
      switch byte {
      case UInt8(ascii: "\""): result += "\\\""
      case UInt8(ascii: "\\"): result += "\\\\"
      case 0x08: result += "\\b"
      case 0x09: result += "\\t"
      case 0x0A: result += "\\n"
      case 0x0C: result += "\\f"
      case 0x0D: result += "\\r"
      case 0..<0x10: result += "\\u000" + String(byte, radix: 16)
      case 0x10..<0x20: result += "\\u00" + String(byte, radix: 16)
      default: result.unicodeScalars.append(Unicode.Scalar(byte))
      }
    }
    return result + "\""
  }

  /// The scan looks at several bytes at a time: what must be escaped may stand at any place in them.
  @Test func everyEscapeAtEveryPlace() {
    for length in 1...40 {
      for position in 0..<length {
        for byte: UInt8 in Array(0..<0x24) + [UInt8(ascii: "\\"), 0x7F] {
          var bytes = [UInt8](repeating: UInt8(ascii: "x"), count: length)
          bytes[position] = byte
          let string = String(decoding: bytes, as: UTF8.self)
          #expect(Self.text { $0.write(string) } == Self.quoted(bytes), "byte \(byte) at \(position) of \(length)")
        }
      }
    }
  }

  @Test(arguments: 0...70) func onlyEscapes(length: Int) throws {
    for byte: UInt8 in [0x01, 0x0A, UInt8(ascii: "\"")] {
      let bytes = [UInt8](repeating: byte, count: length)
      let written = Self.text { $0.write(String(decoding: bytes, as: UTF8.self)) }
      #expect(written == Self.quoted(bytes))
      #expect(try JSONValue(parsing: written) == .string(String(decoding: bytes, as: UTF8.self)))
    }
  }

  @Test func otherPlanesStayAsTheyAre() throws {
    let text = "größe 漢字 👩‍👩‍👧 \u{2028}\u{7F}"
    #expect(Self.text { $0.write(text) } == "\"\(text)\"")
  }

  @Test(arguments: [
    0, 1, 9, 10, 99, 100, -1, -10, 999_999_999_999_999_999, 1_000_000_000_000_000_000, Int64.max, Int64.min,
  ])
  func integers(value: Int64) {
    #expect(Self.text { $0.write(value) } == "\(value)")
    #expect(Self.text { $0.write(Int(value)) } == "\(value)")
  }

  @Test func otherNumbers() {
    #expect(Self.text { $0.write(UInt64.max) } == "18446744073709551615")
    #expect(Self.text { $0.write(Double.infinity) } == "null")
    #expect(Self.text { $0.write(0.1) } == "0.1")
  }

  @Test func commasStandBetweenValues() {
    let text = Self.text { writer in
      writer.beginObject()
      writer.name("a")
      writer.beginArray()
      writer.write(1)
      writer.write(true)
      writer.writeNull()
      writer.write("x")
      writer.beginObject()
      writer.endObject()
      writer.write(raw: Array("[2]".utf8))
      writer.write(raw: Array("[2]".utf8).lazy.map { $0 })
      writer.endArray()
      writer.name("b")
      writer.write(2.5)
      writer.name(encoded: Array("\"c\":".utf8))
      writer.write(false)
      writer.endObject()
    }
    #expect(text == #"{"a":[1,true,null,"x",{},[2],[2]],"b":2.5,"c":false}"#)
  }

  @Test func aCopyIsItsOwn() {
    var first = JSONWriter(capacity: 1)
    first.beginArray()
    first.write("shared")
    var second = first
    second.write("second")
    first.write("first")
    #expect(String(decoding: first.bytes, as: UTF8.self) == #"["shared","first""#)
    #expect(String(decoding: second.bytes, as: UTF8.self) == #"["shared","second""#)
    first.removeAll()
    #expect(first.bytes.isEmpty)
    #expect(second.count == second.bytes.count)
  }
}
