import Foundation
import Testing

/// One case of `Tests/HTTPCases/cases.jsonl`: bytes to send, and the replies that the RFCs allow.
struct HTTPCase: Decodable, Sendable, CustomTestStringConvertible {
  struct Part: Decodable {
    /// `#` in it becomes the number of the repetition, where there are several.
    let text: String
    let count: Int
  }

  struct Step: Decodable {
    /// Milliseconds to wait before, or "100": until that interim response has come.
    let after: String
    let text: String
  }

  let name: String
  let rule: String
  let send: [Part]
  /// For each response in turn its statuses; "close" is a connection closed without one.
  let expect: [[String]]
  /// The hardened choice among those for the first response.
  let prefer: [String]?
  /// Patterns for the first response's fields. Null: the field must be absent. "?" before: if it is there at all.
  let headers: [String: String?]?
  /// Whether the connection is usable afterwards; null: either way.
  let keepAlive: Bool?
  let interim: [Int]?
  let halfClose: Bool?
  let abort: String?
  let fragment: Int?
  let steps: [Step]?

  var testDescription: String { name }

  /// The bytes; each character is one (ISO 8859-1).
  func bytes(entityTag: String = "\"none\"") -> [UInt8] {
    send.flatMap { part -> [UInt8] in
      let text = HTTPCase.substitute(part.text, entityTag)
      if part.count == 1 { return HTTPCase.latin1(text) }
      if !text.contains("#") { return Array(repeatElement(HTTPCase.latin1(text), count: part.count).joined()) }
      return (0..<part.count).flatMap { HTTPCase.latin1(text.replacingOccurrences(of: "#", with: "\($0)")) }
    }
  }

  static func substitute(_ text: String, _ entityTag: String) -> String {
    text.replacingOccurrences(of: "{{ETAG}}", with: entityTag)
      .replacingOccurrences(of: "{{ETAG-OPAQUE}}", with: entityTag)
  }

  static func latin1(_ text: String) -> [UInt8] {
    text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
  }

  static let all: [HTTPCase] = {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../HTTPCases/cases.jsonl")
    guard let text = try? String(contentsOf: file, encoding: .utf8) else { return [] }
    let decoder = JSONDecoder()
    return text.split(separator: "\n").compactMap { try? decoder.decode(HTTPCase.self, from: Data($0.utf8)) }
  }()
}
