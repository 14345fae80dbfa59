import Digests
import FieldValues
import JSON
import TableStore

/// What replicas call a member that depends on who asks: by a digest of the values that it is made of, which says nothing of
/// them to who doesn't have the replicas' key, `mine;$caller=6b0c…`. Clients never see it: to them it is `mine`.
extension TableReference {
  /// - Parameter digest: nil: the member depends on nobody.
  func ofCaller(_ digest: [UInt8]?) -> TableReference {
    guard let digest else { return self }
    let parameter = Parameter(name: StoredName.caller, value: hexadecimal(digest))
    return TableReference(name: name, parameters: parameters + [parameter])
  }

  /// The same taken apart: as clients address it, and the digest.
  var partedFromCaller: (reference: TableReference, digest: [UInt8]?) {
    guard let caller = parameters.first(where: { $0.name == StoredName.caller }) else { return (self, nil) }
    let others = parameters.filter { $0.name != StoredName.caller }
    return (TableReference(name: name, parameters: others), Self.bytes(ofHexadecimal: caller.value))
  }

  private static func bytes(ofHexadecimal text: String) -> [UInt8] {
    let digits = text.compactMap { $0.hexDigitValue.flatMap(UInt8.init(exactly:)) }
    return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }
}

extension MemberClaim {
  /// A claim of a member that depends on who asks has its values beside its name.
  private static let longestName = 1_200
  private static let mostValues = 1_500

  /// Returns whether replicas can tell each other of a member: others stay each replica's own.
  static func canTell(_ name: String, _ values: JSONValue, dependsOnCaller: Bool) -> Bool {
    guard dependsOnCaller else { return name.utf8.count <= maximumName }
    let bytes = values.bytes
    guard name.utf8.count <= longestName, bytes.count <= mostValues else { return false }
    // The digest is that of what another replica reads.
    return (try? JSONValue(parsing: bytes))?.bytes == bytes
  }

  /// The key under which claims have callers' values, of the replicas' secret: every role of the database may listen.
  static func key(_ secret: [UInt8]) -> [UInt8] { HMACSHA256.code(for: Array("claimed values".utf8), key: secret) }
}
