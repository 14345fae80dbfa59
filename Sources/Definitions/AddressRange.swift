/// Addresses that begin with the same bits: `10.0.0.0/8`, `2001:db8::/32`, or a single address (RFC 4632 §3.1).
public struct AddressRange: Equatable, Sendable {
  /// 4 or 16 bytes, in network order; those behind the prefix are 0.
  public let bytes: [UInt8]
  /// How many bits addresses have in common.
  public let prefixLength: Int

  /// - Parameter address: 4 or 16 bytes in network order.
  /// - Returns: nil where there is no such range.
  public init?(address: [UInt8], prefixLength: Int) {
    guard address.count == 4 || address.count == 16, (0...address.count * 8).contains(prefixLength) else { return nil }
    self.prefixLength = prefixLength
    bytes = address.enumerated().map { index, byte in
      byte & Self.mask(bits: prefixLength - index * 8)
    }
  }

  /// Returns whether the address, 4 or 16 bytes in network order, lies in the range. An IPv4 address in its IPv6 form
  /// (`::ffff:10.0.0.1`, RFC 4291 §2.5.5.2) counts as the IPv4 address.
  public func contains(_ address: [UInt8]) -> Bool {
    var address = address[...]
    if bytes.count == 4, address.count == 16, address.starts(with: Self.mappedPrefix) {
      address = address.dropFirst(12)
    }
    guard address.count == bytes.count else { return false }
    return zip(address, bytes).enumerated().allSatisfy { index, pair in
      pair.0 & Self.mask(bits: prefixLength - index * 8) == pair.1
    }
  }

  private static let mappedPrefix: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]

  private static func mask(bits: Int) -> UInt8 {
    bits >= 8 ? 0xFF : bits <= 0 ? 0 : ~(0xFF >> UInt8(bits))
  }
}
