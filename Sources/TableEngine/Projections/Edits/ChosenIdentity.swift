import Digests
import Foundation
import TableMapping

/// The identities that a client may choose for an item that it adds.
enum ChosenIdentity {
  /// In Unicode scalars; at least one.
  static let maximumLength = 200

  /// Refuses what can't be an identity, or may become that of another item.
  static func check(_ identity: String) throws(TableError) {
    guard let fault = fault(of: identity) else { return }
    throw .unprocessable("An item can't be called so: the identity \(fault).", field: "id")
  }

  private static func fault(of identity: String) -> String? {
    guard identity.unicodeScalars.count <= maximumLength else {
      return "has \(identity.unicodeScalars.count) characters, and may have 1 to \(maximumLength); a UUID is best"
    }
    if !identity.isEmpty, identity.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
      return "has digits alone, as those that the service gives; put a letter beside them, or take a UUID"
    }
    if identity == "." || identity == ".." {
      return "is “\(identity)”, which stands for another place in a URL's path; a UUID is best"
    }
    return RowIdentity.refusal(of: identity)
  }

  /// For an item whose identity the client leaves open, where the upstream wants one: a UUID. A repeat of a request with a key
  /// asks for the same one, so that it adds no second item: version 8 of RFC 9562, a digest of caller, route and key.
  static func made(for idempotency: Idempotency?) -> String {
    guard let idempotency else { return UUID().uuidString.lowercased() }
    let parts = [idempotency.caller, idempotency.route, idempotency.key]
    var bytes = Array(SHA256.digest(of: Array(parts.map { "\($0.utf8.count):\($0)" }.joined().utf8)).prefix(16))
    bytes[6] = bytes[6] & 0x0F | 0x80
    bytes[8] = bytes[8] & 0x3F | 0x80
    let digits = bytes.map { String(256 + Int($0), radix: 16).dropFirst() }
    return [digits[..<4], digits[4..<6], digits[6..<8], digits[8..<10], digits[10...]].map { $0.joined() }
      .joined(separator: "-")
  }
}
