internal import CSimdJSON

/// Owns simdjson's parser with its two tapes: one of the whole text, one of an element of it.
final class Parser {
  private let parser: OpaquePointer?

  static let padding = csimdjson_padding()

  init(maximumDepth: Int) { parser = csimdjson_create(maximumDepth) }

  deinit { csimdjson_destroy(parser) }

  /// The text, with `padding` readable bytes behind it, is borrowed as long as this parser is used.
  func index(_ text: UnsafeRawBufferPointer) -> Int {
    guard parser != nil else { return csimdjson_memory }
    return Int(csimdjson_index(parser, text.baseAddress?.assumingMemoryBound(to: UInt8.self), text.count))
  }

  var structurals: UnsafeBufferPointer<UInt32> {
    UnsafeBufferPointer(start: csimdjson_structurals(parser), count: csimdjson_structural_count(parser))
  }

  func parse() -> Int { Int(csimdjson_parse(parser)) }

  func parseElement(structural: Int, length: Int) -> Int {
    Int(csimdjson_parse_element(parser, structural, length))
  }

  /// The structural character behind the element that was parsed last.
  var nextStructural: Int { csimdjson_next_structural(parser) }

  /// After `parse`.
  var root: JSONView { JSONView(tape: csimdjson_tape(parser), strings: csimdjson_strings(parser), index: 1) }

  /// After `parseElement`.
  var elementRoot: JSONView {
    JSONView(tape: csimdjson_element_tape(parser), strings: csimdjson_element_strings(parser), index: 1)
  }
}
