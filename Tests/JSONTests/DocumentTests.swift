import JSON
import Testing

@Suite struct DocumentTests {
  @Test func smoke() throws {
    let text = Array(#"{"a": {"b": [1, -2.5, "x\n", {"c": 18446744073709551615}, true, null]}, "z": "é"}"#.utf8)
    let document = try Document(text)
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
    let list = try ListedText(text, at: [.name("a"), .name("b")])
    #expect(list.elements.count == 6)
    for (element, text) in zip(
      list.elements.indices,
      ["1", "-2.5", #""x\n""#, #"{"c": 18446744073709551615}"#, "true", "null"]
    ) {
      list.withBytes(of: element) { #expect(String(decoding: $0, as: UTF8.self) == text) }
    }
    let reader = ListReader(list)
    try reader.withElement(3) { #expect($0["c"]?.uint64 == UInt64.max) }
    try reader.withElement(1) { #expect($0.double == -2.5) }
  }
}
