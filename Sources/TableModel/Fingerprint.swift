/// 64-bit hashes of bytes, for recognising equal content without comparing it.
///
/// The function is a folded-multiply hash in the family of wyhash: fast on short inputs, well mixed, and not
/// cryptographic. What it multiplies with is random, 320 bits drawn once a process, so that nobody who writes an
/// upstream's items can prepare two that collide; a fingerprint is therefore never stored, sent or compared across
/// processes. Where a wrong match would lose data, bytes are compared as well.
public struct Fingerprint: Hashable, Sendable {
  public let rawValue: UInt64

  public init(rawValue: UInt64) { self.rawValue = rawValue }

  /// What nobody outside knows. A known factor could be met with input equal to it: the product would be zero and
  /// lose what came before.
  private struct Secret {
    let seed = UInt64.random(in: .min ... .max)
    let first = UInt64.random(in: .min ... .max)
    let second = UInt64.random(in: .min ... .max)
    let third = UInt64.random(in: .min ... .max)
    let last = UInt64.random(in: .min ... .max) | 1
  }
  private static let secret = Secret()

  /// The fingerprint of `bytes`. O(n): some three bytes a cycle where they are at hand.
  public init(of bytes: UnsafeRawBufferPointer) {
    let secret = Self.secret
    let count = bytes.count
    func word(_ offset: Int) -> UInt64 {
      UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
    var state = secret.seed
    var offset = 0
    if count > 48 {
      // Three chains side by side, for a product has to wait for the one before it.
      var (second, third) = (state, state)
      while count - offset > 48 {
        state = Self.fold(word(offset) ^ secret.first, word(offset + 8) ^ state)
        second = Self.fold(word(offset + 16) ^ secret.second, word(offset + 24) ^ second)
        third = Self.fold(word(offset + 32) ^ secret.third, word(offset + 40) ^ third)
        offset += 48
      }
      state ^= second ^ third
    }
    while count - offset > 16 {
      state = Self.fold(word(offset) ^ secret.first, word(offset + 8) ^ state)
      offset += 16
    }
    // What is left, or the last sixteen bytes, some of them once more.
    var (low, high): (UInt64, UInt64) = (0, 0)
    if count >= 16 {
      (low, high) = (word(count - 16), word(count - 8))
    } else if count >= 8 {
      (low, high) = (word(0), word(count - 8))
    } else {
      for index in 0..<count { low |= UInt64(bytes[index]) << (8 * UInt64(index)) }
    }
    state = Self.fold(low ^ secret.second, high ^ state)
    rawValue = Self.fold(state ^ secret.third, UInt64(count) ^ secret.last)
  }

  // Initialisers take over what they are given; what only looks borrows, and spares two atomic counts a row.
  public init(of bytes: borrowing [UInt8]) {
    self = bytes.withUnsafeBytes { Fingerprint(of: $0) }
  }

  public init(of string: borrowing String) {
    let fingerprint = string.utf8.withContiguousStorageIfAvailable { Fingerprint(of: UnsafeRawBufferPointer($0)) }
    // Only strings that are bridged from elsewhere lie in pieces.
    self = fingerprint ?? Fingerprint(of: Array(string.utf8))
  }

  /// This fingerprint followed by another: order matters. O(1).
  public func combined(with other: Fingerprint) -> Fingerprint {
    let secret = Self.secret
    return Fingerprint(rawValue: Self.fold(rawValue ^ secret.first, other.rawValue &+ secret.last))
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
  public static let empty = Fingerprint(rawValue: secret.last)

  @inline(__always)
  private static func fold(_ first: UInt64, _ second: UInt64) -> UInt64 {
    let product = first.multipliedFullWidth(by: second)
    return product.high ^ product.low
  }
}
