import Glibc

extension ArraySlice<UInt8> {
  /// Returns the first place of a byte: found by the C library, which looks at many at once. O(bytes).
  func place(of byte: UInt8) -> Int? {
    withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress, let found = memchr(base, Int32(byte), bytes.count) else { return nil }
      return startIndex + (UnsafeRawPointer(found) - base)
    }
  }

  /// Without the blanks and tabs at both ends. O(blanks).
  var withoutBlanks: ArraySlice<UInt8> {
    var (start, end) = (startIndex, endIndex)
    while start < end, self[start].isBlank { start += 1 }
    while end > start, self[end - 1].isBlank { end -= 1 }
    return self[start..<end]
  }

  /// Returns whether these are a text, which is lower case, in any case. O(1) where the lengths differ.
  func isText(_ text: String) -> Bool {
    count == text.utf8.count && zip(self, text.utf8).allSatisfy { $0.lowercasedASCII == $1 }
  }
}

extension UInt8 {
  /// A capital letter of ASCII as a small one.
  var lowercasedASCII: UInt8 { self &- 0x41 < 26 ? self | 0x20 : self }

  fileprivate var isBlank: Bool { self == 0x20 || self == 0x09 }
}
