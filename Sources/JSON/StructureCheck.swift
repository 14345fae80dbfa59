/// Proves that the brackets of an indexed text match and that it is one value: what was cut off is found here.
enum StructureCheck {
  static func run(_ document: Document) throws(JSONError) {
    let structurals = document.parser.structurals
    let text = document.bytes
    guard let last = structurals.indices.last else { return }
    // One bit a level: 1 for an object, 0 for an array.
    var levels = [UInt64](repeating: 0, count: document.limits.maximumDepth / 64 + 1)
    var depth = 0
    // Indices come from simdjson, which keeps them inside of the text.
    for index in structurals.indices {
      let byte = text[Int(structurals[index])]
      // Sets brackets and braces apart from all else, opening ones from closing ones.
      let bracket = byte | 0x20
      if bracket == opening {
        guard depth < document.limits.maximumDepth else { throw tooDeep(document, at: structurals[index]) }
        let bit = UInt64(1) << UInt64(depth & 63)
        if byte == UInt8(ascii: "{") { levels[depth >> 6] |= bit } else { levels[depth >> 6] &= ~bit }
        depth += 1
      } else {
        if bracket == closing {
          depth -= 1
          let isObject = byte == UInt8(ascii: "}")
          guard depth >= 0, (levels[depth >> 6] >> UInt64(depth & 63)) & 1 == (isObject ? 1 : 0) else {
            throw JSONError(.syntax, "\(isObject ? "}" : "]") closes nothing", offset: Int(structurals[index]))
          }
        }
        if depth == 0, index < last {
          throw JSONError(.syntax, "something follows the value", offset: Int(structurals[index + 1]))
        }
      }
    }
    guard depth == 0 else {
      let things = depth == 1 ? "an open object or array" : "\(depth) open objects and arrays"
      throw JSONError(.truncated, "the text ends inside of \(things)", offset: text.count)
    }
  }

  static let opening = UInt8(ascii: "{")
  static let closing = UInt8(ascii: "}")

  private static func tooDeep(_ document: Document, at offset: UInt32) -> JSONError {
    JSONError(
      .limit,
      "objects and arrays are nested deeper than \(document.limits.maximumDepth)",
      offset: Int(offset)
    )
  }
}
