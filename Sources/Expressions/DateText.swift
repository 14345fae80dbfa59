import FieldValues
import Foundation
import Synchronization

/// Writes moments for people.
enum DateText {
  /// A format is `iso`, `short`, `medium`, `long` or a Unicode pattern (UTS 35, “Date Format Patterns”).
  static func text(
    of date: Date,
    format: String,
    zone: String,
    locale: String
  ) throws(EvaluationError) -> String {
    guard format.utf8.count <= 200 else { throw EvaluationError("date takes a format of at most 200 bytes") }
    if format == "iso", zone == "UTC", let text = isoText(of: date) { return text }
    let key = Key(format: format, zone: zone, locale: locale)
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

  /// RFC 3339 in UTC without a formatter, as most dates are written; nil beyond the years of four digits.
  private static func isoText(of date: Date) -> String? {
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
    return parts.reduce(into: "") { text, part in
      let digits = String(part.0)
      text += String(repeating: "0", count: max(0, part.1 - digits.utf8.count)) + digits + part.2
    }
  }

  private struct Key: Hashable {
    var format: String
    var zone: String
    var locale: String
  }

  /// Making a formatter costs some 100 µs, using it 2.
  private static let formatters = Mutex<[Key: DateFormatter]>([:])

  private static func formatter(for key: Key) -> DateFormatter? {
    // Names of zones are names of files.
    let isName = key.zone.utf8.allSatisfy { byte in
      (0x2b...0x3a).contains(byte) && byte != 0x2e || (0x61...0x7a).contains(byte | 0x20) || byte == 0x5f
    }
    guard isName, key.zone.utf8.count <= 64,
      let zone = TimeZone(identifier: key.zone) ?? TimeZone(abbreviation: key.zone)
    else { return nil }
    let formatter = DateFormatter()
    formatter.timeZone = zone
    formatter.locale = Locale(identifier: key.locale)
    // ISO 8601 knows no Julian calendar: moments before 1582 have the days that they were written with.
    formatter.gregorianStartDate = Date(timeIntervalSince1970: -1e13)
    switch key.format {
    case "iso":
      formatter.locale = Locale(identifier: "en_US_POSIX")
      formatter.dateFormat = "yyyy-MM-dd'T'HH:mm:ssXXXXX"
    case "short": (formatter.dateStyle, formatter.timeStyle) = (.short, .short)
    case "medium": (formatter.dateStyle, formatter.timeStyle) = (.medium, .short)
    case "long": (formatter.dateStyle, formatter.timeStyle) = (.long, .short)
    default: formatter.dateFormat = key.format
    }
    return formatter
  }
}
