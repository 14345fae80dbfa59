import HTTPServer
import TableEngine

/// The media type of an answer, as `Accept` is asked for it.
struct MediaType: Sendable {
  let type: String
  let subtype: String

  static let json = MediaType(type: "application", subtype: "json")
  static let script = MediaType(type: "text", subtype: "javascript")
  static let eventStream = MediaType(type: "text", subtype: "event-stream")

  var name: String { "\(type)/\(subtype)" }

  /// Returns whether a request's `Accept` allows it: the most exact range that matches decides, by its `q` (RFC 9110
  /// section 12.5.1). Without the field anything is welcome. O(bytes of the field).
  func isAcceptable(to request: Request) -> Bool {
    let names = ["*/*", "\(type)/*", name]
    var best: (precision: Int, isWelcome: Bool)?
    var isAsked = false
    request.forEachMember(of: .accept) { member in
      isAsked = true
      let end = member.firstIndex(of: UInt8(ascii: ";")) ?? member.endIndex
      let range = member[..<end].withoutBlanks
      guard let precision = names.lastIndex(where: range.isText), precision >= best?.precision ?? 0 else { return true }
      best = (precision, Self.weight(in: member[end...]) > 0)
      return true
    }
    return !isAsked || best?.isWelcome ?? false
  }

  /// The first weight among parameters; 1 where there is none that can be read.
  private static func weight(in parameters: ArraySlice<UInt8>) -> Double {
    var rest = parameters
    while let start = rest.firstIndex(of: UInt8(ascii: ";")) {
      rest = rest[(start + 1)...]
      let parameter = rest.prefix { $0 != UInt8(ascii: ";") }.withoutBlanks
      guard parameter.count > 1, parameter[parameter.startIndex + 1] == UInt8(ascii: "="),
        Weight.isName(parameter.prefix(1))
      else { continue }
      return Weight(parameter.dropFirst(2))?.value ?? 1
    }
    return 1
  }
}
