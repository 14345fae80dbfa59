/// The hash that fingerprints and digests are made of: 128 bits, with a key drawn once a process.
///
/// It multiplies, as those of the wyhash family do: fast on short inputs, well mixed, and not cryptographic. Unlike
/// them it keeps both halves of each product, and adds the factors, so that a factor of zero loses nothing. Two inputs
/// that differ agree in all bits by chance once in some 2¹²⁶, over all differences; for the difference that suits the
/// function best, once in 2⁶⁴ (counted out for words of five to nine bits, where the same holds in proportion). The
/// author of an upstream's items can't do better: the key is random, and neither it nor any hash is shown.
struct KeyedHash {
  let first: UInt64
  let second: UInt64

  /// Both halves in one, each of whose bits depends on all of the input.
  var folded: UInt64 { first ^ second }

  /// O(n): some three bytes a cycle where they are at hand.
  @inline(__always)
  init(_ bytes: UnsafeRawBufferPointer) {
    let count = bytes.count
    var chain = Self.key.one
    if count > 48 {
      // Three chains side by side, for a product has to wait for the one before it.
      var (second, third) = (Self.key.two, Self.key.three)
      func take(at offset: Int) {
        chain.take(bytes.word(offset), bytes.word(offset &+ 8))
        second.take(bytes.word(offset &+ 16), bytes.word(offset &+ 24))
        third.take(bytes.word(offset &+ 32), bytes.word(offset &+ 40))
      }
      var offset = 0
      while offset < count &- 48 {
        take(at: offset)
        offset &+= 48
      }
      // The rest, and some bytes before it once more.
      take(at: count &- 48)
      chain.first ^= second.first ^ third.first
      chain.second ^= second.second ^ third.second
    } else if count >= 16 {
      for offset in stride(from: 0, to: count &- 16, by: 16) {
        chain.take(bytes.word(offset), bytes.word(offset &+ 8))
      }
      chain.take(bytes.word(count &- 16), bytes.word(count &- 8))
    } else if count >= 8 {
      chain.take(bytes.word(0), bytes.word(count &- 8))
    } else {
      chain.take(bytes.reduce(0) { $0 << 8 | UInt64($1) }, 0)
    }
    chain.take(UInt64(count), 0)
    (first, second) = (chain.first, chain.second)
  }

  /// The state of a hash.
  private struct Chain {
    var first = UInt64.random(in: .min ... .max)
    var second = UInt64.random(in: .min ... .max)

    @inline(__always)
    mutating func take(_ low: UInt64, _ high: UInt64) {
      let (one, other) = (low ^ first, high ^ second)
      let product = one.multipliedFullWidth(by: other)
      (first, second) = (product.low &+ other, product.high &+ one)
    }
  }

  /// The start of the chains, which nobody outside knows.
  private struct Key {
    let one = Chain()
    let two = Chain()
    let three = Chain()
  }
  private static let key = Key()
}

extension UnsafeRawBufferPointer {
  @inline(__always)
  fileprivate func word(_ offset: Int) -> UInt64 {
    UInt64(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }
}
