/// The time of the next request by a response's header. Pure.
package enum ResponseFreshness {
  /// `max-age` less `Age` (RFC 9111 sections 4.2.1 and 5.2.2.1); nil where there is none, or reuse is forbidden.
  package static func maxAge(_ headers: [TransferField]) -> Duration? {
    guard let control = headers.list(named: "Cache-Control") else { return nil }
    var seconds: Int?
    for directive in control.split(separator: ",") {
      let (name, argument) = String(directive).trimmingWhitespace.split(at: "=")
      switch name.lowercased() {
      case "no-cache", "no-store": return nil
      case "max-age": seconds = argument.flatMap { deltaSeconds($0.filter { $0 != "\"" }) }
      default: break
      }
    }
    let age = headers.first(named: "Age").flatMap(deltaSeconds) ?? 0
    return seconds.map { .seconds(max(0, $0 - age)) }
  }

  /// `Retry-After` (RFC 9110 section 10.2.3): seconds, or a date, which is compared with the upstream's own
  /// `Date` where it sent one, so that its clock may be wrong.
  static func retryAfter(_ headers: [TransferField], now: Int64) -> Duration? {
    guard let value = headers.first(named: "Retry-After") else { return nil }
    if let seconds = deltaSeconds(value) { return .seconds(seconds) }
    guard let date = ResponseDate.parse(value) else { return nil }
    let reference = headers.first(named: "Date").flatMap(ResponseDate.parse) ?? now
    return .seconds(max(0, date - reference))
  }

  /// More than a century counts as one: `1*DIGIT` has no bound.
  private static func deltaSeconds(_ text: String) -> Int? {
    let digits = text.trimmingWhitespace
    guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return min(Int(digits) ?? .max, 3_200_000_000)
  }
}
