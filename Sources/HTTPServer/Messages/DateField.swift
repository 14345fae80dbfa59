import FieldValues

/// Dates as in `Date` (RFC 9110 section 5.6.7), kept as bytes for as long as the second lasts.
struct DateField {
  private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  private var second = Int.min
  /// The whole header line, its CRLF included.
  private(set) var line: [UInt8] = []

  /// Takes the time, in seconds since 1970.
  mutating func update(_ now: Int) {
    guard now != second else { return }
    second = now
    line = Array("Date: \(DateField.text(now))\r\n".utf8)
  }

  /// IMF-fixdate: `Sun, 06 Nov 1994 08:49:37 GMT`.
  static func text(_ second: Int) -> String {
    let day = Int((Double(second) / 86_400).rounded(.down))
    let time = second - day * 86_400
    let date = CivilDate(daysSinceEpoch: day)
    let weekday = days[((day % 7) + 7) % 7]
    let clock = [time / 3600, time / 60 % 60, time % 60].map { two($0) }.joined(separator: ":")
    return "\(weekday), \(two(date.day)) \(months[date.month - 1]) \(date.year) \(clock) GMT"
  }

  private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : String(number) }
}
