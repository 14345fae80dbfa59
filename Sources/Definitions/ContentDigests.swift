/// Digests of what a configuration says of tables: equal for two files that say the same. They depend neither on this
/// program's types nor on its defaults, so another release computes the same ones for the same file. Comments, the
/// order of keys where it means nothing, anchors and quotes don't count.
///
/// A part that may be a secret (requests to upstreams, header fields, the environment's values) enters a digest only as
/// a check of 16 bits: too little to find the secret by trying, enough to notice a difference.
public struct ContentDigests: Equatable, Sendable {
  /// The digest of `sources`, `cells`, `representations`, `tables` and `locales`, with the environment's values that
  /// these name, except those that only header fields and webhooks' secrets name.
  public var tables: [UInt8] = []
  /// The same, with those that header fields name.
  public var everything: [UInt8] = []
  /// The release that makes rows of it: ``Release/layout``. No digest.
  public var release = Release.layout
  /// By the source's name.
  public var sources: [String: [UInt8]] = [:]

  public init() {}
}
