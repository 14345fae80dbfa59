import Definitions
import Digests
import FieldValues

/// A replica's configuration, as replicas tell each other: the method of the digest, the layout of the release, and the digest.
///
/// Digests of two methods can't be compared: where releases differ in the method, nobody says that the configurations
/// do. Two releases may make other rows of one configuration.
struct ConfigurationDigest: Equatable, Sendable {
  /// Empty: as it was made once, by the names of the program's own types.
  var method: String
  /// The same where releases make the same rows. Empty: of a release that doesn't say.
  var layout: String
  var digest: String

  /// The method of this release: ``ContentDigests``.
  static let method = "3"

  init(_ definition: ServiceDefinition) {
    (method, digest) = (Self.method, hexadecimal(definition.contents.tables.prefix(16)))
    layout = hexadecimal(SHA256.digest(of: Array(definition.contents.release.utf8)).prefix(4))
  }

  /// Reads ``text``.
  init(_ text: some StringProtocol) {
    let parts = String(text).split(separator: ":", maxSplits: 1).map(String.init)
    let names = parts.count == 2 ? parts[0].split(separator: ".", maxSplits: 1).map(String.init) : []
    (method, layout) = (names.first ?? "", names.count == 2 ? names[1] : "")
    digest = parts.count == 2 ? parts[1] : String(text)
  }

  /// `METHOD.LAYOUT:DIGEST`, without spaces. To a release that knows no layout that is another method.
  var text: String {
    if method.isEmpty { return digest }
    return layout.isEmpty ? "\(method):\(digest)" : "\(method).\(layout):\(digest)"
  }

  /// Returns whether the two are known to be of different configurations.
  func differs(from other: ConfigurationDigest) -> Bool { method == other.method && digest != other.digest }
}
