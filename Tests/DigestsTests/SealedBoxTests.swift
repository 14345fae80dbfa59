import Digests
import Testing

@Suite struct SealedBoxTests {
  private static let key = [UInt8](repeating: 7, count: 32)

  @Test(arguments: [0, 1, 15, 16, 17, 4_096]) func whatIsSealedIsOpened(_ count: Int) throws {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
    let box = try #require(SealedBox.seal(bytes, key: Self.key, context: [1]))
    #expect(box.count == count + SealedBox.overhead)
    #expect(SealedBox.open(box, key: Self.key, context: [1]) == bytes)
    #expect(SealedBox.seal(bytes, key: Self.key, context: [1]) != box, "each box has a nonce of its own")
  }

  @Test func everyBitCounts() throws {
    let box = try #require(SealedBox.seal(Array("secret".utf8), key: Self.key, context: [1, 2]))
    for index in box.indices {
      for bit in 0..<8 {
        var other = box
        other[index] ^= 1 << UInt8(bit)
        #expect(SealedBox.open(other, key: Self.key, context: [1, 2]) == nil)
      }
      #expect(SealedBox.open(Array(box.prefix(index)), key: Self.key, context: [1, 2]) == nil)
    }
    #expect(SealedBox.open(box, key: Self.key, context: [1]) == nil)
    #expect(SealedBox.open(box, key: [8] + Self.key.dropFirst(), context: [1, 2]) == nil)
    #expect(SealedBox.seal([1], key: [1], context: []) == nil)
  }

  /// Test case 14 of the GCM specification (McGrew and Viega): a key and a nonce of zeros.
  @Test func aPublishedCase() {
    let text: [UInt8] = [
      0xce, 0xa7, 0x40, 0x3d, 0x4d, 0x60, 0x6b, 0x6e, 0x07, 0x4e, 0xc5, 0xd3, 0xba, 0xf3, 0x9d, 0x18,
    ]
    let tag: [UInt8] = [
      0xd0, 0xd1, 0xc8, 0xa7, 0x99, 0x99, 0x6b, 0xf0, 0x26, 0x5b, 0x98, 0xb5, 0xd4, 0x8a, 0xb9, 0x19,
    ]
    let zeros = [UInt8](repeating: 0, count: 32)
    let opened = SealedBox.open([UInt8](repeating: 0, count: 12) + text + tag, key: zeros, context: [])
    #expect(opened == [UInt8](repeating: 0, count: 16))
  }
}
