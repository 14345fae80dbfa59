import FieldValues
import HTTPServer
import TableEngine
import TableModel

/// The query parameters and fields of the protocol, read once at the edge into types.
struct PollParameters: Sendable {
  /// The longest wait: more is clamped.
  static let longest = 55.0
  static let standard = 20.0

  var wait: Double

  init(_ request: Request) throws(ServiceError) {
    if let text = request.query.first("wait") {
      guard text.utf8.allSatisfy({ $0.isDigit || $0 == UInt8(ascii: ".") }), let seconds = Double(text) else {
        throw .malformed("`wait` is a number of seconds from 0 to 55, such as `wait=20`.", field: "wait")
      }
      wait = min(seconds, Self.longest)
    } else {
      wait = min(Self.preferred(request) ?? Self.standard, Self.longest)
    }
  }

  /// `Prefer: wait=N` (RFC 7240 §4.3); a preference that can't be read is ignored, as §2 asks.
  private static func preferred(_ request: Request) -> Double? {
    var found: Double?
    request.forEachMember(of: .prefer) { preference in
      // Parameters may follow, and a value may be quoted.
      guard let equals = preference.firstIndex(of: UInt8(ascii: "=")),
        preference[..<equals].withoutBlanks.isText("wait")
      else { return true }
      var value = preference[(equals + 1)...].prefix { $0 != UInt8(ascii: ";") }.withoutBlanks
      if value.count > 1, value.first == UInt8(ascii: "\""), value.last == UInt8(ascii: "\"") {
        value = value.dropFirst().dropLast()
      }
      if value.count <= 19 { found = Int(digits: String(decoding: value, as: UTF8.self)).map(Double.init) }
      return found == nil
    }
    return found
  }

  /// As it stands in the `Link` to the next request: seconds without a needless fraction, and without an exponent.
  var waitText: String { wait == wait.rounded() ? String(Int(wait)) : String(max(wait, 0.001)) }
}

extension Int {
  /// Decimal digits alone: `Int.init` takes a sign, too.
  init?(digits text: some StringProtocol) {
    guard text.utf8.allSatisfy(\.isDigit) else { return nil }
    self.init(text)
  }
}

extension UInt8 {
  fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}
