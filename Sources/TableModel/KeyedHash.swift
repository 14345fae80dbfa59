/// What fingerprints and digests are made of: two 64-bit hashes of the same bytes, each with keys of its own.
///
/// Both are folded-multiply hashes in the family of wyhash: fast on short inputs, well mixed, and not cryptographic.
/// What they multiply with is random, drawn once a process, so that nobody who writes an upstream's items
/// can prepare two that collide. Whoever uses one half only pays for that half: neither depends on the other.
struct KeyedHash {
  let first: UInt64
  let second: UInt64

  /// O(n).
  @inline(__always)
  init(_ bytes: UnsafeRawBufferPointer) {
    let keys = Self.keys
    let count = bytes.count
    func word(_ offset: Int) -> UInt64 {
      UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
    var chain = keys.start
    var offset = 0
    if count > 48 {
      // Three chains side by side, for a product has to wait for the one before it.
      var (second, third) = (chain, chain)
      while count - offset > 48 {
        chain.take(word(offset), word(offset + 8), keys.one)
        second.take(word(offset + 16), word(offset + 24), keys.two)
        third.take(word(offset + 32), word(offset + 40), keys.three)
        offset += 48
      }
      chain.join(second)
      chain.join(third)
    }
    while count - offset > 16 {
      chain.take(word(offset), word(offset + 8), keys.one)
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
    chain.take(low, high, keys.two)
    chain.take(UInt64(count), 0, keys.three)
    (first, second) = (chain.first, chain.second)
  }

  /// A hash of two numbers, in this order.
  static func combine(_ first: UInt64, _ second: UInt64) -> UInt64 {
    var chain = keys.start
    chain.take(first, second, keys.one)
    return chain.first
  }

  /// The state of both hashes; or a pair of keys for them.
  private struct Pair {
    var first = UInt64.random(in: .min ... .max)
    var second = UInt64.random(in: .min ... .max)

    @inline(__always)
    mutating func take(_ low: UInt64, _ high: UInt64, _ key: Pair) {
      first = Self.fold(low ^ key.first, high ^ first)
      second = Self.fold(low ^ second, high ^ key.second)
    }

    @inline(__always)
    mutating func join(_ other: Pair) {
      first ^= other.first
      second ^= other.second
    }

    @inline(__always)
    private static func fold(_ first: UInt64, _ second: UInt64) -> UInt64 {
      let product = first.multipliedFullWidth(by: second)
      return product.high ^ product.low
    }
  }

  /// What nobody outside knows. A known factor could be met with input equal to it: the product would be zero and
  /// lose what came before.
  private struct Keys {
    let start = Pair()
    let one = Pair()
    let two = Pair()
    let three = Pair()
  }
  private static let keys = Keys()
}
