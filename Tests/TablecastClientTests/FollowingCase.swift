import Foundation
import TablecastClient
import Testing

/// A case of `Tests/ClientCases/polling.json`; the README beside it says what its members mean.
struct FollowingCase: Decodable, CustomTestStringConvertible, Sendable {
  struct Table: Decodable, Sendable {
    var name: String
    var rows: Int?
    var view: String?
    var parameters: [String: String]?

    var address: TableAddress { TableAddress(name, parameters: parameters ?? [:], view: view) }
  }

  struct Deed: Decodable, Sendable {
    enum Kind: String, Decodable, Sendable { case leave, pause, resume, wake, widen, reload }

    var at: Double
    var kind: Kind
    var reason: String?
    var rows: Int?

    enum CodingKeys: String, CodingKey {
      case at, reason, rows
      case kind = "do"
    }
  }

  struct Reply: Decodable, Sendable {
    var status: Int?
    var headers: [String: String]?
    var body: AnyJSON?
    var text: String?
    var delay: Double?
    var waits: Bool?
    var fails: Bool?
    var hangs: Bool?
    var only: String?
    var times: Int?
  }

  struct Expectation: Decodable, Sendable {
    var requests: [Int]
    var targets: [String]?
    var last: String?
    var shown: [[String]]?
    var connections: [String]?
    var cursor: String?
    var never: [String]?
    var gaps: [Double]?
  }

  var name: String
  var tables: [Table]
  var restored: [AnyJSON]?
  var does: [Deed]?
  var replies: [Reply]
  var seconds: Double
  var expect: Expectation

  var testDescription: String { name }

  static let all: [FollowingCase] = {
    struct File: Decodable { var cases: [FollowingCase] }
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("ClientCases/polling.json")
    do { return try JSONDecoder().decode(File.self, from: Data(contentsOf: file)).cases } catch {
      print("\(file.path): \(error)")
      return []
    }
  }()
}

/// Any JSON value, as its text.
struct AnyJSON: Decodable, Sendable {
  var text: String

  init(from decoder: any Decoder) throws {
    if let container = try? decoder.container(keyedBy: Name.self) {
      let members = try container.allKeys.map { key in
        "\(Self.quoted(key.stringValue)):\(try container.decode(AnyJSON.self, forKey: key).text)"
      }
      text = "{\(members.joined(separator: ","))}"
    } else if var container = try? decoder.unkeyedContainer() {
      var elements: [String] = []
      while !container.isAtEnd { elements.append(try container.decode(AnyJSON.self).text) }
      text = "[\(elements.joined(separator: ","))]"
    } else {
      let container = try decoder.singleValueContainer()
      if container.decodeNil() {
        text = "null"
      } else if let value = try? container.decode(Bool.self) {
        text = "\(value)"
      } else if let value = try? container.decode(Int.self) {
        text = "\(value)"
      } else {
        text = Self.quoted(try container.decode(String.self))
      }
    }
  }

  private static func quoted(_ text: String) -> String {
    "\"\(text.replacingOccurrences(of: "\\", with: "\\\\").replacingOccurrences(of: "\"", with: "\\\""))\""
  }

  private struct Name: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }
}
