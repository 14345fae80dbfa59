import JSON

/// The keys of one issuer (RFC 7517 section 5). Immutable: an issuer whose keys change has another one.
package struct KeySet: Sendable {
  package static let empty = KeySet(keys: [], refusals: [])
  /// A set has one or two keys, while they are exchanged perhaps four.
  package static let maximumKeys = 64
  /// In bytes, as it is sent.
  package static let maximumBytes = 256 << 10

  package let keys: [VerificationKey]
  /// Why others that stand there are left out.
  package let refusals: [String]

  private init(keys: [VerificationKey], refusals: [String]) { (self.keys, self.refusals) = (keys, refusals) }

  /// - Throws: why there is no key in it that can be used.
  package init(parsing text: [UInt8]) throws(KeyRefusal) {
    guard text.count <= Self.maximumBytes else { throw KeyRefusal("the set has more than \(Self.maximumBytes) bytes") }
    let limits = JSONLimits(maximumBytes: Self.maximumBytes, maximumDepth: 16, allowsRepair: false)
    guard let value = try? JSONValue(parsing: text, limits: limits), case .array(let members)? = value["keys"],
      value.doubledMember == nil
    else { throw KeyRefusal("this is no set of keys: `{\"keys\": […]}`") }
    guard members.count <= Self.maximumKeys else {
      throw KeyRefusal("the set has \(members.count) keys: \(Self.maximumKeys) are the most")
    }
    var (keys, refusals): ([VerificationKey], [String]) = ([], [])
    for (index, member) in members.enumerated() {
      do { keys.append(try VerificationKey(member)) } catch { refusals.append("key \(index + 1) \(error)") }
    }
    guard !keys.isEmpty else {
      throw KeyRefusal(
        members.isEmpty ? "the set has no key" : "no key of the set can be used: \(refusals.joined(separator: ", "))"
      )
    }
    (self.keys, self.refusals) = (keys, refusals)
  }

  /// Returns the keys that may have signed a token: by its `kid`, where it has one, and of its algorithm.
  ///
  /// - Throws: where it has no `kid`, and more keys fit than one and its successor: tokens don't make this service try
  ///   key after key (RFC 7515 section 6).
  func candidates(for token: SignedToken) throws(TokenRefusal) -> ArraySlice<VerificationKey> {
    let able = keys.filter { $0.algorithms.contains(token.algorithm) }
    guard let keyID = token.keyID else {
      guard able.count <= Self.maximumNamesakes else {
        throw .malformed("The token's header has no `kid`, and its issuer publishes several keys.")
      }
      return able[...]
    }
    return able.filter { $0.keyID.map { $0.utf8.elementsEqual(keyID.utf8) } ?? false }.prefix(Self.maximumNamesakes)
  }

  /// The most keys that are tried for one token: of one name there should be no two, and without names there are two
  /// while they are exchanged.
  private static let maximumNamesakes = 2

  /// Returns whether the set still has a key, under whatever name.
  package func has(_ key: VerificationKey) -> Bool { keys.contains { $0 === key || $0.identity == key.identity } }
}
