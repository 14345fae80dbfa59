import FieldValues
import Foundation

/// Reads moments as APIs write them.
enum DateParser {
  /// A parsed text: a moment, or a day without a time.
  struct Reading {
    var date: Date
    /// The day that begins at the date in UTC.
    var isDay = false
  }

  static func date(from value: Value) throws(EvaluationError) -> Date { try reading(of: value).date }

  static func reading(of value: Value) throws(EvaluationError) -> Reading {
    if let number = value.doubleValue { return Reading(date: try date(fromUnixTime: number)) }
    guard let text = value.string else {
      throw EvaluationError("date takes a string or a number, not \(value.kind.phrase)")
    }
    let bytes = Array(text.utf8.drop { $0 == 0x20 })
    if let reading = isoDate(bytes) ?? httpDate(bytes).map({ Reading(date: $0) }) { return reading }
    if let number = Double(text), text.utf8.allSatisfy({ "-.0123456789".utf8.contains($0) }), text.utf8.count >= 9 {
      return Reading(date: try date(fromUnixTime: number))
    }
    throw EvaluationError(
      "date takes ISO 8601, an HTTP date or a Unix time, not",
      showing: text
    )
  }

  /// Milliseconds from the number of digits: seconds reach them in the year 5138.
  private static func date(fromUnixTime number: Double) throws(EvaluationError) -> Date {
    let seconds = abs(number) >= 100_000_000_000 ? number / 1000 : number
    guard abs(seconds) < 253_402_300_800 else {
      throw EvaluationError("date takes Unix times of the years to 9999, not", showing: Value.text(of: number))
    }
    return Date(timeIntervalSince1970: seconds)
  }

  /// `2024-05-01`, `2024-05-01T22:30Z`, `2024-05-01 22:30:00.123+02:00`, `20240501T223000Z`, `2024-05-01 22:30:00 UTC`.
  /// No zone means UTC.
  private static func isoDate(_ text: [UInt8]) -> Reading? {
    var reader = DateReader(text)
    guard let year = reader.digits(4) else { return nil }
    let extended = reader.take("-")
    guard let month = reader.digits(2) else { return nil }
    if extended, !reader.take("-") { return nil }
    guard let day = reader.digits(2) else { return nil }
    guard let days = days(year: year, month: month, day: day) else { return nil }
    if reader.isAtEnd { return Reading(date: Date(timeIntervalSince1970: Double(days * 86_400)), isDay: true) }
    guard reader.take("T") || reader.take("t") || reader.take(" ") else { return nil }
    guard let hour = reader.digits(2), hour <= 24 else { return nil }
    let hasColons = reader.take(":")
    guard let minute = reader.digits(2), minute < 60 else { return nil }
    var second = 0
    if hasColons ? reader.take(":") : reader.isAtDigit {
      guard let value = reader.digits(2), value <= 60 else { return nil }
      second = value
    }
    var fraction = 0.0
    if reader.take(".") || reader.take(",") {
      guard let value = reader.fraction() else { return nil }
      fraction = value
    }
    // The end of a day, and nothing behind it (ISO 8601).
    guard hour < 24 || minute == 0 && second == 0 && fraction == 0 else { return nil }
    reader.skipSpaces()
    guard let offset = reader.zone(), reader.isAtEnd else { return nil }
    let seconds = days * 86_400 + hour * 3_600 + minute * 60 + second - offset
    return Reading(date: Date(timeIntervalSince1970: Double(seconds) + fraction))
  }

  /// RFC 9110 §5.6.7, the preferred form, and with a numeric zone as feeds have it: `Wed, 01 May 2024 22:30:00 GMT`.
  private static func httpDate(_ text: [UInt8]) -> Date? {
    var reader = DateReader(text)
    if reader.word() != nil { _ = reader.take(",") }
    reader.skipSpaces()
    guard let day = reader.upToTwoDigits() else { return nil }
    reader.skipSpaces()
    if reader.take("-") {}
    guard let name = reader.word(), let month = months.firstIndex(of: String(name.lowercased().prefix(3))) else {
      return nil
    }
    reader.skipSpaces()
    if reader.take("-") {}
    guard let year = reader.digits(4) else { return nil }
    reader.skipSpaces()
    guard let days = days(year: year, month: month + 1, day: day) else { return nil }
    guard let hour = reader.digits(2), hour < 24, reader.take(":"), let minute = reader.digits(2), minute < 60 else {
      return nil
    }
    var second = 0
    if reader.take(":") {
      guard let value = reader.digits(2), value <= 60 else { return nil }
      second = value
    }
    reader.skipSpaces()
    guard let offset = reader.zone(), reader.isAtEnd else { return nil }
    return Date(timeIntervalSince1970: Double(days * 86_400 + hour * 3_600 + minute * 60 + second - offset))
  }

  private static let months = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
  ]

  /// Days from 1970-01-01 of a date of the Gregorian calendar; nil where there is no such day.
  private static func days(year: Int, month: Int, day: Int) -> Int? {
    CivilDate(year: year, month: month, day: day)?.daysSinceEpoch
  }
}
