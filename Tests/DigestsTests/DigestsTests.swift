import Digests
import Testing

@Suite struct SHA256Tests {
  @Test(
    // FIPS 180-4's examples, and a million times `a`.
    arguments: [
      ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
      ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
      ),
      (String(repeating: "a", count: 1_000_000), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
    ]
  )
  func published(_ text: String, _ expected: String) {
    #expect(SHA256.digest(of: Array(text.utf8)) == bytes(expected))
  }
}

@Suite struct HMACSHA256Tests {
  struct Vector: Sendable, CustomTestStringConvertible {
    var number: Int
    var key: [UInt8]
    var data: [UInt8]
    var code: String
    var testDescription: String { "test case \(number)" }
  }

  /// RFC 4231 section 4; its fifth case asks for the first half of the code alone.
  static let vectors = [
    Vector(
      number: 1,
      key: Array(repeating: 0x0b, count: 20),
      data: Array("Hi There".utf8),
      code: "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
    ),
    Vector(
      number: 2,
      key: Array("Jefe".utf8),
      data: Array("what do ya want for nothing?".utf8),
      code: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    ),
    Vector(
      number: 3,
      key: Array(repeating: 0xaa, count: 20),
      data: Array(repeating: 0xdd, count: 50),
      code: "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
    ),
    Vector(
      number: 4,
      key: Array(0x01...0x19),
      data: Array(repeating: 0xcd, count: 50),
      code: "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"
    ),
    Vector(
      number: 5,
      key: Array(repeating: 0x0c, count: 20),
      data: Array("Test With Truncation".utf8),
      code: "a3b6167473100ee06e0c796c2955552b"
    ),
    Vector(
      number: 6,
      key: Array(repeating: 0xaa, count: 131),
      data: Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
      code: "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
    ),
    Vector(
      number: 7,
      key: Array(repeating: 0xaa, count: 131),
      data: Array(
        ("This is a test using a larger than block-size key and a larger than block-size data. The key needs to be "
          + "hashed before being used by the HMAC algorithm.").utf8
      ),
      code: "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"
    ),
  ]

  @Test(arguments: vectors)
  func published(_ vector: Vector) {
    let expected = bytes(vector.code)
    let code = HMACSHA256.code(for: vector.data, key: vector.key)
    #expect(code.count == SHA256.byteCount)
    #expect(Array(code.prefix(expected.count)) == expected)
    #expect(HMACSHA256.isValid(code, for: vector.data, key: vector.key))
  }

  @Test func invalid() {
    let (key, data) = (Array("key".utf8), Array("data".utf8))
    let code = HMACSHA256.code(for: data, key: key)
    for index in code.indices {
      var wrong = code
      wrong[index] ^= 1
      #expect(!HMACSHA256.isValid(wrong, for: data, key: key), "byte \(index)")
    }
    #expect(!HMACSHA256.isValid(code.dropLast(), for: data, key: key))
    #expect(!HMACSHA256.isValid([], for: data, key: key))
    #expect(!HMACSHA256.isValid(code, for: data + [0], key: key))
    #expect(!HMACSHA256.isValid(code, for: data, key: key + [1]))
  }

  @Test func nothingIsAKeyAndAMessage() {
    #expect(
      HMACSHA256.code(for: [], key: [])
        == bytes("b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad")
    )
  }
}

@Suite struct ConstantTimeTests {
  @Test(
    arguments: [([], [], true), ([1, 2], [1, 2], true), ([1, 2], [1, 3], false), ([1], [1, 0], false)]
      as [([UInt8], [UInt8], Bool)]
  )
  func equal(_ first: [UInt8], _ second: [UInt8], _ expected: Bool) {
    #expect(first.equalsInConstantTime(second) == expected)
  }
}

private func bytes(_ hexadecimal: String) -> [UInt8] {
  stride(from: 0, to: hexadecimal.utf8.count, by: 2).compactMap { offset in
    UInt8(hexadecimal.dropFirst(offset).prefix(2), radix: 16)
  }
}
