/// Writes the compact binary records that the database holds: numbers of seven bits a byte, low ones first
/// (LEB128), strings and byte strings after their length.
struct RecordWriter {
  private(set) var bytes: [UInt8] = []

  /// Begins another record, in the same memory.
  mutating func clear() { bytes.removeAll(keepingCapacity: true) }

  mutating func write(byte: UInt8) { bytes.append(byte) }

  mutating func write(_ number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }

  /// For counts and offsets, which are never negative.
  mutating func write(count: Int) { write(UInt64(count)) }

  mutating func write(_ string: String) {
    var string = string
    string.withUTF8 { utf8 in
      write(count: utf8.count)
      bytes.append(contentsOf: utf8)
    }
  }

  mutating func write(_ content: [UInt8]) {
    write(count: content.count)
    bytes.append(contentsOf: content)
  }

  mutating func write(_ range: Range<Int>) {
    write(count: range.lowerBound)
    write(count: range.count)
  }
}

/// The reason why a record can't be read: the file is damaged, or was tampered with.
struct RecordError: Error, CustomStringConvertible {
  let description: String
}

/// Reads what ``RecordWriter`` wrote; every count is checked against what is there.
struct RecordReader {
  private let bytes: [UInt8]
  private var position: Int
  private var end: Int

  init(_ bytes: [UInt8]) { self.init(bytes, bytes.indices) }

  /// One of several records.
  init(_ bytes: [UInt8], _ range: Range<Int>) {
    (self.bytes, position, end) = (bytes, range.lowerBound, range.upperBound)
  }

  /// Goes on with the next of several records, which ends there.
  mutating func begin(to end: Int) { (position, self.end) = (self.end, end) }

  var isAtEnd: Bool { position == end }

  mutating func byte() throws(RecordError) -> UInt8 {
    guard position < end else { throw RecordError(description: "a record ends too early") }
    defer { position += 1 }
    return bytes[position]
  }

  mutating func number() throws(RecordError) -> UInt64 {
    var result: UInt64 = 0
    var shift: UInt64 = 0
    while shift < 64 {
      let byte = try byte()
      result |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return result }
      shift += 7
    }
    throw RecordError(description: "a number in a record is too long")
  }

  /// A count of things or bytes, each of which takes at least `size` bytes of what is left; 0: of no bytes here.
  mutating func count(of size: Int = 1) throws(RecordError) -> Int {
    let number = try number()
    let most = size == 0 ? 1 << 40 : (end - position) / size
    guard number <= UInt64(most) else { throw RecordError(description: "a count in a record is too large") }
    return Int(number)
  }

  mutating func content() throws(RecordError) -> [UInt8] {
    let count = try count()
    defer { position += count }
    return bytes.withUnsafeBytes { Array($0[position..<(position + count)]) }
  }

  mutating func string() throws(RecordError) -> String {
    let count = try count()
    defer { position += count }
    let string = bytes.withUnsafeBytes { bytes in
      // Buffers are decoded as a whole. What is no UTF-8 comes out as something else.
      let utf8 = UnsafeRawBufferPointer(rebasing: bytes[position..<(position + count)])
      let string = String(decoding: utf8, as: UTF8.self)
      return string.utf8.elementsEqual(utf8) ? string : nil
    }
    guard let string else { throw RecordError(description: "a string in a record is not UTF-8") }
    return string
  }

  /// Goes on behind a string if it is that one; else stays where it is, and returns false.
  mutating func skip(_ expected: String) throws(RecordError) -> Bool {
    let before = position
    let count = try count()
    let isExpected =
      count == expected.utf8.count
      && bytes.withUnsafeBytes { expected.utf8.elementsEqual($0[position..<(position + count)]) }
    position = isExpected ? position + count : before
    return isExpected
  }

  mutating func range() throws(RecordError) -> Range<Int> {
    let lower = try count(of: 0)
    let length = try count(of: 0)
    return lower..<(lower + length)
  }
}
