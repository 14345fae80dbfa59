import Glibc

/// Splitting of list-based field values (RFC 9110 section 5.6.1). Members are made one at a time and not copied: a head
/// has room for thousands of them.
enum FieldList {
  /// Calls `body` with each member that is not empty, without the blanks around it, until it returns false. O(bytes).
  ///
  /// - Parameter quoted: commas in quoted strings separate nothing.
  /// - Returns: whether `body` has had them all.
  @discardableResult
  static func forEach<Failure: Error>(
    of value: ArraySlice<UInt8>,
    quoted: Bool,
    _ body: (ArraySlice<UInt8>) throws(Failure) -> Bool
  ) throws(Failure) -> Bool {
    var index = value.startIndex
    while let member = next(in: value, from: &index, quoted: quoted) {
      guard try body(value[member]) else { return false }
    }
    return true
  }

  /// Returns the range of the next member that is not empty; `index` moves behind it.
  private static func next(in value: ArraySlice<UInt8>, from index: inout Int, quoted: Bool) -> Range<Int>? {
    let start = value.startIndex
    return value.withUnsafeBufferPointer { bytes in
      var place = index - start
      while place < bytes.count, isBlank(bytes[place]) || bytes[place] == UInt8(ascii: ",") { place += 1 }
      let begin = place
      // Most members are found by the C library, which looks at many bytes at once.
      let comma = distance(to: UInt8(ascii: ","), in: bytes, from: place) ?? bytes.count
      if !quoted || distance(to: UInt8(ascii: "\""), in: bytes, from: place, before: comma) == nil {
        index = start + comma
        var end = comma
        while end > begin, isBlank(bytes[end - 1]) { end -= 1 }
        return begin < end ? start + begin..<start + end : nil
      }
      // Behind the last byte that is no blank.
      var end = place
      var isQuoted = false
      while place < bytes.count {
        let byte = bytes[place]
        if byte == UInt8(ascii: ","), !isQuoted { break }
        if byte == UInt8(ascii: "\""), quoted { isQuoted.toggle() }
        // A byte behind a backslash in a quoted string has no meaning of its own.
        if byte == UInt8(ascii: "\\"), isQuoted, place + 1 < bytes.count {
          place += 1
          end = place + 1
        } else if !isBlank(byte) {
          end = place + 1
        }
        place += 1
      }
      index = start + place
      return begin < end ? start + begin..<start + end : nil
    }
  }

  private static func distance(
    to byte: UInt8,
    in bytes: UnsafeBufferPointer<UInt8>,
    from start: Int,
    before end: Int? = nil
  ) -> Int? {
    let end = end ?? bytes.count
    guard let base = bytes.baseAddress, start < end, let found = memchr(base + start, Int32(byte), end - start) else {
      return nil
    }
    return UnsafeRawPointer(found) - UnsafeRawPointer(base)
  }

  /// Without the blanks and tabs at both ends. O(blanks).
  static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var (start, end) = (bytes.startIndex, bytes.endIndex)
    while start < end, isBlank(bytes[start]) { start += 1 }
    while end > start, isBlank(bytes[end - 1]) { end -= 1 }
    return bytes[start..<end]
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}
