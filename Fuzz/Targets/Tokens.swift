// Signed tokens and sets of keys: whatever is sent, nothing is taken that was not signed, and nothing traps.
import Identity
import JSON

/// RFC 7515 appendix A.2 and A.3: its keys, and the tokens that they have signed.
private let keys = try? KeySet(
  parsing: Array(
    """
    {"keys":[{"kty":"RSA","kid":"r","e":"AQAB","n":"ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4q\
    PCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYU\
    sLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkM\
    Ls91kzk2PAcDTW9gb54h4FRWyuXpoQ"},{"kty":"EC","kid":"e","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",\
    "y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}]}
    """.utf8
  )
)
private let rules = TokenRules(
  issuer: "joe",
  audience: "a",
  algorithms: Set(SignatureAlgorithm.allCases),
  leeway: 30
)

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzTokens(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
  guard size > 1, let keys else { return 0 }
  let bytes = Array(UnsafeBufferPointer(start: data + 1, count: size - 1))
  switch data[0] % 3 {
  case 0: check(bytes, keys)
  case 1:
    // Header, payload and signature as they are, so that the fuzzer need not find base64.
    let parts = bytes.split(separator: 0, maxSplits: 2, omittingEmptySubsequences: false)
    check(Array(parts.map { encode($0) }.joined(separator: [UInt8(ascii: ".")])), keys)
  default:
    guard let set = try? KeySet(parsing: bytes) else { return 0 }
    precondition((1...KeySet.maximumKeys).contains(set.keys.count))
    precondition(set.keys.allSatisfy { !$0.algorithms.isEmpty })
  }
  return 0
}

private func check(_ text: [UInt8], _ keys: KeySet) {
  guard let token = try? SignedToken(text) else { return }
  precondition(text.count <= SignedToken.maximumBytes)
  // Of what these keys have signed nothing has a subject: what is taken was forged.
  precondition((try? rules.verify(token, with: keys, now: 0)) == nil)
}

private func encode(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
  let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
  var (text, bits, count): ([UInt8], UInt32, Int) = ([], 0, 0)
  for byte in bytes {
    (bits, count) = (bits << 8 | UInt32(byte), count + 8)
    while count >= 6 {
      count -= 6
      text.append(alphabet[Int(bits >> UInt32(count)) & 63])
    }
  }
  if count > 0 { text.append(alphabet[Int(bits << UInt32(6 - count)) & 63]) }
  return text
}
