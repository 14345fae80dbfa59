internal import CCrypto

/// A message that only holders of a key can read or write: AES-256-GCM (NIST SP 800-38D).
public enum SealedBox {
  private static let nonceCount = 12
  private static let tagCount = 16
  /// How much longer it is than what is in it.
  public static let overhead = nonceCount + tagCount

  /// Seals bytes under a random nonce: nonce, encrypted bytes, tag. O(n).
  ///
  /// - Parameters:
  ///   - key: 32 bytes. Up to 2^32 boxes have one key.
  ///   - context: what the box belongs to; it is not in it, and has to be the same for opening.
  /// - Returns: nil where the key has another length, or libcrypto can't do it.
  public static func seal(_ bytes: [UInt8], key: [UInt8], context: [UInt8]) -> [UInt8]? {
    let nonce = (0..<nonceCount).map { _ in UInt8.random(in: .min ... .max) }
    var tag = [UInt8](repeating: 0, count: tagCount)
    return run(isSealing: true, bytes, key, nonce, context, &tag).map { nonce + $0 + tag }
  }

  /// - Returns: nil where the box was not sealed with this key and context, to the bit. O(n).
  public static func open(_ box: [UInt8], key: [UInt8], context: [UInt8]) -> [UInt8]? {
    guard box.count >= overhead else { return nil }
    var tag = Array(box.suffix(tagCount))
    return run(
      isSealing: false,
      Array(box[nonceCount..<(box.count - tagCount)]),
      key,
      Array(box.prefix(nonceCount)),
      context,
      &tag
    )
  }

  private static func run(
    isSealing: Bool,
    _ input: [UInt8],
    _ key: [UInt8],
    _ nonce: [UInt8],
    _ context: [UInt8],
    _ tag: inout [UInt8]
  ) -> [UInt8]? {
    guard key.count == 32, let count = Int32(exactly: input.count), let contextCount = Int32(exactly: context.count)
    else { return nil }
    var output = [UInt8](repeating: 0, count: input.count)
    let isDone = ccrypto_aes_gcm(isSealing ? 1 : 0, key, nonce, context, contextCount, input, count, &output, &tag) == 1
    return isDone ? output : nil
  }
}
