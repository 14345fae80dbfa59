/// A block of addresses, as `10.0.0.0/8`, `2001:db8::/32`, or a single address (CIDR: RFC 4632, RFC 4291 section 2.3).
public struct AddressBlock: Hashable, Sendable {
  /// The first address, IPv4 mapped as in `SocketAddress`.
  private let high: UInt64
  private let low: UInt64
  /// The number of leading bits, of 128, that all of its addresses share.
  private let length: Int

  /// Nil for what is no address, or has a prefix that its kind of address can't have. Bits behind the prefix are
  /// ignored: `10.1.2.3/8` is `10.0.0.0/8`.
  public init?(_ text: String) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let first = parts.first, let address = SocketAddress(host: String(first), port: 0) else { return nil }
    // An IPv4 address in IPv6's notation has IPv6's prefix.
    let isIPv4 = address.isIPv4 && !first.contains(":")
    let bits = isIPv4 ? 32 : 128
    var prefix = bits
    if parts.count > 1 {
      guard !parts[1].isEmpty, parts[1].utf8.allSatisfy(ByteClass.isDigit), let number = Int(parts[1]), number <= bits
      else { return nil }
      prefix = number
    }
    length = 128 - bits + prefix
    high = address.high & AddressBlock.mask(length)
    low = address.low & AddressBlock.mask(length - 64)
  }

  /// From an address as 4 or 16 bytes, the first one first, and the length of its prefix; nil where there is no such
  /// block.
  public init?(bytes: [UInt8], prefixLength: Int) {
    guard bytes.count == 4 || bytes.count == 16, (0...8 * bytes.count).contains(prefixLength) else { return nil }
    let mapped = bytes.count == 16 ? bytes : [UInt8](repeating: 0, count: 10) + [0xff, 0xff] + bytes
    length = 8 * (mapped.count - bytes.count) + prefixLength
    high = mapped[..<8].reduce(0) { $0 << 8 | UInt64($1) } & AddressBlock.mask(length)
    low = mapped[8...].reduce(0) { $0 << 8 | UInt64($1) } & AddressBlock.mask(length - 64)
  }

  /// Returns whether `address` lies in the block.
  public func contains(_ address: SocketAddress) -> Bool {
    address.high & AddressBlock.mask(length) == high && address.low & AddressBlock.mask(length - 64) == low
  }

  /// 64 bits, of which the first `length` are set.
  private static func mask(_ length: Int) -> UInt64 {
    length <= 0 ? 0 : UInt64.max << UInt64(64 - min(length, 64))
  }
}
