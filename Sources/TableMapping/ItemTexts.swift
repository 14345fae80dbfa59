/// The texts of a source's items: parts of the responses that they came in, which are kept instead of copies.
struct ItemTexts: Sendable {
  private var texts: [[UInt8]] = []
  private var spans: [Span] = []

  private struct Span {
    var text: UInt32
    /// A response has less than 4 GB.
    var start: UInt32
    var count: UInt32
  }

  var count: Int { spans.count }

  mutating func reserveCapacity(_ count: Int) { spans.reserveCapacity(count) }

  /// Begins a text: the items that are appended from now on are parts of it.
  mutating func begin(_ text: [UInt8]) { texts.append(text) }

  /// A part of the text that was begun last.
  @inline(__always)
  mutating func append(_ range: Range<Int>) {
    spans.append(
      Span(
        text: UInt32(truncatingIfNeeded: texts.count - 1),
        start: UInt32(truncatingIfNeeded: range.lowerBound),
        count: UInt32(truncatingIfNeeded: range.count)
      )
    )
  }

  /// An item that is a text of its own.
  mutating func append(_ text: [UInt8]) {
    begin(text)
    append(text.indices)
  }

  /// Puts another text in the place of an item that is a text of its own. O(1), but for a copy of what is shared.
  mutating func replace(at item: Int, with text: [UInt8]) {
    let number = spans[item].text
    texts[Int(number)] = text
    spans[item] = Span(text: number, start: 0, count: UInt32(truncatingIfNeeded: text.count))
  }

  /// Calls the body with the bytes of an item, which must not leave it.
  @inline(__always)
  func withBytes<Result>(of item: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    let span = spans[item]
    return texts[Int(span.text)].withUnsafeBytes { text in
      body(UnsafeRawBufferPointer(rebasing: text[Int(span.start)..<Int(span.start) + Int(span.count)]))
    }
  }

  /// The text that an item is a part of, and where it stands there.
  func text(of item: Int) -> [UInt8] { texts[Int(spans[item].text)] }

  func range(of item: Int) -> Range<Int> { Int(spans[item].start)..<Int(spans[item].start) + Int(spans[item].count) }

  /// Returns items as a list: `[…]`. O(bytes).
  func list(of items: some Sequence<Int>) -> [UInt8] {
    var list = [UInt8(ascii: "[")]
    for item in items {
      if list.count > 1 { list.append(UInt8(ascii: ",")) }
      withBytes(of: item) { list.append(contentsOf: $0) }
    }
    list.append(UInt8(ascii: "]"))
    return list
  }

  /// Returns whether the items are parts of these very texts, the same ones in memory. O(1) for each text.
  func areParts(of others: [[UInt8]]) -> Bool {
    texts.count == others.count
      && zip(texts, others).allSatisfy { $0.isVery($1) }
  }

  /// A copy.
  func bytes(of item: Int) -> [UInt8] { withBytes(of: item) { Array($0) } }
}
