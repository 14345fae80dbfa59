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

  private struct Key: Hashable {
    var format: String
    var zone: String
    var locale: String
  }

  /// Making a formatter costs some 100 µs, using it 2.
  private static let formatters = Mutex<[Key: DateFormatter]>([:])

  private static func formatter(for key: Key) -> DateFormatter? {
    guard let zone = TimeZone(identifier: key.zone) ?? TimeZone(abbreviation: key.zone) else { return nil }
    let formatter = DateFormatter()
    formatter.timeZone = zone
    formatter.locale = Locale(identifier: key.locale)
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
