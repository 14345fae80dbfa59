/// The text of a piece of HTML: not a parser of documents, but right for what APIs put into fields.
enum HTMLText {
  static func text(of html: String) -> String {
    var result: [UInt8] = []
    let bytes = Array(html.utf8)
    result.reserveCapacity(bytes.count)
    var position = 0
    while position < bytes.count {
      switch bytes[position] {
      case UInt8(ascii: "<"): position = skipTag(in: bytes, from: position, into: &result)
      case UInt8(ascii: "&"): position = HTMLEntity.decode(in: bytes, from: position, into: &result)
      case 0x20, 0x09, 0x0A, 0x0D, 0x0C:
        // White space collapses.
        if let last = result.last, last != 0x20, last != 0x0A { result.append(0x20) }
        position += 1
      case let byte:
        result.append(byte)
        position += 1
      }
    }
    while let last = result.last, last == 0x20 || last == 0x0A { result.removeLast() }
    return String(decoding: result, as: UTF8.self)
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }

  /// Returns the position behind a tag. A `<` that starts none is text.
  private static func skipTag(in bytes: [UInt8], from start: Int, into result: inout [UInt8]) -> Int {
    if bytes[start...].starts(with: "<!--".utf8) {
      return end(of: Array("-->".utf8), in: bytes, from: start + 4)
    }
    let next = start + 1 < bytes.count ? bytes[start + 1] : 0
    guard isLetter(next) || next == UInt8(ascii: "/") || next == UInt8(ascii: "!") || next == UInt8(ascii: "?") else {
      result.append(bytes[start])
      return start + 1
    }
    var nameEnd = start + (next == UInt8(ascii: "/") ? 2 : 1)
    let nameStart = nameEnd
    while nameEnd < bytes.count, isLetter(bytes[nameEnd]) || (0x30...0x39).contains(bytes[nameEnd]) { nameEnd += 1 }
    let name = String(decoding: bytes[nameStart..<nameEnd], as: UTF8.self).lowercased()
    let end = endOfTag(in: bytes, from: nameEnd)
    if next != UInt8(ascii: "/"), name == "script" || name == "style" {
      return endOfTag(in: bytes, from: self.end(of: Array("</\(name)".utf8), in: bytes, from: end))
    }
    if blocks.contains(name), !result.isEmpty {
      while result.last == 0x20 { result.removeLast() }
      if let last = result.last, last != 0x0A { result.append(0x0A) }
    }
    return end
  }

  private static let blocks: Set<String> = [
    "p", "br", "div", "li", "ul", "ol", "tr", "table", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "pre",
    "section", "article", "header", "footer", "hr",
  ]

  /// Behind the `>`, which may stand in quotes before.
  private static func endOfTag(in bytes: [UInt8], from start: Int) -> Int {
    var quote: UInt8?
    var position = start
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      if let open = quote {
        if byte == open { quote = nil }
      } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
        quote = byte
      } else if byte == UInt8(ascii: ">") {
        return position
      }
    }
    return position
  }

  /// Behind the next occurrence of a mark, letters in either case; the end where there is none.
  private static func end(of mark: [UInt8], in bytes: [UInt8], from start: Int) -> Int {
    var position = start
    while position + mark.count <= bytes.count {
      if zip(bytes[position...], mark).allSatisfy({ $0 == $1 || (isLetter($1) && $0 | 0x20 == $1) }) {
        return position + mark.count
      }
      position += 1
    }
    return bytes.count
  }
}
