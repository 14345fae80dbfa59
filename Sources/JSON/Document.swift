internal import CSimdJSON

/// A JSON text, indexed by simdjson and read in place.
///
/// Making one finds the structure of its bytes (UTF-8, closed strings). Values are parsed when asked for: all at once
/// by `withRoot`, or one element of a list at a time by `elements(at:)` and `withElement`, so that a big response with
/// few changes costs little. Both prove first that brackets match: a text that was cut off is an error there.
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
  /// What is parsed in place of the text where simdjson does not take it as it is.
  private var substitute: Document?
  /// What is parsed in place of the last element.
  private var elementSubstitute: Document?

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
      if let repaired = try repaired(bytes, refusedFor: code) {
        let document = try Document(repaired, limits: limits)
        substitute = document
        return try document.unmanagedRoot()
      }
      guard code == 0 else {
        // What was cut off, or is nested wrongly, is told better by its brackets.
        var walk = StructureWalk(self)
        try walk.checkAll()
        throw JSONError.describing(code, in: bytes)
      }
      isParsed = true
    }
    return parser.root
  }

  /// Calls the body with one element of a list; views must not leave it. Only this element is parsed.
  ///
  /// Throws `JSONError` where the element is malformed, and what the body throws.
  public func withElement<Result>(
    _ element: Element,
    _ body: (JSONView) throws -> Result
  ) throws -> Result {
    let view = try unmanagedElement(element)
    return try withExtendedLifetime(self) { try body(view) }
  }

  /// One element of this document. **Valid only while the document lives and until the next element is asked for.**
  public func unmanagedElement(_ element: Element) throws(JSONError) -> JSONView {
    let slice = UnsafeRawBufferPointer(rebasing: bytes[element.range])
    guard element.isContainer else { return try parseApart(Array(slice), at: element) }
    let code = parser.parseElement(structural: element.structural, length: element.length)
    if let repaired = try repaired(slice, refusedFor: code) {
      return try parseApart(repaired, at: element)
    }
    guard code == 0 else { throw JSONError.describing(code, in: slice).moved(by: element.offset) }
    return parser.elementRoot
  }

  private func parseApart(_ bytes: [UInt8], at element: Element) throws(JSONError) -> JSONView {
    do throws(JSONError) {
      let document = try Document(bytes, limits: limits)
      elementSubstitute = document
      return try document.unmanagedRoot()
    } catch {
      throw error.moved(by: element.offset)
    }
  }

  /// The text with what simdjson does not read replaced; nil where something else is wrong, or nothing.
  private func repaired(_ text: UnsafeRawBufferPointer, refusedFor code: Int) throws(JSONError) -> [UInt8]? {
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
