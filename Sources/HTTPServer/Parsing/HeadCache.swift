import Glibc

/// The last few heads of a loop. Clients send the same bytes again and again, and so do many clients of one make;
/// a comparison of memory is then all the parsing there is.
struct HeadCache {
  private static let capacity = 4
  /// Longer heads are seldom sent twice: a poll of 64 tables has some five thousand bytes.
  private static let longest = 8192

  private var heads: [RequestHead] = []
  private var next = 0

  /// The head that `input` begins with from `start` on, if it is one of the last few. The match is over the whole
  /// head, its empty line included, so that it can't be the beginning of a longer one.
  func match(_ input: Span<UInt8>, from start: Int) -> RequestHead? {
    let rest = input.extracting(start..<input.count)
    return rest.withUnsafeBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return nil }
      for head in heads where head.bytes.count <= buffer.count {
        if head.bytes.withUnsafeBufferPointer({ $0.baseAddress.map { memcmp($0, base, head.bytes.count) } }) == 0 {
          return head
        }
      }
      return nil
    }
  }

  mutating func insert(_ head: RequestHead) {
    guard head.bytes.count <= HeadCache.longest, head.framing == .none else { return }
    if heads.count < HeadCache.capacity {
      heads.append(head)
    } else {
      heads[next] = head
      next = (next + 1) % HeadCache.capacity
    }
  }
}
