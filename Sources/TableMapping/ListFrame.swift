/// What stands around the list of items in a response. A response with the same frame has its list at the same
/// place, which then is compared with the items of the last one without being parsed.
struct ListFrame: Sendable {
  /// Up to the list's opening bracket, with it.
  let head: [UInt8]
  /// From the list's closing bracket on.
  let tail: [UInt8]

  /// Nil where there is no first or last item to tell by, or too much around them to be kept.
  init?(of page: [UInt8], items: Range<Int>) {
    guard page.count - items.count <= Self.maximumBytes else { return nil }
    var start = items.lowerBound
    while start > 0, page[start - 1] != UInt8(ascii: "[") { start -= 1 }
    var end = items.upperBound
    while end < page.count, page[end] != UInt8(ascii: "]") { end += 1 }
    guard start > 0, end < page.count else { return nil }
    (head, tail) = (Array(page[..<start]), Array(page[end...]))
  }

  private static let maximumBytes = 64 << 10
}
