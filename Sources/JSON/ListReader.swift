/// Parses elements of a list, each when it is asked for.
///
/// Of elements that are asked for one behind the other, more and more are indexed at once: as many as stay in a core's
/// cache. A few here and there cost no more than themselves.
///
/// Not thread-safe; a list may have several readers.
public final class ListReader {
  private let text: ListedText
  private let limits: JSONLimits
  private let parser: Parser
  /// The parser for elements of which only some members are read.
  private let memberParser: MemberParser?
  /// How many more elements it has declined than parsed: where most are, to try costs more than it gives.
  private var declined = 0
  private static let mostDeclined = 16
  /// The elements that are indexed, and how many bytes of them may be.
  private var batch = 0..<0
  private var batchBytes = 0
  /// The batch's offset in the text.
  private var base = 0
  /// The first structural character that belongs to no element before the last one that was asked for.
  private var structural = 0
  /// A padded copy of a batch at the end of the text, behind which there is no room.
  private var end: PaddedText?
  /// A document in place of the last element.
  private var substitute: Document?

  private static let largestBatch = 128 << 10

  /// - Parameter selection: the members that are read of elements which are objects: others may be missing.
  public init(_ text: ListedText, selecting selection: MemberSelection = .whole, limits: JSONLimits = JSONLimits()) {
    (self.text, self.limits) = (text, limits)
    parser = Parser(maximumDepth: limits.maximumDepth + 1)
    memberParser = MemberParser(selection, limits: limits)
  }

  /// An element. **Valid only while the reader lives and until the next one is asked for.**
  ///
  /// Throws where it is not JSON.
  public func unmanagedElement(_ index: Int) throws(JSONError) -> JSONView {
    let range = text.elements[index].range
    if let element = selected(index, range) { return element }
    if !batch.contains(index) { try begin(at: index) }
    return try text.withBytes(of: index) { bytes throws(JSONError) in
      guard let first = bytes.first, OpenBrackets.isOpening(first) else {
        return try parseApart(Array(bytes), at: range)
      }
      seek(range.lowerBound - base)
      let code = parser.parseElement(structural: structural, length: range.count)
      if let repaired = try Document.repaired(bytes, refusedFor: code, limits) {
        return try parseApart(repaired, at: range)
      }
      guard code == 0 else { throw JSONError.describing(code, in: bytes).moved(by: range.lowerBound) }
      // The next element begins there or not far behind.
      structural = parser.nextStructural
      return parser.elementRoot
    }
  }

  /// The length of an element as it is written.
  public func byteCount(of index: Int) -> Int { text.elements[index].range.count }

  /// As ``unmanagedElement(_:)``, for a body that the view must not leave. Throws what that throws, too.
  public func withElement<Result>(_ index: Int, _ body: (JSONView) throws -> Result) throws -> Result {
    let view = try unmanagedElement(index)
    return try withExtendedLifetime(self) { try body(view) }
  }

  /// The element with the members that are read; nil where it has to be parsed as a whole.
  @inline(__always)
  private func selected(_ index: Int, _ range: Range<Int>) -> JSONView? {
    guard let memberParser, declined < Self.mostDeclined, range.upperBound + MemberParser.padding <= text.bytes.count
    else { return nil }
    let element = text.withBytes(of: index, memberParser.parse)
    declined = element == nil ? declined + 1 : max(0, declined - 1)
    return element
  }

  /// Indexes an element, and those behind it where the last batch ended before it.
  private func begin(at index: Int) throws(JSONError) {
    let goesOn = !batch.isEmpty && index == batch.upperBound
    batchBytes = goesOn ? min(batchBytes * 4 + 1024, Self.largestBatch) : 0
    let elements = text.elements
    base = elements[index].range.lowerBound
    var last = index
    while last + 1 < elements.count, elements[last + 1].range.upperBound - base <= batchBytes { last += 1 }
    (batch, structural) = (0..<0, 0)
    try text.bytes.withUnsafeBufferPointer { bytes throws(JSONError) in
      // The elements of an array lie in one allocation, which `text` keeps.
      var part = UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: bytes[base..<elements[last].range.upperBound]))
      if bytes.count - elements[last].range.upperBound < Parser.padding {
        let copy = PaddedText(copying: part)
        // Its memory stays where it is.
        part = copy.bytes
        end = consume copy
      }
      let code = parser.index(part)
      guard code == 0 else { throw JSONError.describing(code, in: part).moved(by: base) }
    }
    batch = index..<last + 1
  }

  /// To the structural character at an offset in the batch.
  private func seek(_ offset: Int) {
    let structurals = parser.structurals
    if structural >= structurals.count || Int(structurals[structural]) > offset { structural = 0 }
    while structural < structurals.count - 1, Int(structurals[structural]) < offset { structural += 1 }
  }

  private func parseApart(_ bytes: [UInt8], at range: Range<Int>) throws(JSONError) -> JSONView {
    do throws(JSONError) {
      let document = try Document(bytes, limits: limits)
      substitute = document
      return try document.unmanagedRoot()
    } catch {
      throw error.moved(by: range.lowerBound)
    }
  }
}
