#if canImport(Glibc)
public import Glibc
#elseif canImport(Musl)
public import Musl
#else
public import Darwin
#endif

/// The UTF-8 of a string in a document, in place. As short-lived as the `JSONView` that it is from.
public struct JSONString {
  @usableFromInline let start: UnsafePointer<UInt8>
  /// How many bytes, and in the lowest bit whether it is known that none has to be escaped.
  @usableFromInline let countAndPlainness: UInt

  @inlinable
  init(start: UnsafePointer<UInt8>, count: Int, isPlain: Bool = false) {
    (self.start, countAndPlainness) = (start, UInt(bitPattern: count) << 1 | (isPlain ? 1 : 0))
  }

  /// In bytes.
  @inlinable public var count: Int { Int(bitPattern: countAndPlainness >> 1) }

  /// True if nothing in the string has to be escaped in JSON; false if that is not known.
  @inlinable var isPlain: Bool { countAndPlainness & 1 == 1 }

  /// Valid UTF-8 that its owner keeps where it is for as long as the string is used.
  @inlinable
  public init(unmanaged start: UnsafePointer<UInt8>, count: Int) { self.init(start: start, count: count) }

  @inlinable public var isEmpty: Bool { count == 0 }

  /// Valid UTF-8.
  @inlinable public var bytes: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: start, count: count) }

  @inlinable
  public static func == (left: JSONString, right: JSONString) -> Bool {
    left.count == right.count && memcmp(left.start, right.start, left.count) == 0
  }

  @inlinable
  public static func == (left: JSONString, right: UnsafeBufferPointer<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    guard let other = right.baseAddress else { return true }
    return areEqual(UnsafeRawPointer(left.start), UnsafeRawPointer(other), left.count)
  }

  /// Names are short, and nearly always equal where they are as long: a call takes longer than to compare them.
  @inlinable
  @inline(__always)
  static func areEqual(_ one: UnsafeRawPointer, _ other: UnsafeRawPointer, _ count: Int) -> Bool {
    switch count {
    case 4...8:
      // Two words that overlap.
      let (first, second) = (one.loadUnaligned(as: UInt32.self), other.loadUnaligned(as: UInt32.self))
      let last = one.loadUnaligned(fromByteOffset: count - 4, as: UInt32.self)
      return (first ^ second) | (last ^ other.loadUnaligned(fromByteOffset: count - 4, as: UInt32.self)) == 0
    case 9...16:
      let (first, second) = (one.loadUnaligned(as: UInt64.self), other.loadUnaligned(as: UInt64.self))
      let last = one.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
      return (first ^ second) | (last ^ other.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self)) == 0
    default: return memcmp(one, other, count) == 0
    }
  }
}

extension String {
  /// A copy.
  @inlinable
  public init(_ string: JSONString) { self.init(decoding: string.bytes, as: UTF8.self) }
}
