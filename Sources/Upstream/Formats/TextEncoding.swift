internal import Glibc

/// An encoding of texts, by the name that it has for iconv.
struct TextEncoding: ~Copyable {
  /// The mark of order that a text in UTF-8 may begin with.
  static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  private let descriptor: iconv_t

  /// Nil where the system has none of the name.
  init?(_ name: String) {
    guard let descriptor = iconv_open("UTF-8", name), Int(bitPattern: descriptor) != -1 else { return nil }
    self.descriptor = descriptor
  }

  deinit { iconv_close(descriptor) }

  /// Returns the text in UTF-8; characters that the encoding doesn't have become U+FFFD. Nil where the system fails.
  /// O(bytes).
  func utf8(of text: [UInt8]) -> [UInt8]? {
    var text = text
    var utf8: [UInt8] = []
    utf8.reserveCapacity(text.count + text.count / 2)
    let isDone = text.withUnsafeMutableBytes { bytes -> Bool in
      var input = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
      var left = bytes.count
      return withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 1) { room -> Bool in
        while left > 0 {
          var output = room.baseAddress?.assumingMemoryBound(to: CChar.self)
          var free = room.count
          let result = iconv(descriptor, &input, &left, &output, &free)
          let reason = errno
          utf8 += room[..<(room.count - free)]
          guard result == -1 else { continue }
          switch reason {
          case E2BIG: continue
          // A byte that means nothing, or the half of a character at the end.
          case EILSEQ, EINVAL:
            utf8 += [0xEF, 0xBF, 0xBD]
            input = input?.advanced(by: 1)
            left -= 1
          default: return false
          }
        }
        return true
      }
    }
    return isDone ? utf8 : nil
  }
}
