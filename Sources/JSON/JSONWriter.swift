/// Writes JSON text, minified. Commas are put where they belong; what is nested is the caller's to balance.
public struct JSONWriter: Sendable {
  private var text: ByteBuffer
  /// A value was completed on this level, so that the next one needs a comma before it.
  private var followsValue = false

  public init(capacity: Int = 0) { text = ByteBuffer(capacity: capacity) }

  /// The bytes written so far. O(bytes): a copy.
  public var bytes: [UInt8] { text.withBytes { Array($0) } }

  /// How many bytes were written so far. O(1).
  public var count: Int { text.count }

  /// Returns whether a comma stands at a place of the written text.
  public func separates(at place: Int) -> Bool { text.withBytes { $0[place] == UInt8(ascii: ",") } }

  /// Forgets what was written, but keeps the memory.
  public mutating func removeAll() {
    text.removeAll()
    followsValue = false
  }

  public mutating func beginObject() { open(UInt8(ascii: "{")) }
  public mutating func endObject() { close(UInt8(ascii: "}")) }
  public mutating func beginArray() { open(UInt8(ascii: "[")) }
  public mutating func endArray() { close(UInt8(ascii: "]")) }

  /// A member's name; its value comes next.
  public mutating func name(_ name: String) {
    write(name)
    afterName()
  }

  public mutating func name(_ name: JSONString) {
    write(name)
    afterName()
  }

  /// A member's name that was encoded before: quotes, escapes and colon included.
  public mutating func name(encoded: [UInt8]) {
    encoded.withUnsafeBufferPointer { name(encoded: $0) }
  }

  /// As for an array.
  public mutating func name(encoded: StaticString) {
    encoded.withUTF8Buffer { name(encoded: $0) }
  }

  /// As for an array.
  public mutating func name(encoded: UnsafeBufferPointer<UInt8>) {
    text.append(encoded, after: separator)
    followsValue = false
  }

  /// Text in which a name is the last thing, and which has the commas that it needs: its value comes next.
  public mutating func append(verbatim json: StaticString) {
    json.withUTF8Buffer { text.append($0, after: nil) }
    followsValue = false
  }

  /// Text behind which another value of its list or object may follow.
  public mutating func append(closing json: UnsafeBufferPointer<UInt8>) {
    text.append(json, after: nil)
    followsValue = true
  }

  /// As for a text that is part of the program; of its end nothing is looked at.
  public mutating func append(verbatim json: UnsafeBufferPointer<UInt8>) {
    text.append(json, after: nil)
    followsValue = false
  }

  public mutating func writeNull() { literal("null") }

  public mutating func write(_ value: Bool) { literal(value ? "true" : "false") }

  public mutating func write(_ value: Int) { write(Int64(value)) }

  public mutating func write(_ value: Int64) {
    text.append(decimal: value, after: separator)
    followsValue = true
  }

  public mutating func write(_ value: some FixedWidthInteger) { ascii(value.description) }

  /// The shortest text that reads back as the same value; what is not finite becomes null.
  public mutating func write(_ value: Double) {
    guard value.isFinite else { return writeNull() }
    ascii(value.description)
  }

  public mutating func write(_ string: String) {
    var string = string
    string.withUTF8 { text.appendQuoted($0, after: separator) }
    followsValue = true
  }

  public mutating func write(_ string: JSONString) {
    text.appendQuoted(string, behind: UnsafeBufferPointer(start: nil, count: 0), after: separator)
    followsValue = true
  }

  /// A member whose name was encoded before: quotes, escapes and colon included.
  public mutating func write(_ string: JSONString, named name: UnsafeBufferPointer<UInt8>) {
    text.appendQuoted(string, behind: name, after: separator)
    followsValue = true
  }

  /// The same.
  public mutating func write(_ value: Int64, named name: UnsafeBufferPointer<UInt8>) {
    text.append(decimal: value, behind: name, after: separator)
    followsValue = true
  }

  // A string that is written in pieces.

  public mutating func beginText() { text.append(UInt8(ascii: "\""), after: separator) }

  /// UTF-8, which is escaped where it has to be.
  public mutating func append(text bytes: UnsafeBufferPointer<UInt8>) { text.appendEscaped(bytes) }

  /// As for its bytes.
  public mutating func append(text string: JSONString) {
    if string.isPlain { text.append(string.bytes, after: nil) } else { text.appendEscaped(string.bytes) }
  }

  /// The decimal digits of a number.
  public mutating func append(decimal value: Int64) { text.append(decimal: value, after: nil) }

  public mutating func endText() {
    text.append(UInt8(ascii: "\""), after: nil)
    followsValue = true
  }

  /// A whole value that is JSON already.
  public mutating func write(raw json: some Collection<UInt8>) {
    let isWritten = json.withContiguousStorageIfAvailable { text.append($0, after: separator) } != nil
    if !isWritten { Array(json).withUnsafeBufferPointer { text.append($0, after: separator) } }
    followsValue = true
  }

  /// As for a collection of bytes.
  public mutating func write(raw json: StaticString) { literal(json) }

  private mutating func open(_ byte: UInt8) {
    text.append(byte, after: separator)
    followsValue = false
  }

  private mutating func close(_ byte: UInt8) {
    text.append(byte, after: nil)
    followsValue = true
  }

  private mutating func afterName() {
    text.append(UInt8(ascii: ":"), after: nil)
    followsValue = false
  }

  private mutating func literal(_ literal: StaticString) {
    literal.withUTF8Buffer { text.append($0, after: separator) }
    followsValue = true
  }

  private mutating func ascii(_ string: String) {
    var string = string
    string.withUTF8 { text.append($0, after: separator) }
    followsValue = true
  }

  /// The separator that the next value needs before it.
  private var separator: UInt8? { followsValue ? UInt8(ascii: ",") : nil }
}
