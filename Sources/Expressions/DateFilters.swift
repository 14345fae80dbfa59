import Foundation
import JSON

/// Filters of moments.
enum DateFilters {
  static let all: [Filter] = [
    Filter(
      "date(format?, zone?, locale?)",
      """
      A moment, from ISO 8601, an HTTP date (RFC 9110) or Unix time (seconds or milliseconds), in a Unicode pattern \
      or as iso, short, medium or long, also with date or time behind it for one half; in UTC and English unless told. \
      A date without a time is that date in every zone.
      """,
      examples: [
        ("'2024-05-01T22:30:00Z' | date('yyyy-MM-dd HH:mm', 'Europe/Berlin')", "\"2024-05-02 00:30\""),
        ("'2024-12-24' | date('medium', 'America/New_York')", "\"Dec 24, 2024\""),
        ("'2024-05-01T22:30:00Z' | date('long date')", "\"May 1, 2024\""),
        ("'Wed, 01 May 2024 22:30:00 GMT' | date", "\"2024-05-01T22:30:00Z\""),
        ("1714602600 | date('d. MMMM yyyy', 'UTC', 'de')", "\"1. Mai 2024\""),
      ],
      reads: .number(writing: 5_000)
    ) { (call) throws(EvaluationError) in
      if call.input.isNull { return .null }
      // A formatter is made once for a format that is written out; of those that are computed each may be another one.
      if !call.isFixed(0) || !call.isFixed(1) || !call.isFixed(2) { try call.scope.charge(Cost.formatter) }
      let text = try DateText.text(
        of: try DateParser.reading(of: call.input),
        format: try call.text(0, of: "date") ?? "iso",
        zone: try call.text(1, of: "date") ?? "UTC",
        locale: try call.locale(2, of: "date") ?? "en"
      )
      return text.map { .string($0) } ?? .null
    },
    Filter(
      "timestamp",
      "The Unix time of a moment in seconds: to compare, sort and subtract dates.",
      examples: [("'2024-05-01T22:30:00Z' | timestamp", "1714602600")],
      reads: .number(writing: 200)
    ) { (call) throws(EvaluationError) in
      if call.input.isNull { return .null }
      return NumberText.simplest(try DateParser.date(from: call.input).timeIntervalSince1970)
    },
  ]
}
