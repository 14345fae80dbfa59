/// 48 random bits, 12 hex digits: changes whenever version numbers can't be continued.
public struct Epoch: Hashable, Sendable, CustomStringConvertible {
  public let rawValue: UInt64

  public static func random() -> Epoch { Epoch(rawValue: UInt64.random(in: 0..<(1 << 48))) }

  public init(rawValue: UInt64) { self.rawValue = rawValue & (1 << 48 - 1) }

  /// Reads 12 lower-case hex digits; nil for anything else.
  public init?(_ text: some StringProtocol) {
    guard let value = UInt64(lowercaseHex: text, digits: 12) else { return nil }
    rawValue = value
  }

  public var description: String { rawValue.lowercaseHex(digits: 12) }
}
