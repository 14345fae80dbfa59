/// Writes JSON text, minified. Commas are put where they belong; what is nested is the caller's to balance.
public struct JSONWriter: Sendable {
  /// What was written so far.
  public private(set) var bytes: [UInt8] = []
  /// A value was completed on this level, so that the next one needs a comma before it.
  private var followsValue = false

  public init(capacity: Int = 0) { bytes.reserveCapacity(capacity) }

  /// Starts a new text behind what is there: no comma is put before its first value.
  public mutating func startText() { followsValue = false }

  /// Forgets what was written, but keeps the memory.
  public mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
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
    separate()
    bytes.append(contentsOf: encoded)
    followsValue = false
  }

  public mutating func writeNull() { literal("null") }

  public mutating func write(_ value: Bool) { literal(value ? "true" : "false") }

  public mutating func write(_ value: some FixedWidthInteger) { ascii(value.description) }

  /// The shortest text that reads back as the same value; what is not finite becomes null.
  public mutating func write(_ value: Double) {
    guard value.isFinite else { return writeNull() }
    ascii(value.description)
  }

  public mutating func write(_ string: String) {
    separate()
    var string = string
    string.withUTF8 { appendQuoted($0) }
    followsValue = true
  }

  public mutating func write(_ string: JSONString) {
    separate()
    appendQuoted(string.bytes)
    followsValue = true
  }

  /// A whole value that is JSON already.
  public mutating func write(raw json: some Collection<UInt8>) {
    separate()
    bytes.append(contentsOf: json)
    followsValue = true
  }

  private mutating func open(_ byte: UInt8) {
    separate()
    bytes.append(byte)
    followsValue = false
  }

  private mutating func close(_ byte: UInt8) {
    bytes.append(byte)
    followsValue = true
  }

  private mutating func afterName() {
    bytes.append(UInt8(ascii: ":"))
    followsValue = false
  }

  private mutating func literal(_ text: StaticString) {
    separate()
    text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    followsValue = true
  }

  private mutating func ascii(_ text: String) {
    separate()
    bytes.append(contentsOf: text.utf8)
    followsValue = true
  }

  private mutating func separate() {
    if followsValue { bytes.append(UInt8(ascii: ",")) }
  }

  /// RFC 8259 §7: quotation mark, reverse solidus and the control characters are escaped, nothing else has to be.
  mutating func appendQuoted(_ text: UnsafeBufferPointer<UInt8>) {
    bytes.append(UInt8(ascii: "\""))
    var start = 0
    while start < text.count {
      let end = JSONEscaping.endOfPlainRun(in: text, from: start)
      if end > start { bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[start..<end])) }
      guard end < text.count else { break }
      JSONEscaping.append(text[end], to: &bytes)
      start = end + 1
    }
    bytes.append(UInt8(ascii: "\""))
  }
}
