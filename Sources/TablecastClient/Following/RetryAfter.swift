import Foundation

/// Reads `Retry-After` (RFC 9110 §10.2.3): seconds, or a date. Nil for anything else.
func retryAfter(_ response: TransportResponse, now: Date = Date()) -> Double? {
  guard let text = response.headers["retry-after"]?.trimmingCharacters(in: .whitespaces) else { return nil }
  if let seconds = Double(text) { return seconds.isFinite && seconds >= 0 ? seconds : nil }
  let formatter = DateFormatter()
  formatter.locale = Locale(identifier: "en_US_POSIX")
  formatter.timeZone = TimeZone(secondsFromGMT: 0)
  formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss zzz"
  return formatter.date(from: text).map { max(0, $0.timeIntervalSince(now)) }
}
