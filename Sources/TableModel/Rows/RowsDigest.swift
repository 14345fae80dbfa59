/// A digest of rows in their order, that can be put together from the digests of their parts however they are cut.
///
/// Each of its two halves is a polynomial over the integers modulo p = 2⁶¹ − 1, whose coefficients are the rows' keys and
/// whose variable is a number drawn at random once a process (Karp and Rabin, 1987). So that of two lists, one behind
/// the other, is the first's, multiplied by the variable as often as the second has rows, plus the second's.
///
/// Lists of up to n rows that differ agree in one half for at most n of p variables, in both by chance once in
/// (p / n)²: once in 2⁸² for a million rows. Nor can whoever writes an upstream's items do better, for neither the
/// variables nor any digest leaves the process; that rows' keys agree is as likely as ``ContentDigest`` says.
public struct RowsDigest: Hashable, Sendable {
  private let first: UInt64
  private let second: UInt64
  /// The variables, raised to the number of rows.
  private let firstShift: UInt64
  private let secondShift: UInt64

  private init(first: UInt64, second: UInt64, firstShift: UInt64, secondShift: UInt64) {
    (self.first, self.second, self.firstShift, self.secondShift) = (first, second, firstShift, secondShift)
  }

  /// The digest of no rows.
  static let empty = RowsDigest(first: 0, second: 0, firstShift: 1, secondShift: 1)

  /// O(keys).
  init(of keys: UnsafeBufferPointer<RowKey>) {
    let (one, other) = (Self.variables.one, Self.variables.other)
    var (first, second): (UInt64, UInt64) = (0, 0)
    for key in keys {
      let identity = key.identity.rawValue
      first = Field.sum(Field.product(first, one), Field.element(key.content.first &+ identity))
      second = Field.sum(Field.product(second, other), Field.element(key.content.second ^ identity))
    }
    self.init(
      first: first,
      second: second,
      firstShift: Field.power(one, keys.count),
      secondShift: Field.power(other, keys.count)
    )
  }

  /// These rows, and then others. O(1).
  func followed(by next: RowsDigest) -> RowsDigest {
    RowsDigest(
      first: Field.sum(Field.product(first, next.firstShift), next.first),
      second: Field.sum(Field.product(second, next.secondShift), next.second),
      firstShift: Field.product(firstShift, next.firstShift),
      secondShift: Field.product(secondShift, next.secondShift)
    )
  }

  private static let variables = (one: Field.random(), other: Field.random())

  /// The integers modulo 2⁶¹ − 1.
  private enum Field {
    static let p: UInt64 = 1 << 61 - 1

    static func random() -> UInt64 { UInt64.random(in: 1 << 32..<p) }

    /// Returns the number that 64 bits stand for.
    @inline(__always)
    static func element(_ bits: UInt64) -> UInt64 { reduced((bits & p) &+ bits >> 61) }

    @inline(__always)
    static func sum(_ a: UInt64, _ b: UInt64) -> UInt64 { reduced(a &+ b) }

    @inline(__always)
    static func product(_ a: UInt64, _ b: UInt64) -> UInt64 {
      // 2⁶¹ is one, so what lies above is added to what lies below.
      let (high, low) = a.multipliedFullWidth(by: b)
      return reduced((low & p) &+ (high << 3 | low >> 61))
    }

    /// O(log exponent).
    static func power(_ base: UInt64, _ exponent: Int) -> UInt64 {
      var (result, square, rest): (UInt64, UInt64, Int) = (1, base, exponent)
      while rest > 0 {
        if rest & 1 == 1 { result = product(result, square) }
        rest >>= 1
        if rest > 0 { square = product(square, square) }
      }
      return result
    }

    /// Returns the remainder of a number below 2p.
    @inline(__always)
    private static func reduced(_ number: UInt64) -> UInt64 { number >= p ? number &- p : number }
  }
}
