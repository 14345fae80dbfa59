import FieldValues
import Foundation
import JSON

/// Filters that write a value for a machine: parts of URLs, Base64, JSON, digests.
enum EncodingFilters {
  static let all: [Filter] = [
    Filter(
      "host",
      "The host of a URL, without www.; null where there is none.",
      examples: [("'https://www.swift.org/blog?x=1' | host", "\"swift.org\"")],
      reads: .characters(ascii: 100, other: 100)
    ) { (call) throws(EvaluationError) in
      guard let text = try call.inputText(for: "host") else { return .null }
      return URLText.host(of: text).map { .string($0) } ?? .null
    },
    Filter(
      "urlEncode",
      "Percent-encoded, fit for any part of a URL (RFC 3986 §2.3: only unreserved characters stay).",
      examples: [("'a b/c' | urlEncode", "\"a%20b%2Fc\"")],
      reads: .bytes(70)
    ) { (call) throws(EvaluationError) in
      guard let text = try call.inputText(for: "urlEncode") else { return .null }
      return try Arithmetic.bounded(PercentCoding.encode(text), by: "urlEncode")
    },
    Filter(
      "base64",
      "The UTF-8 in Base64 (RFC 4648 §4).",
      examples: [("'user:pass' | base64", "\"dXNlcjpwYXNz\"")],
      reads: .bytes(10)
    ) { (call) throws(EvaluationError) in
      guard let text = try call.inputText(for: "base64") else { return .null }
      return try Arithmetic.bounded(Data(text.utf8).base64EncodedString(), by: "base64")
    },
    Filter("json", "JSON text.", examples: [("[1, 'a', null] | json", "\"[1,\\\"a\\\",null]\"")], reads: .whole(24)) {
      (call) throws(EvaluationError) in
      try Arithmetic.bounded(call.input.json, by: "json")
    },
    Filter(
      "hash",
      "16 hexadecimal digits that depend on the value alone (FNV-1a of its JSON text).",
      examples: [("'a' | hash", "\"d4272417d7c77eea\"")],
      reads: .whole(30)
    ) { (call) throws(EvaluationError) in
      var hash: UInt64 = 0xCBF2_9CE4_8422_2325
      for byte in call.input.json.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
      let digits = String(hash, radix: 16)
      return .string(String(repeating: "0", count: 16 - digits.count) + digits)
    },
  ]
}
