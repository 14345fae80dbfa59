/// What a configuration says of tables, as digests: equal for two files that say the same. They depend neither on this
/// program's types nor on its defaults, so another release computes the same ones for the same file. Comments, the order
/// of keys where it means nothing, anchors and quotes don't count.
///
/// Of what may be a secret (requests to upstreams, header fields, the environment's values) a digest has no more than a
/// check of 16 bits for each part: too little to find a secret by trying, enough to notice a difference.
public struct ContentDigests: Equatable, Sendable {
  /// Of `sources`, `cells`, `representations`, `tables` and `locales`, with the environment's values that these name; but
  /// for those that header fields and webhooks' secrets alone name.
  public var tables: [UInt8] = []
  /// The same, with those that header fields name.
  public var everything: [UInt8] = []
  /// By the source's name.
  public var sources: [String: [UInt8]] = [:]

  public init() {}
}
