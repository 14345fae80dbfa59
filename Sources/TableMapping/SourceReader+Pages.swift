internal import Expressions
internal import JSON

extension SourceReader {
  /// Compares a page with the items of the last one, where it has the same frame and most of them; only what
  /// is new is parsed. False where it has to be read as a whole: nothing was taken from it then.
  mutating func compare(_ page: [UInt8], number: Int) throws(JSONError) -> Bool {
    guard let previous, !plan.readsResponses, number < previous.frames.count, let frame = previous.frames[number] else {
      return false
    }
    let place = place
    let isRead = page.withUnsafeBytes { bytes in
      ListScanner(bytes, frame).map { scanner in compare(scanner, bytes, with: previous) } ?? false
    }
    if isRead { frames.append(frame) } else { removeAll(after: place) }
    return isRead
  }

  private mutating func compare(
    _ scanner: ListScanner,
    _ bytes: UnsafeRawBufferPointer,
    with previous: CachedSource
  ) -> Bool {
    var scanner = scanner
    // Reading as a whole is faster a byte: it is better where much is new.
    var newBytes = bytes.count / 16 + 4096
    let readsIndex = plan.dependencies.contains(.index)
    while !scanner.isAtEnd {
      if expected < previous.items.count, !readsIndex || expected == items.count,
        previous.items[expected].givenID == nil, !isStale(expected),
        let range = previous.texts.withBytes(of: expected, { scanner.take($0) })
      {
        take(expected, of: previous, at: range)
      } else {
        guard let range = scanner.takeNext() else { return false }
        newBytes -= range.count
        guard newBytes >= 0, !isOverBudget else { return false }
        let item = UnsafeRawBufferPointer(rebasing: bytes[range])
        if !reuse(item, at: range, givenID: nil), !mapApart(item, at: range, givenID: nil) { return false }
      }
      guard scanner.separate() else { return false }
    }
    return true
  }

  /// Reads a page as a whole.
  mutating func read(page: [UInt8]) throws(JSONError) {
    let document = try Document(page)
    switch try PageItems(in: document, at: source.items, scope: scope) {
    case .values(let values):
      frames.append(nil)
      for value in values where !isOverBudget { appendWritten(value) }
    case .elements(let elements):
      if let first = elements.first, let last = elements.last {
        frames.append(ListFrame(of: page, items: first.range.lowerBound..<last.range.upperBound))
      } else {
        frames.append(nil)
      }
      reserveCapacity(items.count + elements.count)
      if previous == nil, page.count >= PieceMapping.fewestBytes {
        mapPieces(PieceMapping(source: source, plan: plan, page: page, elements: elements, start: items.count))
      } else {
        for element in elements where !isOverBudget { append(element, of: document) }
      }
    }
    withExtendedLifetime(document) {}
  }

  /// An item that an expression finds or makes is written out.
  private mutating func appendWritten(_ value: Value) {
    let text = value.written
    begin(text: text)
    text.withUnsafeBytes { bytes in
      if !reuse(bytes, at: bytes.indices, givenID: nil) { append(bytes, at: bytes.indices, value) }
    }
  }
}
