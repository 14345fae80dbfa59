/// A pattern that a row's words are searched for: a search's word, after the mark that it begins with.
struct Pattern: Hashable, Sendable {
  let bytes: [UInt8]
  /// By place, the length of the longest beginning of the pattern that ends there, the part up to there itself left out. None for a
  /// pattern whose mark stands nowhere else in it.
  private let borders: [Int]

  /// O(bytes).
  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    guard bytes.first == Folding.letter else {
      borders = []
      return
    }
    var borders = [Int](repeating: 0, count: bytes.count)
    var length = 0
    for place in bytes.indices.dropFirst() {
      while length > 0, bytes[place] != bytes[length] { length = borders[length - 1] }
      if bytes[place] == bytes[length] { length += 1 }
      borders[place] = length
    }
    self.borders = borders
  }

  /// Its size, about, in bytes.
  var footprint: Int { 96 + bytes.count + borders.count * MemoryLayout<Int>.size }

  /// Returns whether the pattern stands in a text. O(text).
  func isIn(_ text: ArraySlice<UInt8>) -> Bool {
    text.withUnsafeBufferPointer { text in
      bytes.withUnsafeBufferPointer { bytes in
        borders.isEmpty
          ? Self.isWord(bytes, in: text) : borders.withUnsafeBufferPointer { Self.isPart(bytes, $0, in: text) }
      }
    }
  }

  /// A pattern that begins with the mark of words: the next such mark ends each comparison, so that no byte is compared twice.
  private static func isWord(_ pattern: UnsafeBufferPointer<UInt8>, in text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let mark = pattern.first, text.count >= pattern.count else { return false }
    for start in 0...text.count - pattern.count where text[start] == mark {
      var place = 1
      while place < pattern.count, text[start + place] == pattern[place] { place += 1 }
      if place == pattern.count { return true }
    }
    return false
  }

  /// A pattern with a mark before each letter, as in the text (Knuth, Morris and Pratt).
  private static func isPart(
    _ pattern: UnsafeBufferPointer<UInt8>,
    _ borders: UnsafeBufferPointer<Int>,
    in text: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    var length = 0
    for byte in text {
      while length > 0, byte != pattern[length] { length = borders[length - 1] }
      if byte == pattern[length] { length += 1 }
      if length == pattern.count { return true }
    }
    return false
  }
}
