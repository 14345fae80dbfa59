import Definitions

enum AuthKeys: ObjectKeys {
  static let name = "Auth"
  static let noun = "the authentication"

  static let tokens = Key(
    "tokens",
    .list(of: .object(TokenKeys.self), noun: "the list of tokens"),
    "Bearer tokens and what they allow. Without any, nobody may edit, but on loopback."
  )

  static let jwt = Key(
    "jwt",
    .either(
      .list(of: .object(JWTKeys.self), noun: "the list of issuers", atLeast: 1),
      when: { $0.elements != nil },
      or: ValueReader<JWTKeys.Issuer>.object(JWTKeys.self).map { [$0] }
    ),
    "Callers with tokens of an issuer (RFC 7519): one issuer, or a list of them."
  )

  static let reading: Key<AuthDefinition.Reading> = Key(
    "reading",
    .word,
    "Who may read. `open`: everyone. `tokens`: holders of a token that allows `read`. Default: "
      + "`\(AuthDefinition().reading.rawValue)`."
  )

  static let keys = [tokens.description, jwt.description, reading.description]

  static func value(of object: ObjectReader) -> AuthDefinition? {
    var auth = AuthDefinition()
    object.set(&auth.tokens, from: tokens)
    object.set(&auth.reading, from: reading)
    add(object[jwt] ?? [], to: &auth, object)
    if object.present(of: [tokens.name, jwt.name]).isEmpty {
      object.reading.error(
        at: object.place,
        "'tokens' is missing",
        "write for example `tokens: [{name: app, sha256: 9f86…0a08, allow: [read, edit]}]`"
      )
    }
    return auth
  }

  /// All issuers must give anonymous callers the same rights.
  private static func add(_ issuers: [JWTKeys.Issuer], to auth: inout AuthDefinition, _ object: ObjectReader) {
    auth.issuers = issuers.map(\.definition)
    for (index, issuer) in issuers.enumerated()
    where issuers[..<index].contains(where: { $0.definition.issuer == issuer.definition.issuer }) {
      object.reading.error(
        at: object.place(of: jwt),
        "the issuer \(issuer.written) stands twice",
        "an issuer has one entry"
      )
    }
    let anonymous = issuers.compactMap(\.anonymous)
    let reads = Set(anonymous.compactMap(\.read))
    if reads.count > 1 || (object.has(reading) && reads.contains(auth.reading == .tokens)) {
      object.reading.error(
        at: object.place(of: jwt),
        "who reads without a token is told in two ways",
        "keep one `allow.anonymous.read`, or `auth.reading`"
      )
    }
    if let mayRead = reads.first { auth.reading = mayRead ? .open : .tokens }
    auth.anonymousMayEdit = !anonymous.isEmpty && anonymous.allSatisfy { $0.edit ?? false }
  }
}

enum TokenKeys: ObjectKeys {
  static let name = "Token"
  static let noun = "a token"

  static let label = Key(
    required: "name",
    .plainText("a name", example: "app"),
    example: "app",
    "The holder's name in logs."
  )
  static let sha256 = Key(
    required: "sha256",
    .digest,
    example: "${env.APP_TOKEN_SHA256}",
    "SHA-256 of the token in 64 hexadecimal digits (`printf %s TOKEN | sha256sum`)."
  )
  static let allow: Key<[AuthDefinition.Capability]> = Key(
    required: "allow",
    .list(of: .word, noun: "the list of what is allowed", atLeast: 1),
    example: "[read, edit]",
    "The permissions: `read`, `edit`, `admin`."
  )
  static let tables = Key(
    "tables",
    .list(of: .plainText("a table's name", example: "todo*"), noun: "the list of tables"),
    "Names of tables with `*` for any part. Default: all tables."
  )

  static let keys = [label.description, sha256.description, allow.description, tables.description]

  static func value(of object: ObjectReader) -> AuthDefinition.Token? {
    let (name, digest, capabilities) = (object[label], object[sha256], object[allow])
    let patterns = object[tables] ?? []
    guard let name, let digest, let capabilities else { return nil }
    return AuthDefinition.Token(name: name, sha256: digest, allows: Set(capabilities), tables: patterns)
  }
}

extension ValueReader where Value == [UInt8] {
  /// SHA-256 in hexadecimal digits. What was written is not printed: it may come from the environment.
  static let digest = ValueReader(
    .text(description: "SHA-256 in hexadecimal digits", pattern: #"^([0-9A-Fa-f]{64}|.*\$\{.*)$"#, examples: [])
  ) { node, reading in
    guard let text = ValueReader<String>.text("a SHA-256 digest", example: "9f86…0a08").read(node, reading) else {
      return nil
    }
    let digits = text.utf8.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
    guard digits.count == 64, text.utf8.count == 64 else {
      reading.error(
        at: node.place,
        "this is no SHA-256 digest",
        "write 64 hexadecimal digits, as `sha256sum` prints them"
      )
      return nil
    }
    return stride(from: 0, to: 64, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
  }
}
