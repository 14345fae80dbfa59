extension Document {
  /// Where an element of a list stands in the text.
  public struct Element: Equatable, Sendable {
    /// In bytes from the start of the text.
    public let offset: Int
    public let length: Int
    /// Its first structural character.
    let structural: Int
    let isContainer: Bool

    public var range: Range<Int> { offset..<(offset + length) }
  }

  /// The elements of the array at a path: their places, nothing is parsed. White space around them is left out.
  ///
  /// The brackets of the whole text are known to match then.
  ///
  /// - Throws: `mismatch` where there is no array; `syntax` where the way to it or its commas are malformed;
  ///   `truncated` where the text is cut off.
  /// - Complexity: O(structural characters), 1 ns each.
  public func elements(at path: JSONPath = []) throws(JSONError) -> [Element] {
    var walk = StructureWalk(self)
    try walk.descend(to: path)
    let elements = try walk.elements(at: path)
    try walk.finish()
    return elements
  }

  /// Calls the body with the bytes of an element, as the text has them. They must not leave it.
  @inline(__always)
  public func withBytes<Result, Failure>(
    of element: Element,
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(UnsafeRawBufferPointer(rebasing: bytes[element.range]))
  }
}
