import Foundation

/// Points in time as the protocol writes them: RFC 3339, UTC, to the second.
enum Timestamp {
  static var now: String { text(Date()) }

  /// - Parameter seconds: since 1970.
  static func text(_ seconds: Int64) -> String { text(Date(timeIntervalSince1970: Double(seconds))) }

  static func text(_ date: Date) -> String { date.formatted(.iso8601) }
}
