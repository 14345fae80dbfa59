/// Names one version of one table: `<epoch>.<version>`. Opaque to clients, compared for equality only.
public struct Cursor: Hashable, Sendable, CustomStringConvertible {
  public var epoch: Epoch
  public var version: UInt64

  public init(epoch: Epoch, version: UInt64) {
    self.epoch = epoch
    self.version = version
  }

  /// Reads `<12 hex digits>.<decimal, no leading zero>`; nil for anything else.
  public init?(_ text: some StringProtocol) {
    let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let epoch = Epoch(parts[0]), let version = UInt64(parts[1]),
      String(version) == parts[1]
    else { return nil }
    self.init(epoch: epoch, version: version)
  }

  public var description: String { "\(epoch).\(version)" }
}

/// 48 random bits, 12 hex digits: changes whenever version numbers can't be continued.
public struct Epoch: Hashable, Sendable, CustomStringConvertible {
  public let rawValue: UInt64

  public static func random() -> Epoch { Epoch(rawValue: UInt64.random(in: 0..<(1 << 48))) }

  public init(rawValue: UInt64) { self.rawValue = rawValue & (1 << 48 - 1) }

  /// Reads 12 lower-case hex digits; nil for anything else.
  public init?(_ text: some StringProtocol) {
    guard text.utf8.count == 12, text.utf8.allSatisfy({ (48...57).contains($0) || (97...102).contains($0) }),
      let value = UInt64(text, radix: 16)
    else { return nil }
    rawValue = value
  }

  public var description: String {
    let digits = String(rawValue, radix: 16)
    return String(repeating: "0", count: 12 - digits.count) + digits
  }
}
