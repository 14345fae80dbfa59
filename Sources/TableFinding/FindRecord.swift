/// What one row is found by: what stands in ``Row/findable``. Stored with the row, so that a replica and a process that has
/// just started find as the one does that has mapped the item.
///
/// ```
/// 1 · schema's mark, 8 bytes · words · filters, each its values · sorts, each its key · item · group's key · schema's
/// presentation, 8 bytes
/// ```
///
/// Numbers of seven bits a byte, low ones first; texts after their length.
public struct FindRecord: Equatable, Sendable {
  /// As ``Folding`` has them: each once, in order.
  public var words: [UInt8] = []
  /// By filter: the row's values, each once.
  public var values: [[[UInt8]]] = []
  /// By sort: bytes that compare as what they stand for; none where there is no value.
  public var keys: [[UInt8]] = []
  /// The represented object, where headers or footers read it.
  public var item: [UInt8] = []
  /// The key of the group that the row is in, as JSON, where headers or footers read it.
  public var group: [UInt8] = []

  static let version: UInt8 = 1

  public init() {}

  /// - Parameter texts: that are searched.
  public mutating func set(texts: some Sequence<String>) {
    var words: Set<ArraySlice<UInt8>> = []
    for text in texts { words.formUnion(Folding.split(Folding.words(of: text))) }
    self.words = words.sorted { $0.lexicographicallyPrecedes($1) }.flatMap { [Folding.word] + $0 }
  }

  public func bytes(of schema: FindSchema) -> [UInt8] {
    var bytes: [UInt8] = [Self.version]
    bytes.reserveCapacity(32 + words.count + item.count)
    withUnsafeBytes(of: schema.mark.littleEndian) { bytes.append(contentsOf: $0) }
    Self.write(words, to: &bytes)
    Self.write(values.count, to: &bytes)
    for values in values {
      Self.write(values.count, to: &bytes)
      for value in values { Self.write(value, to: &bytes) }
    }
    Self.write(keys.count, to: &bytes)
    for key in keys { Self.write(key, to: &bytes) }
    Self.write(item, to: &bytes)
    Self.write(group, to: &bytes)
    withUnsafeBytes(of: schema.presentation.littleEndian) { bytes.append(contentsOf: $0) }
    return bytes
  }

  /// Returns whether a record was made for a schema, presentation included.
  static func isMade(for schema: FindSchema, _ bytes: [UInt8]) -> Bool {
    guard FindRecordReader(bytes, of: schema) != nil else { return false }
    return bytes.suffix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) } == schema.presentation
  }

  private static func write(_ number: Int, to bytes: inout [UInt8]) {
    var rest = UInt64(number)
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }

  private static func write(_ text: [UInt8], to bytes: inout [UInt8]) {
    write(text.count, to: &bytes)
    bytes += text
  }

  /// Nil for what was made by anything else, or is damaged.
  public init?(_ bytes: [UInt8], of schema: FindSchema) {
    guard var reader = FindRecordReader(bytes, of: schema) else { return nil }
    guard let words = reader.text(), let filters = reader.count() else { return nil }
    self.words = Array(words)
    for _ in 0..<filters {
      guard let count = reader.count() else { return nil }
      var values: [[UInt8]] = []
      for _ in 0..<count {
        guard let value = reader.text() else { return nil }
        values.append(Array(value))
      }
      self.values.append(values)
    }
    guard let sorts = reader.count() else { return nil }
    for _ in 0..<sorts {
      guard let key = reader.text() else { return nil }
      keys.append(Array(key))
    }
    guard let item = reader.text(), let group = reader.text() else { return nil }
    (self.item, self.group) = (Array(item), Array(group))
  }

  /// The words of a row, where its record was made for a schema.
  static func words(in bytes: [UInt8], of schema: FindSchema) -> ArraySlice<UInt8>? {
    var reader = FindRecordReader(bytes, of: schema)
    return reader?.text()
  }
}

/// Reads a record from its beginning to its end.
struct FindRecordReader {
  private var rest: ArraySlice<UInt8>

  /// Nil where the record was made by anything else.
  init?(_ bytes: [UInt8], of schema: FindSchema) {
    guard bytes.count > 9, bytes[0] == FindRecord.version else { return nil }
    let mark = bytes[1..<9].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    guard mark == schema.mark else { return nil }
    rest = bytes[9...]
  }

  mutating func count() -> Int? {
    var (number, shift) = (UInt64(0), UInt64(0))
    while let byte = rest.popFirst(), shift < 35 {
      number |= UInt64(byte & 0x7f) << shift
      if byte < 0x80 { return Int(number) }
      shift += 7
    }
    return nil
  }

  mutating func text() -> ArraySlice<UInt8>? {
    guard let count = count(), count <= rest.count else { return nil }
    let text = rest.prefix(count)
    rest = rest.dropFirst(count)
    return text
  }

  /// Passes over so many texts.
  mutating func skip(_ texts: Int) -> Bool {
    for _ in 0..<texts where text() == nil { return false }
    return true
  }
}
