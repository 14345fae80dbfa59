import TestSupport
import Testing

@testable import HTTPServer

/// However a request's bytes are cut, the reader makes the same of them.
@Suite struct SplitTests {
  enum Seen: Equatable {
    case request(String, body: [UInt8])
    case refused(Refusal)
  }

  @Test(arguments: HTTPCase.all)
  func everySplitPoint(_ example: HTTPCase) {
    let bytes = example.bytes()
    let whole = SplitTests.read([bytes])
    for split in SplitTests.splitPoints(bytes.count) {
      let parts = SplitTests.read([Array(bytes[..<split]), Array(bytes[split...])])
      #expect(parts == whole, "split at \(split)")
      if parts != whole { return }
    }
  }

  @Test(arguments: HTTPCase.all.filter { $0.bytes().count < 10_000 })
  func byteByByte(_ example: HTTPCase) {
    let bytes = example.bytes()
    #expect(SplitTests.read(bytes.map { [$0] }) == SplitTests.read([bytes]))
  }

  /// All of them; of a long input those at its ends and some between.
  static func splitPoints(_ count: Int) -> [Int] {
    if count <= 2000 { return Array(0...count) }
    return Array(0...200) + Array(stride(from: 200, to: count - 200, by: count / 100)) + Array((count - 200)...count)
  }

  static func read(_ parts: [[UInt8]]) -> [Seen] {
    var reader = RequestReader()
    var cache = HeadCache()
    var seen: [Seen] = []
    for part in parts {
      var index = 0
      while index < part.count {
        do {
          switch try reader.read(part.span, &index, &cache, Configuration.Limits()) {
          case .incomplete, .expectsContinue: break
          case .request(let head, let body):
            seen.append(.request(String(decoding: head.bytes, as: UTF8.self), body: body))
          }
        } catch {
          return seen + [.refused(error)]
        }
      }
    }
    return seen
  }
}
