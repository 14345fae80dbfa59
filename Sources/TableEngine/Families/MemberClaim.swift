import Digests
import FieldValues
import Foundation
import JSON
import TableStore

/// A message to the leader: a member of a family is read here.
struct MemberClaim: Equatable, Sendable {
  /// The member's, in canonical form.
  var name: String
  /// The client that has made it, as far as limits on a single client go; empty: nobody whose share is limited.
  var share: String
  /// Somebody waits for it.
  var isWaitedFor: Bool
  /// Of `$caller`, those that it is made of; null: it depends on nobody.
  var values = JSONValue.null

  /// Longer ones are in no notification, so such members stay each replica's own.
  static let maximumName = 2_800
  /// The most bytes of a notification.
  private static let maximumText = 3_900

  /// A client's share, as replicas tell each other: without their key nobody finds the address, however few there are.
  static func digest(ofShare share: String, key: [UInt8]) -> String {
    guard !share.isEmpty else { return "" }
    return hexadecimal(HMACSHA256.code(for: Array(share.utf8), key: key).prefix(16))
  }

  /// As few texts as will do, each short enough to be sent.
  ///
  /// - Parameter key: of all replicas: nobody else can read callers' values.
  static func texts(of claims: [MemberClaim], key: [UInt8]) -> [String] {
    var texts: [String] = []
    for claim in claims {
      guard let line = claim.line(key) else { continue }
      if let last = texts.last, last.utf8.count + line.utf8.count < maximumText {
        texts[texts.count - 1] = last + "\n" + line
      } else {
        texts.append(line)
      }
    }
    return texts
  }

  /// `w SHARE NAME`, or `r` where nobody waits; `W SHARE VALUES NAME` and `R` with a caller's values. Nil where they can't be sealed.
  private func line(_ key: [UInt8]) -> String? {
    guard values != .null else { return "\(isWaitedFor ? "w" : "r") \(share) \(name)" }
    guard let sealed = SealedBox.seal(values.bytes, key: key, context: Array(name.utf8)) else { return nil }
    return "\(isWaitedFor ? "W" : "R") \(share) \(Data(sealed).base64EncodedString()) \(name)"
  }

  /// Text that is no claim is left out.
  static func read(_ text: String, key: [UInt8]) -> [MemberClaim] {
    text.split(separator: "\n").compactMap { line in
      let hasValues = line.hasPrefix("W ") || line.hasPrefix("R ")
      let words = line.split(separator: " ", maxSplits: hasValues ? 3 : 2, omittingEmptySubsequences: false).map(
        String.init
      )
      guard words.count == (hasValues ? 4 : 3), let name = words.last, !name.isEmpty else { return nil }
      let isWaitedFor = words[0].lowercased() == "w"
      guard hasValues else { return MemberClaim(name: name, share: words[1], isWaitedFor: isWaitedFor) }
      guard let sealed = Data(base64Encoded: words[2]),
        let bytes = SealedBox.open(Array(sealed), key: key, context: Array(name.utf8)),
        let values = try? JSONValue(parsing: bytes), values != .null
      else { return nil }
      return MemberClaim(name: name, share: words[1], isWaitedFor: isWaitedFor, values: values)
    }
  }
}

/// Why the replica that asks the sources has no room for a member that another one's clients read.
struct MemberRefusal: Equatable, Sendable {
  var name: String
  var detail: String

  init(name: String, detail: String) { (self.name, self.detail) = (name, detail) }

  init?(_ text: String) {
    let parts = text.split(separator: "\n", maxSplits: 1)
    guard parts.count == 2 else { return nil }
    (name, detail) = (String(parts[0]), String(parts[1]))
  }

  var text: String { "\(name)\n\(detail)" }

  var error: TableError { TableError(.unavailable, detail: detail, retryAfter: .seconds(5)) }
}
