import Testing

@testable import TablecastClient

@Suite struct JSONTextTests {
  @Test(arguments: [
    "", " ", "{", "[1,]", "{\"a\":}", "{\"a\" 1}", "{a:1}", "nul", "01", "1.", "1e", "-", "\"\\x\"", "\"\\u12g4\"",
    "\"a", "[1] 2", "\"\u{1}\"", "{\"a\":1,}", "[", "<html></html>", "tru",
  ])
  func whatIsNoJSONIsRefused(_ text: String) { #expect(throws: MalformedReply.self) { try JSONText(text) } }

  @Test func whatIsTooDeepIsRefused() throws {
    func nested(_ depth: Int) -> String {
      String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
    #expect(throws: MalformedReply.self) { try JSONText(nested(100_000)) }
    #expect(throws: Never.self) { try JSONText(nested(200)) }
  }

  @Test func valuesStandAsTheyCame() throws {
    let json = try JSONText(
      #" { "b" : [1.50, -0, 1e5 , "x\"]}" ], "a":{"z":null,"y":true}, "ü" : "\u00fc\ud83d\ude00\n" } "#
    )
    #expect(json.members.map(\.name) == ["b", "a", "ü"])
    #expect(json["b"]?.elements.map(\.text) == ["1.50", "-0", "1e5", #""x\"]}""#])
    #expect(json["b"]?.elements.last?.string == "x\"]}")
    #expect(json["a"]?["z"] == nil)
    #expect(json["a"]?["y"]?.boolean == true)
    #expect(json["ü"]?.string == "ü😀\n")
    #expect(json["b"]?.elements.first?.integer == nil)
    #expect(try JSONText("\"\\ud800x\"").string == "\u{FFFD}x")
  }

  /// As if all members were read: the first of a name, whatever way it is written.
  @Test func aMemberIsFoundByItsName() throws {
    let json = try JSONText(#"{"ab":[1,{"a":7}],"a":"x","\u0061b":3,"q\"":4,"a":5,"":6,"n":null,"z":{"a":8}}"#)
    for name in json.members.map(\.name) + ["b", "abc", "ü"] {
      let first = json.members.first { $0.name == name }?.value
      #expect(json[name] == first.flatMap { $0.isNull ? nil : $0 }, "\(name)")
    }
    #expect(try JSONText(#"{"\u0061\n":1}"#)["a\n"]?.integer == 1)
    #expect(try JSONText("{}")["a"] == nil && JSONText("[1]")["a"] == nil)
  }

  @Test(arguments: [
    (#"{"a":"b","c":{"d":1}}"#, #"{"c":{"e":2},"a":null}"#, #"{"c":{"d":1,"e":2}}"#),
    (#"{"a":[1]}"#, #"{"a":{"b":null,"c":3}}"#, #"{"a":{"c":3}}"#),
    (#"{"a":1}"#, #"[1]"#, #"[1]"#),
  ])
  func mergePatches(_ target: String, _ patch: String, _ result: String) throws {
    #expect(try JSONText(target).merged(with: JSONText(patch)).text == result)
  }
}

@Suite struct SHA256Tests {
  /// FIPS 180-4's examples.
  @Test(arguments: [
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
  ])
  func digests(_ text: String, _ digest: String) { #expect(SHA256.hexDigest(text) == digest) }
}

@Suite struct TableCursorTests {
  @Test(arguments: [
    ("a.3", "a.3", true), ("a.3", "a.4", false), ("a.4", "a.3", true), ("b.9", "a.3", false),
    ("a.3.2", "a.3", true), ("a.3", "a.3.1", false), ("a.4.1", "a.3.2", false), ("a.4.2~w", "a.3.2~x", true),
    ("a.x", "a.1", false), ("a", "a", false),
  ])
  func order(_ one: String, _ other: String, _ isAsNew: Bool) throws {
    #expect(try #require(TableCursor(one)).isAsNew(as: #require(TableCursor(other))) == isAsNew)
  }

  @Test(arguments: [("a.3.2", "a.3"), ("a.3.2~w", "a.3"), ("a.3", "a.3"), ("a.3~w", "a.3~w"), ("a", "a")])
  func withoutTaps(_ text: String, _ plain: String) throws {
    #expect(try #require(TableCursor(text)).withoutTaps.text == plain)
  }

  @Test(arguments: ["", "a b", "a/b", "ü", String(repeating: "a", count: 201)])
  func noCursor(_ text: String) { #expect(TableCursor(text) == nil) }
}
