/// A text by its bytes, where Swift's strings are equal by what they look like: `é` and `e` with an accent are two.
public struct ByteText: Hashable, Sendable {
  public let text: String

  public init(_ text: String) { self.text = text }

  public static func == (first: ByteText, second: ByteText) -> Bool { first.text.isExactly(second.text) }

  public func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}

extension String {
  /// Returns whether both have the same bytes, which is less than Swift's equality lets pass. O(n).
  @inlinable
  public func isExactly(_ other: String) -> Bool {
    utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8)
  }
}

extension ByteText: Comparable {
  public static func < (first: ByteText, second: ByteText) -> Bool {
    first.text.utf8.lexicographicallyPrecedes(second.text.utf8)
  }
}
