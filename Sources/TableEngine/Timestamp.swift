import Foundation

/// Points in time as the protocol writes them: RFC 3339, UTC, to the second.
enum Timestamp {
  static var now: String { text(Date()) }

  static func text(_ date: Date) -> String { date.formatted(.iso8601) }
}
