import JSON
import TestSupport
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

@Suite struct MergePatchCostTests {
  /// Four times as many members cost about four times as much, not sixteen times.
  @Test func theCostGrowsWithTheMembers() {
    func cost(_ count: Int) -> Duration {
      let object = JSONValue.object((0..<count).map { .init(name: "member\($0)", value: .integer(Int64($0))) })
      let patch = JSONValue.object((0..<count).map { .init(name: "member\($0 * 2)", value: .bool(true)) })
      return processorTime { _ = object.merging(patch: patch) }
    }
    let (few, many) = (cost(500), cost(2000))
    #expect(many < few * 9, "\(few) for 500, \(many) for 2,000")
  }

  /// Quadratic, this took a minute.
  @Test func manyMembersAreMergedInLinearTime() {
    let object = JSONValue.object((0..<50_000).map { .init(name: "member\($0)", value: .integer(Int64($0))) })
    let patch = JSONValue.object(
      (0..<50_000).map { .init(name: "member\($0 * 2)", value: $0 % 2 == 0 ? .null : .bool(true)) }
    )
    let merged = object.merging(patch: patch)
    guard case .object(let members) = merged else {
      Issue.record("an object is expected")
      return
    }
    #expect(members.count == 50_000 - 12_500 + 12_500)
  }

  @Test func namesThatStandTwice() throws {
    let twice = try JSONValue(parsing: #"{"a":1,"a":2,"b":3}"#)
    #expect(String(decoding: twice.merging(patch: ["a": nil]).bytes, as: UTF8.self) == #"{"b":3}"#)
    #expect(String(decoding: twice.merging(patch: ["b": 4]).bytes, as: UTF8.self) == #"{"a":1,"b":4}"#)
  }

  /// Against the algorithm as RFC 7396 §2 writes it.
  @Test(arguments: 0..<200)
  func mergesAsTheNaiveAlgorithmDoes(seed: Int) {
    var state = UInt64(seed)
    func next(_ bound: UInt64) -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return (state >> 33) % bound
    }
    func value(depth: Int) -> JSONValue {
      switch next(depth > 2 ? 3 : 5) {
      case 0: return .null
      case 1: return .integer(Int64(next(5)))
      case 2: return .array([.null])
      default:
        let names = ["a", "b", "\u{E9}", "e\u{301}", "c"].filter { _ in next(2) == 0 }
        return .object(names.map { .init(name: $0, value: value(depth: depth + 1)) })
      }
    }
    func naive(_ target: JSONValue, _ patch: JSONValue) -> JSONValue {
      guard case .object(let changes) = patch else { return patch }
      var result = target
      if case .object = result {} else { result = .object([]) }
      for change in changes {
        result[change.name] =
          change.value == .null ? JSONValue?.none : naive(result[change.name] ?? .null, change.value)
      }
      return result
    }
    let (target, patch) = (value(depth: 0), value(depth: 0))
    #expect(target.merging(patch: patch).bytes == naive(target, patch).bytes, "seed \(seed)")
  }

  @Test func integersAboveInt64AreKept() throws {
    let text = #"{"id":18446744073709551615,"n":9223372036854775808}"#
    #expect(String(decoding: try JSONValue(parsing: text).merging(patch: ["x": nil]).bytes, as: UTF8.self) == text)
  }
}
