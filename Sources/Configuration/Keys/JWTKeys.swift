import Definitions

enum JWTKeys: ObjectKeys {
  static let name = "JWT"
  static let noun = "the issuer of tokens"

  static let issuer = Key(
    required: "issuer",
    .text("an issuer", example: "https://id.example.com"),
    example: "https://id.example.com",
    "What the tokens' `iss` must be."
  )
  static let audience = Key(
    required: "audience",
    .text("an audience", example: "tablecast"),
    example: "tablecast",
    "What must be in the tokens' `aud`."
  )
  static let jwks = Key(
    required: "jwks",
    .text("a URL or a file", example: "https://id.example.com/keys"),
    example: "https://id.example.com/keys",
    "Where the issuer's keys stand (RFC 7517): a URL, or a file."
  )
  static let algorithms: Key<[JWTDefinition.Algorithm]> = Key(
    "algorithms",
    .list(of: .word, noun: "the list of algorithms", atLeast: 1),
    "Signatures that are taken. Default: all that there are."
  )
  static let allow = Key("allow", .object(JWTAllowKeys.self), "What a token allows. Default: `read` alone.")

  static let keys = [
    issuer.description, audience.description, jwks.description, algorithms.description, allow.description,
  ]

  static func value(of object: ObjectReader) -> JWTDefinition? {
    let (issuer, audience, jwks) = (object[issuer], object[audience], object[jwks])
    let (algorithms, allow) = (object[algorithms], object[allow])
    guard let issuer, let audience, let jwks else { return nil }
    return JWTDefinition(
      issuer: issuer,
      audience: audience,
      keys: jwks,
      algorithms: algorithms ?? JWTDefinition.Algorithm.allCases,
      allows: allow ?? [.read: .constant(true)]
    )
  }
}

/// `allow: {read: true, edit: "'editor' in $caller.claims.roles"}`.
enum JWTAllowKeys: ObjectKeys {
  static let name = "JWTAllow"
  static let noun = "what a token allows"

  static let read = Key("read", .rule, "Reading: `true`, `false` or an expression of `$caller`.")
  static let edit = Key("edit", .rule, "Editing.")
  static let admin = Key("admin", .rule, "Administrating.")

  static let keys = [read.description, edit.description, admin.description]

  static func value(of object: ObjectReader) -> [AuthDefinition.Capability: PermissionsDefinition.Rule]? {
    var rules: [AuthDefinition.Capability: PermissionsDefinition.Rule] = [:]
    for (capability, key) in [(AuthDefinition.Capability.read, read), (.edit, edit), (.admin, admin)] {
      rules[capability] = object[key]
    }
    return rules
  }
}
