/// A JSON value, byte for byte as it came. It is checked once as a whole. Members are read when they are asked for.
///
/// Numbers keep their digits, and objects the order of their members.
public struct JSONText: Hashable, Sendable {
  /// Valid JSON without space around it.
  let bytes: ArraySlice<UInt8>

  /// Checks the text. O(bytes).
  public init(_ bytes: [UInt8]) throws { try self.init(bytes, maximumDepth: JSONScanner.maximumDepth) }

  init(_ bytes: [UInt8], maximumDepth: Int) throws {
    let range = try bytes.withUnsafeBufferPointer { try JSONScanner.check($0, maximumDepth: maximumDepth) }
    self.bytes = bytes[range]
  }

  public init(_ text: String) throws { try self.init(Array(text.utf8)) }

  /// Of bytes that were checked, without space around the value.
  init(checked bytes: ArraySlice<UInt8>) { self.bytes = bytes }

  static let null = JSONText(checked: ArraySlice(Array("null".utf8)))

  /// The text as it came. O(bytes).
  public var text: String { String(decoding: bytes, as: UTF8.self) }

  /// With bytes of its own: a row must not keep the whole reply that it came with in memory.
  var detached: JSONText { JSONText(checked: ArraySlice(Array(bytes))) }

  public var isNull: Bool { bytes.first == UInt8(ascii: "n") }
  var isObject: Bool { bytes.first == UInt8(ascii: "{") }

  /// The value of a text; nil for any other value.
  public var string: String? { read { $0.string() } }

  /// The value of a number without a fraction; nil for any other value.
  public var integer: Int? { read { $0.integer() } }

  public var boolean: Bool? { read { $0.boolean() } }

  /// A member of an object: the first with the name, or nil if it is absent or null. O(bytes up to it).
  public subscript(name: String) -> JSONText? {
    let range: Range<Int>? = read { reader in
      guard reader.enterObject() else { return nil }
      while let next = reader.nextName() {
        if next == name { return reader.isNull ? nil : reader.skip() }
      }
      return nil
    }
    return range.map(part)
  }

  /// The members of an object in the order in which they came; none for any other value. O(bytes).
  public var members: [(name: String, value: JSONText)] {
    read { reader in
      var result: [(name: String, value: JSONText)] = []
      guard reader.enterObject() else { return result }
      while let name = reader.nextName() { result.append((name.text, part(reader.skip()))) }
      return result
    }
  }

  /// The elements of a list; none for any other value. O(bytes).
  public var elements: [JSONText] { read { $0.list { part($0.skip()) } ?? [] } }

  /// Reads the value from its beginning to its end.
  func read<Result>(_ body: (inout JSONReader) throws -> Result) rethrows -> Result {
    try bytes.withUnsafeBufferPointer { buffer in
      var reader = JSONReader(checked: buffer)
      return try body(&reader)
    }
  }

  private func part(_ range: Range<Int>) -> JSONText {
    JSONText(checked: bytes[bytes.startIndex + range.lowerBound..<bytes.startIndex + range.upperBound])
  }
}
