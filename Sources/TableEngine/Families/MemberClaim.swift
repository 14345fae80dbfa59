import Digests
import TableStore

/// What a replica tells the one that asks the sources: that a member of a family is read here.
struct MemberClaim: Equatable, Sendable {
  /// The member's, in canonical form.
  var name: String
  /// Who has made it, as far as limits on a single client go; empty: nobody whose share is limited.
  var share: String
  /// Somebody waits for it.
  var isWaitedFor: Bool

  /// Longer ones are in no notification, so such members stay each replica's own.
  static let maximumName = 2_800
  /// Of what a notification holds.
  private static let maximumText = 3_900

  /// A client's share, as replicas tell each other: without their key nobody finds the address, however few there are.
  static func digest(ofShare share: String, key: [UInt8]) -> String {
    guard !share.isEmpty else { return "" }
    return hexadecimal(HMACSHA256.code(for: Array(share.utf8), key: key).prefix(16))
  }

  /// As few texts as will do, each short enough to be sent.
  static func texts(of claims: [MemberClaim]) -> [String] {
    var texts: [String] = []
    for claim in claims {
      let line = "\(claim.isWaitedFor ? "w" : "r") \(claim.share) \(claim.name)"
      if let last = texts.last, last.utf8.count + line.utf8.count < maximumText {
        texts[texts.count - 1] = last + "\n" + line
      } else {
        texts.append(line)
      }
    }
    return texts
  }

  /// What doesn't read as a claim is left out.
  static func read(_ text: String) -> [MemberClaim] {
    text.split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
      guard words.count == 3, !words[2].isEmpty else { return nil }
      return MemberClaim(name: String(words[2]), share: String(words[1]), isWaitedFor: words[0] == "w")
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
