/// The name of one version of one table, as this client sees it (docs/protocol.md).
public struct TableCursor: Hashable, Sendable, CustomStringConvertible {
  /// The cursor as the service wrote it. It is sent back unchanged.
  public let text: String

  /// Nil if the text can't be a cursor: 1–200 of `A–Z a–z 0–9 . _ ~ -`.
  public init?(_ text: String) {
    guard (1...200).contains(text.utf8.count), text.utf8.allSatisfy(\.isCursorByte) else { return nil }
    self.text = text
  }

  public var description: String { text }

  var epoch: Substring { text.prefix { $0 != "." && $0 != "~" } }

  /// The version, and in a view the taps behind it.
  private var numbers: [UInt64]? {
    let parts = text.prefix { $0 != "~" }.split(separator: ".", omittingEmptySubsequences: false).dropFirst()
    let numbers = parts.map { UInt64($0) }
    guard (1...2).contains(numbers.count), !numbers.contains(nil) else { return nil }
    return numbers.compactMap(\.self)
  }

  /// The same version as other views see it: the taps of one say nothing of another.
  var withoutTaps: TableCursor {
    guard let numbers, let version = numbers.first, numbers.count > 1 else { return self }
    return TableCursor("\(epoch).\(version)") ?? self
  }

  /// It is an epoch and a version, as the service makes them.
  var namesVersion: Bool { !epoch.isEmpty && numbers != nil }

  /// Whether a table at this cursor contains everything that a table at the other one does: the epoch is the same, and
  /// neither number is smaller. False if that can't be decided.
  public func isAsNew(as other: TableCursor) -> Bool {
    guard epoch == other.epoch, let mine = numbers, let theirs = other.numbers else { return false }
    func number(_ numbers: [UInt64], _ index: Int) -> UInt64 { index < numbers.count ? numbers[index] : 0 }
    return (0..<2).allSatisfy { number(mine, $0) >= number(theirs, $0) }
  }

  /// Of the same epoch, and a later version; not where only the lenses differ.
  func isNewer(than other: TableCursor) -> Bool { isAsNew(as: other) && !other.isAsNew(as: self) }
}

extension UInt8 {
  fileprivate var isCursorByte: Bool {
    switch self {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"),
      UInt8(ascii: "-"):
      true
    default: false
    }
  }
}
