import FieldValues
import Foundation
import Synchronization

/// Writes moments for people.
enum DateText {
  /// A format is `iso`, `short`, `medium`, `long`, one of these and `date` or `time`, or a Unicode pattern (UTS 35, “Date
  /// Format Patterns”).
  ///
  /// - Returns: nil for the time of a day, which has none.
  static func text(
    of reading: DateParser.Reading,
    format: String,
    zone: String,
    locale: String
  ) throws(EvaluationError) -> String? {
    guard format.utf8.count <= 200 else { throw EvaluationError("date takes a format of at most 200 bytes") }
    let date = reading.date
    var key = Key(format: format, zone: zone, locale: locale)
    if reading.isDay {
      if format.hasSuffix(" time"), Style(format) != nil { return nil }
      // A day is the same in all zones.
      key.zone = "UTC"
      key.format = format == "iso" ? "iso date" : Style(format).map { "\($0.length) date" } ?? format
    }
    if let text = isoText(of: date, key) { return text }
    let text = formatters.withLock { formatters -> String? in
      if let formatter = formatters[key] { return formatter.string(from: date) }
      guard let formatter = formatter(for: key) else { return nil }
      // Formats come from a configuration, so that they are few; whoever computes them pays for it.
      if formatters.count >= 256 { formatters.removeAll() }
      formatters[key] = formatter
      return formatter.string(from: date)
    }
    guard let text else {
      throw EvaluationError("date takes a time zone such as 'Europe/Berlin', not", showing: zone)
    }
    return text
  }

  /// One of the lengths, of a whole moment or of a half of it.
  private struct Style {
    var length: Substring
    var hasDate: Bool
    var hasTime: Bool

    init?(_ format: String) {
      let words = format.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
      guard let length = words.first, ["short", "medium", "long"].contains(length) else { return nil }
      switch words.dropFirst().first {
      case nil: (hasDate, hasTime) = (true, true)
      case "date": (hasDate, hasTime) = (true, false)
      case "time": (hasDate, hasTime) = (false, true)
      default: return nil
      }
      self.length = length
    }
  }

  /// RFC 3339 in UTC without a formatter, as most dates are written; nil for other formats, and beyond the years of four
  /// digits.
  private static func isoText(of date: Date, _ key: Key) -> String? {
    guard key.zone == "UTC", key.format == "iso" || key.format == "iso date" else { return nil }
    let seconds = date.timeIntervalSince1970.rounded(.down)
    // 0001-01-01 to 9999-12-31.
    guard seconds >= -62_135_596_800, seconds < 253_402_300_800 else { return nil }
    let total = Int(seconds)
    let days = (total >= 0 ? total : total - 86_399) / 86_400
    let second = total - days * 86_400
    let date = CivilDate(daysSinceEpoch: days)
    let parts = [
      (date.year, 4, "-"), (date.month, 2, "-"), (date.day, 2, "T"), (second / 3_600, 2, ":"),
      (second / 60 % 60, 2, ":"), (second % 60, 2, "Z"),
    ]
    return parts.prefix(key.format == "iso" ? 6 : 3).reduce(into: "") { text, part in
      let digits = String(part.0)
      let end = key.format == "iso date" && part.2 == "T" ? "" : part.2
      text += String(repeating: "0", count: max(0, part.1 - digits.utf8.count)) + digits + end
    }
  }

  private struct Key: Hashable {
    var format: String
    var zone: String
    var locale: String
  }

  /// Making a formatter costs some 100 µs, using it 2.
  private static let formatters = Mutex<[Key: DateFormatter]>([:])

  /// Returns whether such a time zone exists.
  static func isZone(_ name: String) -> Bool { zone(name) != nil }

  private static func zone(_ name: String) -> TimeZone? {
    // Names of zones are names of files.
    let isName = name.utf8.allSatisfy { byte in
      (0x2b...0x3a).contains(byte) && byte != 0x2e || (0x61...0x7a).contains(byte | 0x20) || byte == 0x5f
    }
    guard isName, name.utf8.count <= 64 else { return nil }
    return TimeZone(identifier: name) ?? TimeZone(abbreviation: name)
  }

  private static func formatter(for key: Key) -> DateFormatter? {
    guard let zone = zone(key.zone) else { return nil }
    let formatter = DateFormatter()
    formatter.timeZone = zone
    formatter.locale = Locale(identifier: key.locale)
    // ISO 8601 knows no Julian calendar: moments before 1582 have the days that they were written with.
    formatter.gregorianStartDate = Date(timeIntervalSince1970: -1e13)
    switch key.format {
    case "iso":
      formatter.locale = Locale(identifier: "en_US_POSIX")
      formatter.dateFormat = "yyyy-MM-dd'T'HH:mm:ssXXXXX"
    case "iso date", "iso time":
      formatter.locale = Locale(identifier: "en_US_POSIX")
      formatter.dateFormat = key.format == "iso date" ? "yyyy-MM-dd" : "HH:mm:ssXXXXX"
    default:
      guard let style = Style(key.format) else {
        formatter.dateFormat = key.format
        break
      }
      let lengths: [Substring: DateFormatter.Style] = ["short": .short, "medium": .medium, "long": .long]
      formatter.dateStyle = style.hasDate ? lengths[style.length] ?? .medium : .none
      // Beside a date a time is short, whatever the date is.
      formatter.timeStyle = !style.hasTime ? .none : style.hasDate ? .short : lengths[style.length] ?? .short
    }
    return formatter
  }
}
