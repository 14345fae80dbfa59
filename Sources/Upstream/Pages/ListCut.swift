internal import JSON

/// Cuts a list within a JSON text after its first elements, so that what an upstream sends too much of is neither kept nor read.
///
/// Works on the bytes: no memory but the result's. What is cut off is held to nothing but that its strings end and its
/// brackets match; the rest is the parser's to check.
enum ListCut {
  /// - Parameter limit: at least 1.
  /// - Returns: the text with the first `limit` elements of the list at `path`; nil where it has no more, or where there
  ///   is no such list. O(bytes).
  static func cut(_ body: [UInt8], at path: JSONPath, to limit: Int) -> [UInt8]? {
    body.withUnsafeBufferPointer { bytes in
      var walk = Walk(bytes: bytes)
      guard walk.descend(path), let (end, close) = walk.overflow(of: limit) else { return nil }
      return Array(bytes[..<end]) + Array(bytes[close...])
    }
  }

  private struct Walk {
    let bytes: UnsafeBufferPointer<UInt8>
    var position = 0

    init(bytes: UnsafeBufferPointer<UInt8>) {
      self.bytes = bytes
      if bytes.starts(with: TextEncoding.byteOrderMark) { position = TextEncoding.byteOrderMark.count }
    }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipSpace() {
      while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
      skipSpace()
      guard next == UInt8(ascii: character) else { return false }
      position += 1
      return true
    }

    /// To the value at the end of the path.
    mutating func descend(_ path: JSONPath) -> Bool {
      path.allSatisfy { step in
        switch step {
        case .name(let name): enterMember(Array(name.utf8))
        case .index(let index): enterElement(index)
        }
      }
    }

    private mutating func enterMember(_ name: [UInt8]) -> Bool {
      guard take("{") else { return false }
      while true {
        skipSpace()
        let start = position + 1
        guard next == UInt8(ascii: "\""), skipString() else { return false }
        let isIt = bytes[start..<(position - 1)].elementsEqual(name)
        guard take(":") else { return false }
        if isIt { return true }
        guard skipValue(), take(",") else { return false }
      }
    }

    private mutating func enterElement(_ index: Int) -> Bool {
      guard index >= 0, take("[") else { return false }
      for _ in 0..<index {
        guard skipValue(), take(",") else { return false }
      }
      return true
    }

    /// Returns the end of the first `limit` elements of the list, and its closing bracket, if there are more.
    mutating func overflow(of limit: Int) -> (end: Int, close: Int)? {
      guard take("[") else { return nil }
      skipSpace()
      guard next != UInt8(ascii: "]") else { return nil }
      for count in 1...limit {
        guard skipValue() else { return nil }
        if count == limit { break }
        guard take(",") else { return nil }
      }
      let end = position
      guard take(","), skipToClose(depth: 1) else { return nil }
      return (end, position - 1)
    }

    private mutating func skipValue() -> Bool {
      skipSpace()
      switch next {
      case UInt8(ascii: "\""): return skipString()
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        position += 1
        return skipToClose(depth: 1)
      case nil: return false
      default:
        let start = position
        while let byte = next, byte != UInt8(ascii: ","), byte != UInt8(ascii: "]"), byte != UInt8(ascii: "}") {
          position += 1
        }
        return position > start
      }
    }

    /// Behind the bracket that closes the outermost of so many open ones.
    private mutating func skipToClose(depth open: Int) -> Bool {
      var depth = open
      while let byte = next {
        switch byte {
        case UInt8(ascii: "\""): guard skipString() else { return false }
        case UInt8(ascii: "{"), UInt8(ascii: "["):
          depth += 1
          position += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
          depth -= 1
          position += 1
          if depth == 0 { return true }
        default: position += 1
        }
      }
      return false
    }

    /// Behind the closing quote of a string that begins here.
    private mutating func skipString() -> Bool {
      position += 1
      while let byte = next {
        position += byte == UInt8(ascii: "\\") ? 2 : 1
        if byte == UInt8(ascii: "\"") { return true }
      }
      return false
    }
  }
}
