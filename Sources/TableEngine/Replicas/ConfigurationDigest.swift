import Definitions
import Digests
import FieldValues

/// A replica's configuration, as replicas tell each other: the method of the digest, and the digest.
///
/// Digests of two methods can't be compared: where releases differ in the method, nobody says that the configurations
/// do.
struct ConfigurationDigest: Equatable, Sendable {
  /// Empty: as it was made once, by the names of the program's own types.
  var method: String
  var digest: String

  /// The method of this release: ``ContentDigests``.
  static let method = "3"

  init(_ definition: ServiceDefinition) {
    (method, digest) = (Self.method, hexadecimal(definition.contents.tables.prefix(16)))
  }

  /// Reads ``text``.
  init(_ text: some StringProtocol) {
    let parts = text.split(separator: ":", maxSplits: 1)
    (method, digest) = parts.count == 2 ? (String(parts[0]), String(parts[1])) : ("", String(text))
  }

  /// `METHOD:DIGEST`, without spaces.
  var text: String { method.isEmpty ? digest : "\(method):\(digest)" }

  /// Returns whether the two are known to be of different configurations.
  func differs(from other: ConfigurationDigest) -> Bool { method == other.method && digest != other.digest }
}
