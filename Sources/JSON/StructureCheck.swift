/// Proves that the brackets of an indexed text match and that it is one value: what was cut off is found here.
enum StructureCheck {
  static func run(_ document: Document) throws(JSONError) {
    let structurals = document.parser.structurals
    let text = document.bytes
    // One bit a level: 1 for an object, 0 for an array.
    var levels = [UInt64](repeating: 0, count: document.limits.maximumDepth / 64 + 1)
    var depth = 0
    for index in structurals.indices {
      let offset = Int(structurals[index])
      switch text[offset] {
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        guard depth < document.limits.maximumDepth else {
          throw JSONError(
            .limit, "objects and arrays are nested deeper than \(document.limits.maximumDepth)", offset: offset)
        }
        let bit = UInt64(1) << UInt64(depth & 63)
        if text[offset] == UInt8(ascii: "{") { levels[depth >> 6] |= bit } else { levels[depth >> 6] &= ~bit }
        depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        let isObject = text[offset] == UInt8(ascii: "}")
        guard depth >= 0, (levels[depth >> 6] >> UInt64(depth & 63)) & 1 == (isObject ? 1 : 0) else {
          throw JSONError(.syntax, "\(isObject ? "}" : "]") closes nothing", offset: offset)
        }
      default: break
      }
      if depth == 0, index + 1 < structurals.count {
        throw JSONError(.syntax, "something follows the value", offset: Int(structurals[index + 1]))
      }
    }
    guard depth == 0 else {
      throw JSONError(.truncated, "the text ends inside of \(depth) open objects and arrays", offset: text.count)
    }
  }
}
