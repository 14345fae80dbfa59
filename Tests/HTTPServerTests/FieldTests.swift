import TestSupport
import Testing

@testable import HTTPServer

/// What fields' values are taken apart into.
@Suite struct FieldTests {
  private static func members(_ text: String, quoted: Bool = true) -> [String] {
    var members: [String] = []
    FieldList.forEach(of: Array("--\(text)--".utf8).dropFirst(2).dropLast(2), quoted: quoted) {
      members.append(String(decoding: $0, as: UTF8.self))
      return true
    }
    return members
  }

  @Test(arguments: [
    ("", []), (",", []), (" ,\t, ", []), ("a", ["a"]), (" a b\t, c ", ["a b", "c"]), ("a,,b,", ["a", "b"]),
    (#""a,b", c"#, [#""a,b""#, "c"]), (#""a\",b", c"#, [#""a\",b""#, "c"]), (#"a\,b"#, [#"a\"#, "b"]),
    (#""a, b"#, [#""a, b"#]), (#""\"#, [#""\"#]), (#""a\ "#, [#""a\ "#]), (#"a "b , c" d, e"#, [#"a "b , c" d"#, "e"]),
  ])
  func lists(text: String, members: [String]) {
    #expect(Self.members(text) == members)
    if !text.contains("\"") { #expect(Self.members(text, quoted: false) == members) }
  }

  @Test func withoutQuotedStringsEveryCommaSeparates() {
    #expect(Self.members(#""a,b", c"#, quoted: false) == ["\"a", "b\"", "c"])
  }

  @Test func whoHasFoundItIsGivenNoMore() {
    var count = 0
    let isThrough = FieldList.forEach(of: Array("a,b,c".utf8)[...], quoted: true) { _ in
      count += 1
      return count < 2
    }
    #expect(!isThrough && count == 2)
  }

  /// As the standard library does it.
  @Test(arguments: 0..<20 as Range<UInt64>)
  func textOfAnyBytes(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let parts: [[UInt8]] = [
      [0x61], Array("é".utf8), Array("€".utf8), Array("👩".utf8), [0xff], [0x80], [0xc0], [0xe2], [0xe2, 0x82],
      [0xf0, 0x9f],
      [0xf0, 0x9f, 0x91], [0xed, 0xa0, 0x80], [0xe0, 0x80], [0xf4, 0x90], [0xf5], [0xc2], [0xbf],
    ]
    for _ in 0..<500 {
      let bytes = (0..<Int.random(in: 0...9, using: &generator))
        .flatMap { _ in parts.randomElement(using: &generator) ?? [] }
      #expect(String(field: bytes[...]).utf8.elementsEqual(String(decoding: bytes, as: UTF8.self).utf8), "\(bytes)")
    }
  }
}
