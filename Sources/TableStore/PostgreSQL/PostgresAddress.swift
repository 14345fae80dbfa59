import CPQ
import Foundation

/// The address of the database: a connection URI or string as libpq takes it, with the settings that this store needs.
struct PostgresAddress: Sendable, CustomStringConvertible {
  /// With a password perhaps: for libpq alone, never logged.
  var text: String { texts[0] }
  /// The same, each beginning with another one of the hosts.
  private let texts: [String]
  /// For messages.
  let description: String

  /// - Throws: ``StoreError/cannotOpen(path:reason:)`` where libpq can't read it.
  init(_ address: String) throws(StoreError) {
    var message: UnsafeMutablePointer<CChar>?
    guard let options = PQconninfoParse(address, &message) else {
      // libpq's words repeat the address, password and all.
      PQfreemem(message)
      throw .cannotOpen(path: "store.postgres", reason: "it is no connection URI or string of PostgreSQL's")
    }
    defer { PQconninfoFree(options) }
    var given: [String: String] = [:]
    var option = options
    while let keyword = option.pointee.keyword {
      if let value = option.pointee.val { given[String(cString: keyword)] = String(cString: value) }
      option += 1
    }
    let host = given["host"] ?? given["hostaddr"] ?? "the local socket"
    description = "PostgreSQL database \(given["dbname"] ?? "of the user's name") at \(host)"
    // Of several hosts the writable one is taken; a cut connection is noticed within seconds.
    let defaults = [
      "target_session_attrs": "read-write", "connect_timeout": "5", "tcp_user_timeout": "5000", "keepalives_idle": "5",
      "keepalives_interval": "2", "keepalives_count": "2", "application_name": "tablecast",
    ]
    given.merge(defaults) { given, _ in given }
    let count = (given["host"] ?? given["hostaddr"])?.split(separator: ",", omittingEmptySubsequences: false).count ?? 1
    texts = (0..<count).map { first in
      let settings = given.map { key, value in
        "\(key)=\(Self.quoted(Self.rotated(value, of: key, count, by: first)))"
      }
      return settings.joined(separator: " ")
    }
  }

  /// The address for an attempt to connect, by its number. An attempt goes from one host to the next where that refuses; one host that says
  /// nothing takes all of its time, so that the next attempt begins behind it.
  func text(attempt: Int) -> String { texts[attempt % texts.count] }

  /// The value of a setting that has one part for each host, beginning with another one.
  private static func rotated(_ value: String, of key: String, _ count: Int, by first: Int) -> String {
    let parts = value.split(separator: ",", omittingEmptySubsequences: false)
    guard ["host", "hostaddr", "port"].contains(key), parts.count == count else { return value }
    return (parts[first...] + parts[..<first]).joined(separator: ",")
  }

  private static func quoted(_ value: String) -> String {
    "'" + value.replacingOccurrences(of: "\\", with: "\\\\").replacingOccurrences(of: "'", with: "\\'") + "'"
  }
}
