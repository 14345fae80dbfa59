/// Bytes that grow at their end: memory is reserved once a value, then written without a check a byte.
///
/// A value type like an array: a copy shares the memory until one of both is written to. Every write goes through
/// `reserve`, which makes the memory this value's own and big enough; what is written then is counted by the bounds
/// that stand beside each use.
struct ByteBuffer: Sendable {
  private var storage: Storage
  private(set) var count = 0

  /// `@unchecked Sendable`: the bytes are written only by a buffer that holds the sole reference.
  private final class Storage: @unchecked Sendable {
    let start: UnsafeMutablePointer<UInt8>
    let capacity: Int

    init(capacity: Int) {
      (start, self.capacity) = (.allocate(capacity: capacity), capacity)
    }

    deinit { start.deallocate() }
  }

  /// The escaped length of a longer text is found while it is written.
  private static let shortText = 1024

  init(capacity: Int) { storage = Storage(capacity: max(capacity, 64)) }

  /// Keeps the memory.
  mutating func removeAll() { count = 0 }

  func withBytes<Result, Failure>(
    _ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try withExtendedLifetime(storage) { () throws(Failure) -> Result in
      try body(UnsafeBufferPointer(start: storage.start, count: count))
    }
  }

  /// Returns room for at most `room` bytes; the caller then counts the bytes it wrote.
  @inline(__always)
  private mutating func reserve(_ room: Int) -> UnsafeMutablePointer<UInt8> {
    if storage.capacity - count < room || !isKnownUniquelyReferenced(&storage) { grow(by: room) }
    return storage.start + count
  }

  @inline(never)
  private mutating func grow(by room: Int) {
    let grown = Storage(capacity: max(storage.capacity * 2, count + room))
    withExtendedLifetime(storage) { grown.start.update(from: storage.start, count: count) }
    storage = grown
  }

  // MARK: Appending. `separator` is a byte to be put before, if any.

  @inline(__always)
  mutating func append(_ byte: UInt8, after separator: UInt8?) {
    var end = reserve(2)
    if let separator { Self.put(separator, &end) }
    Self.put(byte, &end)
    count = end - storage.start
  }

  mutating func append(_ bytes: UnsafeBufferPointer<UInt8>, after separator: UInt8?) {
    var end = reserve(bytes.count + 1)
    if let separator { Self.put(separator, &end) }
    if let start = bytes.baseAddress { end.update(from: start, count: bytes.count) }
    count = end - storage.start + bytes.count
  }

  mutating func append(decimal value: Int64, after separator: UInt8?) {
    // A separator, a sign, at most 19 digits.
    var end = reserve(21)
    if let separator { Self.put(separator, &end) }
    if value < 0 { Self.put(UInt8(ascii: "-"), &end) }
    count = end - storage.start + DecimalText.write(value.magnitude, to: end)
  }

  /// A JSON string.
  mutating func appendQuoted(_ text: UnsafeBufferPointer<UInt8>, after separator: UInt8?) {
    append(UInt8(ascii: "\""), after: separator)
    appendEscaped(text)
    append(UInt8(ascii: "\""), after: nil)
  }

  /// The same, behind a member's encoded name: room is looked for once.
  mutating func appendQuoted(_ text: JSONString, behind name: UnsafeBufferPointer<UInt8>, after separator: UInt8?) {
    guard text.isPlain || text.count < Self.shortText else {
      append(name, after: separator)
      return appendQuoted(text.bytes, after: nil)
    }
    let room = text.isPlain ? text.count : text.count * JSONEscaping.longest + 8
    var end = reserve(name.count + room + 3)
    if let separator { Self.put(separator, &end) }
    Self.put(name, &end)
    Self.put(UInt8(ascii: "\""), &end)
    if text.isPlain { Self.put(text.bytes, &end) } else { JSONEscaping.write(text.bytes, to: &end) }
    Self.put(UInt8(ascii: "\""), &end)
    count = end - storage.start
  }

  mutating func append(
    decimal value: Int64,
    behind name: UnsafeBufferPointer<UInt8>,
    after separator: UInt8?
  ) {
    var end = reserve(name.count + 21)
    if let separator { Self.put(separator, &end) }
    Self.put(name, &end)
    if value < 0 { Self.put(UInt8(ascii: "-"), &end) }
    count = end - storage.start + DecimalText.write(value.magnitude, to: end)
  }

  /// Appends a text as it stands in a JSON string. RFC 8259 §7: quotation mark, reverse solidus and the control
  /// characters are escaped, nothing else has to be.
  mutating func appendEscaped(_ text: UnsafeBufferPointer<UInt8>) {
    guard let base = text.baseAddress else { return }
    if text.count < Self.shortText {
      var end = reserve(text.count * JSONEscaping.longest + 8)
      JSONEscaping.write(text, to: &end)
      count = end - storage.start
      return
    }
    var start = 0
    while true {
      // Plain bytes are copied as they are, in blocks, before it is known how much of a block is plain.
      let end = reserve(text.count - start)
      let count = JSONEscaping.copyPlainRun(UnsafeRawPointer(base + start), count: text.count - start, to: end)
      self.count += count
      start += count
      guard start < text.count else { return }
      var escape = reserve(JSONEscaping.longest)
      JSONEscaping.write(text[start], to: &escape)
      self.count = escape - storage.start
      start += 1
    }
  }

  @inline(__always)
  private static func put(_ bytes: UnsafeBufferPointer<UInt8>, _ end: inout UnsafeMutablePointer<UInt8>) {
    if let start = bytes.baseAddress { end.update(from: start, count: bytes.count) }
    end += bytes.count
  }

  @inline(__always)
  private static func put(_ byte: UInt8, _ end: inout UnsafeMutablePointer<UInt8>) {
    end.pointee = byte
    end += 1
  }
}
