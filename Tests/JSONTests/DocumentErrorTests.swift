import JSON
import Testing

@Suite struct DocumentErrorTests {
  private static func value(_ text: String) throws -> JSONValue { try JSONValue(parsing: text) }

  private static func error(_ bytes: [UInt8], limits: JSONLimits = JSONLimits()) -> JSONError? {
    do throws(JSONError) {
      _ = try JSONValue(parsing: bytes, limits: limits)
      return nil
    } catch {
      return error
    }
  }

  /// What a broken transfer leaves, at whatever byte it breaks.
  @Test func everyTruncationIsAnError() {
    let text = Array(#"{"a": [1, {"b": "x\n\"y"}, true], "c": {"d": null, "é": -2.5e3}}"#.utf8)
    #expect(Self.error(text) == nil)
    for length in 0..<text.count {
      let error = Self.error(Array(text[..<length]))
      #expect(error != nil, "cut at \(length)")
      // In the middle of a character the encoding is wrong, everywhere else something is open.
      #expect(error?.kind == .truncated || error?.kind == .encoding, "cut at \(length): \(error?.message ?? "")")
    }
  }

  @Test(arguments: ["[1]]", "{}}", "[1}", "{\"a\":1]", "[] []", "1 2", "]"])
  func brackets(text: String) {
    #expect(Self.error(Array(text.utf8)) != nil)
  }

  @Test(arguments: [
    "1\0", "1\0\0", "-2.5\0x", "1 \0", "true\0", "null\0", "\"a\"\0", "[1\0]", "{\"a\":1\0}", "[]\0", "\0",
  ])
  func whatFollowsANUL(text: String) throws {
    #expect(Self.error(Array(text.utf8)) != nil, "\(text.debugDescription)")
    guard let list = try? ListedText(Array("[\(text)]".utf8)) else { return }
    #expect(throws: JSONError.self) { try ListReader(list).withElement(0) { _ in } }
  }

  @Test func depth() {
    let limits = JSONLimits(maximumDepth: 70)
    func nested(_ depth: Int) -> [UInt8] {
      Array((String(repeating: "[", count: depth) + "1" + String(repeating: "]", count: depth)).utf8)
    }
    #expect(Self.error(nested(70), limits: limits) == nil)
    #expect(Self.error(nested(71), limits: limits)?.kind == .limit)
    #expect(Self.error(nested(100_000))?.kind == .limit)
  }

  @Test func size() {
    #expect(Self.error(Array("[1,2,3]".utf8), limits: JSONLimits(maximumBytes: 6))?.kind == .limit)
    #expect(Self.error(Array("[1,2,3]".utf8), limits: JSONLimits(maximumBytes: 7)) == nil)
  }

  @Test func halvesOfSurrogatePairs() throws {
    let cases = [
      (#"\ud83d\ude00"#, "😀"), (#"cut \ud83d"#, "cut \u{FFFD}"), (#"\ude00\ud83d"#, "\u{FFFD}\u{FFFD}"),
      (#"\uD83D\uD83D\uDE00"#, "\u{FFFD}😀"), (#"\\ud800 \ud800"#, #"\ud800 "# + "\u{FFFD}"),
      (#"\ud800\n"#, "\u{FFFD}\n"), (#"\ud800\u0041"#, "\u{FFFD}A"),
    ]
    for (text, expected) in cases {
      #expect(try Self.value("[\"\(text)\", 1e400]") == [.string(expected), nil], "\(text)")
    }
    #expect(try Self.value(#"{"\udc00":1}"#) == ["\u{FFFD}": 1])
    for malformed in [#"\ud800\q"#, #"\ud80"#, #"\u+800"#] {
      #expect(Self.error(Array("[\"\(malformed)\"]".utf8))?.kind == .syntax, "\(malformed)")
    }
  }

  @Test func numbersBeyondTheirRange() throws {
    #expect(try Self.value("[9223372036854775807]") == [.integer(.max)])
    #expect(try Self.value("[18446744073709551616]") == [.double(18446744073709551616)])
    #expect(try Self.value("[-9223372036854775809]") == [.double(-0x1p63)])
    #expect(try Self.value("[1e400, -1e400, 1]") == [nil, nil, 1])
    #expect(try Self.value("1e400") == nil)
    for text in ["1e400", "[1, 123456789012345678901]", #"["\ud800"]"#] {
      let error = #expect(throws: JSONError.self, "\(text)") {
        try JSONValue(parsing: text, limits: JSONLimits(allowsRepair: false))
      }
      #expect(error?.kind == .limit, "\(text)")
    }
    #expect(Self.error(Array("[01]".utf8))?.kind == .syntax)
  }

  /// In a list read element by element, a number beyond its range costs no more than itself.
  @Test func numbersBeyondTheirRangeInAnElement() throws {
    let reader = ListReader(try ListedText(Array(#"[{"n":1e400}, 1e400, {"n":123456789012345678901}]"#.utf8)))
    #expect(try reader.withElement(0) { $0["n"]?.isNull } == true)
    #expect(try reader.withElement(1) { $0.isNull })
    #expect(try reader.withElement(2) { $0["n"]?.double } == 123_456_789_012_345_683_968)
  }

  @Test func byteOrderMark() throws {
    #expect(try JSONValue(parsing: [0xEF, 0xBB, 0xBF] + Array("[1]".utf8)) == [1])
    #expect(Self.error([0xEF, 0xBB, 0xBF])?.kind == .truncated)
  }

  @Test func encoding() {
    #expect(Self.error([UInt8(ascii: "\""), 0xFF, UInt8(ascii: "\"")])?.kind == .encoding)
  }

  /// A big text is read where it is if there is room behind it, else copied: to the reader it is the same.
  @Test(arguments: [0, 1, 63, 64, 4096], [false, true])
  func bigTexts(room: Int, hasMark: Bool) throws {
    let numbers = "[" + (0..<20_000).map { #"{"n":\#($0)}"# }.joined(separator: ",") + "]"
    var bytes: [UInt8] = []
    bytes.reserveCapacity(numbers.utf8.count + 3 + room)
    if hasMark { bytes += [0xEF, 0xBB, 0xBF] }
    bytes += Array(numbers.utf8)
    let before = bytes
    let document = try Document(bytes)
    let list = try ListedText(bytes)
    let reader = ListReader(list)
    // They keep what they were made from, whatever becomes of the array.
    for index in bytes.indices { bytes[index] = 0 }
    bytes = []
    #expect(list.elements.count == 20_000)
    for (index, element) in list.elements.enumerated() where index % 777 < 3 || index > 19_990 {
      #expect(try reader.withElement(index) { $0["n"]?.int64 } == Int64(index))
      list.withBytes(of: index) { #expect(Array($0) == Array(before[element.range])) }
    }
    try document.withRoot { #expect($0[-1]?["n"]?.int64 == 19_999) }
  }
}
