import JSON
import Testing

@Suite struct DocumentTests {
  @Test func smoke() throws {
    let document = try Document(
      Array(#"{"a": {"b": [1, -2.5, "x\n", {"c": 18446744073709551615}, true, null]}, "z": "é"}"#.utf8)
    )
    try document.withRoot { root in
      let b = try #require(root["a"]?["b"])
      #expect(b.count == 6)
      #expect(b[0]?.int64 == 1)
      #expect(b[-1]?.isNull == true)
      #expect(b[3]?["c"]?.uint64 == UInt64.max)
      #expect(root["z"]?.string.map { String($0) } == "é")
      var writer = JSONWriter()
      writer.write(root)
      #expect(
        String(decoding: writer.bytes, as: UTF8.self)
          == #"{"a":{"b":[1,-2.5,"x\n",{"c":18446744073709551615},true,null]},"z":"é"}"#
      )
    }
    let elements = try document.elements(at: [.name("a"), .name("b")])
    #expect(elements.count == 6)
    for (element, text) in zip(elements, ["1", "-2.5", #""x\n""#, #"{"c": 18446744073709551615}"#, "true", "null"]) {
      document.withBytes(of: element) { #expect(String(decoding: $0, as: UTF8.self) == text) }
    }
    try document.withElement(elements[3]) { #expect($0["c"]?.uint64 == UInt64.max) }
    try document.withElement(elements[1]) { #expect($0.double == -2.5) }
  }
}
