/// A member of a problem's JSON object besides those of RFC 9457: `field`, `at` and the like.
public enum ProblemMember: Sendable {
  case string(String)
  case integer(Int)
  case integers([Int])
  /// An object of lists of texts: `{"name": ["…"]}`.
  case texts([(name: String, texts: [String])])
}

extension Response {
  /// An error as `application/problem+json` (RFC 9457): `type`, `title`, `status`, `detail` and `members`.
  ///
  /// - Parameters:
  ///   - title: what kind of problem, the same for all of its kind; the status's reason by default.
  ///   - detail: what was wrong this time and what would be right.
  ///   - type: a URI reference that names the kind of problem.
  ///   - members: what more there is to say, such as the `field` to blame; written in this order.
  ///   - headers: such as `Retry-After` or `Allow`.
  public static func problem(
    _ status: Status,
    title: String? = nil,
    detail: String,
    type: String = "about:blank",
    members: [(name: String, value: ProblemMember)] = [],
    headers: [HeaderField] = []
  ) -> Response {
    var body: [UInt8] = Array("{\"type\":".utf8)
    appendString(type, to: &body)
    body.append(contentsOf: ",\"title\":".utf8)
    appendString(title ?? status.reason, to: &body)
    body.append(contentsOf: ",\"status\":\(status.code),\"detail\":".utf8)
    appendString(detail, to: &body)
    for (name, member) in members {
      body.append(UInt8(ascii: ","))
      appendString(name, to: &body)
      body.append(UInt8(ascii: ":"))
      switch member {
      case .string(let string): appendString(string, to: &body)
      case .integer(let integer): body.append(contentsOf: "\(integer)".utf8)
      case .integers(let integers):
        body.append(contentsOf: "[\(integers.map(String.init).joined(separator: ","))]".utf8)
      case .texts(let members): append(members, to: &body)
      }
    }
    body.append(UInt8(ascii: "}"))
    return Response(status: status, headers: .problem, additional: headers, body: body)
  }

  private static func append(_ members: [(name: String, texts: [String])], to body: inout [UInt8]) {
    body.append(UInt8(ascii: "{"))
    for (index, member) in members.enumerated() {
      if index > 0 { body.append(UInt8(ascii: ",")) }
      appendString(member.name, to: &body)
      body.append(contentsOf: ":[".utf8)
      for (index, text) in member.texts.enumerated() {
        if index > 0 { body.append(UInt8(ascii: ",")) }
        appendString(text, to: &body)
      }
      body.append(UInt8(ascii: "]"))
    }
    body.append(UInt8(ascii: "}"))
  }

  /// Appends `string` as a JSON string (RFC 8259 section 7).
  private static func appendString(_ string: String, to body: inout [UInt8]) {
    body.append(UInt8(ascii: "\""))
    for byte in string.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        body.append(UInt8(ascii: "\\"))
        body.append(byte)
      case 0..<0x20:
        let digits = String(byte, radix: 16)
        body.append(contentsOf: "\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)".utf8)
      default:
        body.append(byte)
      }
    }
    body.append(UInt8(ascii: "\""))
  }
}
