internal import CSimdJSON

/// A JSON text, indexed by simdjson and read in place.
///
/// Making one finds the structure of its bytes (UTF-8, closed strings). Its values are parsed at the first `withRoot`. Of a
/// long list, ``ListedText`` tells where the elements stand and ``ListReader`` reads one at a time, so that a big response
/// with few changes costs little.
///
/// Integers beyond 64 bits are read as the nearest double, numbers beyond a double's range as null, halves of surrogate
/// pairs as U+FFFD: one of them does not cost the document.
///
/// Not thread-safe: a document has one user at a time.
public final class Document {
  let parser: Parser
  private let text: PaddedText
  let limits: JSONLimits
  private var isParsed = false
  /// The repaired text's document, where simdjson does not take the text as it is.
  private var substitute: Document?

  /// - Throws: `JSONError` where the text is not UTF-8, has an open string, or exceeds the limits.
  /// - Complexity: O(count), about 4 GB/s.
  public convenience init(_ bytes: [UInt8], limits: JSONLimits = JSONLimits()) throws(JSONError) {
    try Self.check(bytes.count, limits)
    try self.init(PaddedText(bytes), limits: limits)
  }

  /// As for an array of bytes; the bytes are copied.
  public convenience init(
    _ bytes: UnsafeRawBufferPointer,
    limits: JSONLimits = JSONLimits()
  ) throws(JSONError) {
    try Self.check(bytes.count, limits)
    try self.init(PaddedText(copying: bytes), limits: limits)
  }

  private init(_ text: consuming PaddedText, limits: JSONLimits) throws(JSONError) {
    self.text = text
    self.limits = limits
    // simdjson refuses at its limit; ours is the depth that is still taken.
    parser = Parser(maximumDepth: limits.maximumDepth + 1)
    let code = parser.index(bytes)
    guard code == 0 else { throw JSONError.describing(code, in: bytes) }
  }

  private static func check(_ count: Int, _ limits: JSONLimits) throws(JSONError) {
    guard count <= min(limits.maximumBytes, 0xFFFF_FFF0) else {
      throw JSONError(.limit, "\(count) bytes; at most \(limits.maximumBytes) are taken")
    }
  }

  /// The text, without padding. Must not outlive the document.
  var bytes: UnsafeRawBufferPointer { text.bytes }

  /// Calls the body with the root of the document; views must not leave it.
  ///
  /// The whole document is parsed at the first call. Throws `JSONError`, and what the body throws.
  public func withRoot<Result>(_ body: (JSONView) throws -> Result) throws -> Result {
    let root = try unmanagedRoot()
    return try withExtendedLifetime(self) { try body(root) }
  }

  /// The root. **Valid only while the document lives**, which the caller sees to: `withRoot` is the safer way.
  public func unmanagedRoot() throws(JSONError) -> JSONView {
    if let substitute { return try substitute.unmanagedRoot() }
    if !isParsed {
      let code = parser.parse()
      if let repaired = try Self.repaired(bytes, refusedFor: code, limits) {
        let document = try Document(repaired, limits: limits)
        substitute = document
        return try document.unmanagedRoot()
      }
      // simdjson takes a NUL behind a number for its end, where the number is all there is.
      if code == 0, !parser.root.isContainer, bytes.contains(0) {
        throw JSONError(.syntax, "something follows the value")
      }
      guard code == 0 else {
        // Brackets tell better where a text was cut off or nested wrongly.
        try check()
        throw JSONError.describing(code, in: bytes)
      }
      isParsed = true
    }
    return parser.root
  }

  /// Proves that the text's brackets match, and that it is one value: what was cut off is found here. Nothing is parsed.
  ///
  /// - Complexity: O(structural characters), 1 ns each.
  public func check() throws(JSONError) {
    var walk = StructureWalk(self)
    try walk.checkAll()
  }

  /// The array at a path. Nothing is parsed.
  ///
  /// - Throws, complexity: as for ``check()``; `mismatch` where there is no array.
  func list(at path: JSONPath, keeping limit: Int) throws(JSONError) -> StructureWalk.List {
    var walk = StructureWalk(self)
    try walk.descend(to: path)
    let list = try walk.list(at: path, keeping: limit)
    try walk.finish()
    return list
  }

  /// The text with what simdjson does not read replaced; nil where something else is wrong, or nothing.
  static func repaired(
    _ text: UnsafeRawBufferPointer,
    refusedFor code: Int,
    _ limits: JSONLimits
  ) throws(JSONError) -> [UInt8]? {
    let (repaired, what): ([UInt8]?, String)
    switch code {
    case csimdjson_number:
      (repaired, what) = (NumberRepair.repaired(text), "a number beyond 64 bits or a double's range")
    case csimdjson_string: (repaired, what) = (EscapeRepair.repaired(text), "half of a surrogate pair")
    default: return nil
    }
    guard let repaired else { return nil }
    guard limits.allowsRepair else { throw JSONError(.limit, "\(what) can't be kept as it is") }
    return repaired
  }
}

extension JSONView {
  fileprivate var isContainer: Bool {
    switch kind {
    case .object, .array: true
    case .null, .bool, .integer, .unsigned, .double, .string: false
    }
  }
}
