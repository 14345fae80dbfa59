import TableModel
import Testing

/// A diff takes contents with one digest for equal, so every bit of them must count, in both halves.
@Suite struct ContentDigestTests {
  @Test("Every bit counts, at every length", arguments: [0...20, 45...55, 94...100, 140...150])
  func everyBitCounts(lengths: ClosedRange<Int>) {
    var contents: [[UInt8]] = []
    for length in lengths {
      let content = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 37) }
      contents.append(content)
      for bit in 0..<length * 8 {
        var other = content
        other[bit / 8] ^= 1 << UInt8(bit % 8)
        contents.append(other)
      }
    }
    let digests = contents.map { ContentDigest(of: $0) }
    #expect(Set(digests.map(\.first)).count == contents.count)
    #expect(Set(digests.map(\.second)).count == contents.count)
  }

  @Test func zerosCountToo() {
    let digests = (0...200).map { ContentDigest(of: [UInt8](repeating: 0, count: $0)) }
    #expect(Set(digests.map(\.first)).count == digests.count && Set(digests.map(\.second)).count == digests.count)
  }

  @Test("Parts that change places change the digest, in both halves", arguments: [8, 16, 48, 96])
  func orderCounts(length: Int) {
    let (a, b) = ([UInt8](repeating: 1, count: length), [UInt8](repeating: 2, count: length))
    let rest = [UInt8](repeating: 3, count: 200)
    let (one, other) = (ContentDigest(of: a + b + rest), ContentDigest(of: b + a + rest))
    #expect(one.first != other.first && one.second != other.second && one.first != one.second)
  }

  @Test func whereBytesLieDoesNotCount() {
    let bytes = (0..<300).map { UInt8(truncatingIfNeeded: $0 &* 11) }
    for offset in 0..<16 {
      let moved = [UInt8](repeating: 9, count: offset) + bytes
      moved.withUnsafeBytes { moved in
        #expect(ContentDigest(of: UnsafeRawBufferPointer(rebasing: moved[offset...])) == ContentDigest(of: bytes))
      }
    }
  }
}
