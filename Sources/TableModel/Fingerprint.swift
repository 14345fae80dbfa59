/// 64-bit hashes of bytes, for recognising equal content without comparing it.
///
/// The function is a folded-multiply hash in the family of wyhash: fast on short inputs, well mixed, and not
/// cryptographic. It is seeded at random once a process, so that nobody who writes an upstream's items can
/// prepare two that collide; a fingerprint is therefore never stored, sent or compared across processes.
public struct Fingerprint: Hashable, Sendable {
  public let rawValue: UInt64

  public init(rawValue: UInt64) { self.rawValue = rawValue }

  private struct Secrets {
    let seed = UInt64.random(in: .min ... .max)
    /// Random too: with a known one, input equal to it would make a product zero and lose what came before.
    let multiplier1 = UInt64.random(in: .min ... .max) | 1
  }
  /// Together, as each look at it asks whether it is there already.
  private static let secrets = Secrets()
  private static let multiplier0: UInt64 = 0xa076_1d64_78bd_642f

  /// The fingerprint of `bytes`. O(n).
  public init(of bytes: UnsafeRawBufferPointer) {
    let secrets = Self.secrets
    var state = secrets.seed ^ Self.multiplier0
    var offset = 0
    let count = bytes.count
    while count - offset >= 16 {
      let low = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      let high = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self))
      state = Self.fold(low ^ secrets.multiplier1, high ^ state)
      offset += 16
    }
    var low: UInt64 = 0
    var high: UInt64 = 0
    let rest = count - offset
    if rest >= 8 {
      low = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      high = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self))
    } else {
      for index in 0..<rest { low |= UInt64(bytes[offset + index]) << (8 * UInt64(index)) }
    }
    state = Self.fold(low ^ secrets.multiplier1, high ^ state)
    rawValue = Self.fold(state ^ Self.multiplier0, UInt64(count) ^ secrets.multiplier1)
  }

  public init(of bytes: [UInt8]) {
    self = bytes.withUnsafeBytes { Fingerprint(of: $0) }
  }

  public init(of string: String) {
    var string = string
    self = string.withUTF8 { Fingerprint(of: UnsafeRawBufferPointer($0)) }
  }

  /// This fingerprint followed by another: order matters.
  public func combined(with other: Fingerprint) -> Fingerprint {
    Fingerprint(rawValue: Self.fold(rawValue ^ Self.multiplier0, other.rawValue &+ Self.secrets.multiplier1))
  }

  /// Whether two arrays, whose fingerprints agree, are equal to the byte. O(n).
  ///
  /// A difference is not expected any more, so all of it is compared, without a branch per byte: several times
  /// faster than `==`, which stops at the first byte that differs and so goes byte by byte.
  static func haveSameBytes(_ first: [UInt8], _ second: [UInt8]) -> Bool {
    guard first.count == second.count else { return false }
    return first.withUnsafeBytes { first in
      second.withUnsafeBytes { second in
        let count = first.count
        guard first.baseAddress != second.baseAddress, count > 0 else { return true }
        guard count >= 8 else { return first.elementsEqual(second) }
        var difference: UInt64 = 0
        var offset = 0
        while offset <= count - 8 {
          difference |=
            first.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            ^ second.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
          offset += 8
        }
        // The last eight bytes, some of them once more.
        difference |=
          first.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
          ^ second.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
        return difference == 0
      }
    }
  }

  /// What a digest of nothing starts from.
  public static let empty = Fingerprint(rawValue: secrets.multiplier1)

  @inline(__always)
  private static func fold(_ first: UInt64, _ second: UInt64) -> UInt64 {
    let product = first.multipliedFullWidth(by: second)
    return product.high ^ product.low
  }
}
