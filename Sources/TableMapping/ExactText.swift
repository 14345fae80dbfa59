internal import FieldValues

/// A text that is told from others by its bytes: two spellings of “é” are two texts, which `String` holds equal.
struct ExactText: Hashable, Sendable {
  let string: String

  init(_ string: String) { self.string = string }

  static func == (first: ExactText, second: ExactText) -> Bool { first.string.isExactly(second.string) }

  func hash(into hasher: inout Hasher) {
    var string = string
    string.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}

extension String {
  /// By their bytes, which is by code points. O(n).
  func precedesExactly(_ other: String) -> Bool { utf8.lexicographicallyPrecedes(other.utf8) }
}
