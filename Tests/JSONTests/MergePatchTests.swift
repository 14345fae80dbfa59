import JSON
import Testing

@Suite struct MergePatchTests {
  /// RFC 7396, appendix A: original, patch, result.
  @Test(arguments: [
    (#"{"a":"b"}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
    (#"{"a":"b"}"#, #"{"b":"c"}"#, #"{"a":"b","b":"c"}"#),
    (#"{"a":"b"}"#, #"{"a":null}"#, #"{}"#),
    (#"{"a":"b","b":"c"}"#, #"{"a":null}"#, #"{"b":"c"}"#),
    (#"{"a":["b"]}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
    (#"{"a":"c"}"#, #"{"a":["b"]}"#, #"{"a":["b"]}"#),
    (#"{"a":{"b":"c"}}"#, #"{"a":{"b":"d","c":null}}"#, #"{"a":{"b":"d"}}"#),
    (#"{"a":[{"b":"c"}]}"#, #"{"a":[1]}"#, #"{"a":[1]}"#),
    (#"["a","b"]"#, #"["c","d"]"#, #"["c","d"]"#),
    (#"{"a":"b"}"#, #"["c"]"#, #"["c"]"#),
    (#"{"a":"foo"}"#, #"null"#, #"null"#),
    (#"{"a":"foo"}"#, #""bar""#, #""bar""#),
    (#"{"e":null}"#, #"{"a":1}"#, #"{"e":null,"a":1}"#),
    (#"[1,2]"#, #"{"a":"b","c":null}"#, #"{"a":"b"}"#),
    (#"{}"#, #"{"a":{"bb":{"ccc":null}}}"#, #"{"a":{"bb":{}}}"#),
  ])
  func table(original: String, patch: String, result: String) throws {
    let merged = try JSONValue(parsing: original).merging(patch: JSONValue(parsing: patch))
    #expect(String(decoding: merged.bytes, as: UTF8.self) == result)
  }

  @Test func namesAreComparedByCodeUnits() throws {
    let merged = JSONValue.object([.init(name: "\u{E9}", value: 1)]).merging(patch: ["e\u{301}": nil])
    #expect(merged["\u{E9}"] == 1)
    #expect(merged["e\u{301}"] == nil)
    #expect(merged.merging(patch: ["e\u{301}": 2]).bytes == Array("{\"\u{E9}\":1,\"e\u{301}\":2}".utf8))
  }

  @Test func whatIsNotNamedStaysInItsPlace() throws {
    let merged = try JSONValue(parsing: #"{"a":1,"b":2,"c":3}"#).merging(patch: ["b": nil, "a": 4])
    #expect(String(decoding: merged.bytes, as: UTF8.self) == #"{"a":4,"c":3}"#)
  }
}
