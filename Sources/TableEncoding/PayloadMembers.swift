/// The members of an encoded object, one after another: where name and value stand, without parsing either.
///
/// For payloads that `RowBuilder` wrote, which are valid; on anything else it ends early.
struct PayloadMembers: Sequence, IteratorProtocol {
  private let bytes: [UInt8]
  private let end: Int
  private var position: Int

  struct Member {
    /// With its quotes.
    var name: Range<Int>
    var value: Range<Int>
  }

  /// The object stands in `range` of `bytes`.
  init(_ bytes: [UInt8], _ range: Range<Int>) {
    self.bytes = bytes
    (position, end) = (range.lowerBound + 1, range.upperBound - 1)
  }

  mutating func next() -> Member? {
    while position < end, bytes[position] != UInt8(ascii: "\"") { position += 1 }
    guard position < end else { return nil }
    let name = position..<endOfString(from: position)
    // The colon.
    position = name.upperBound + 1
    let start = position
    skipValue()
    return Member(name: name, value: Swift.min(start, end)..<Swift.min(position, end))
  }

  /// Stops at the comma behind the value, or at the end.
  private mutating func skipValue() {
    var depth = 0
    while position < end {
      switch bytes[position] {
      case UInt8(ascii: "\""):
        position = endOfString(from: position)
        continue
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
      case UInt8(ascii: ",") where depth == 0: return
      default: break
      }
      position += 1
    }
  }

  private func endOfString(from start: Int) -> Int {
    var position = start + 1
    while position < end, bytes[position] != UInt8(ascii: "\"") {
      position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
    }
    return Swift.min(position + 1, end)
  }
}
