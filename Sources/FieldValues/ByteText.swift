/// A text by its bytes, where Swift's strings are equal by what they look like: `é` and `e` with an accent are two.
public struct ByteText: Hashable, Sendable {
  public let text: String

  public init(_ text: String) { self.text = text }

  public static func == (first: ByteText, second: ByteText) -> Bool { first.text.utf8.elementsEqual(second.text.utf8) }

  public func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}

extension ByteText: Comparable {
  public static func < (first: ByteText, second: ByteText) -> Bool {
    first.text.utf8.lexicographicallyPrecedes(second.text.utf8)
  }
}
