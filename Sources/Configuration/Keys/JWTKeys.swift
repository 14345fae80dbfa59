import Definitions

enum JWTKeys: ObjectKeys {
  static let name = "JWT"
  static let noun = "the issuer of tokens"

  /// An issuer, and what holds for those who have none of its tokens.
  struct Issuer: Sendable {
    var definition: JWTDefinition
    /// The issuer as it was written, for messages.
    var written: String
    var anonymous: AnonymousKeys.Anonymous?
  }

  static let issuer = Key(
    required: "issuer",
    .text("an issuer", example: "https://id.example.com"),
    example: "https://id.example.com",
    "The tokens' `iss`, compared byte by byte."
  )
  static let audience = Key(
    required: "audience",
    .text("an audience", example: "tablecast"),
    example: "tablecast",
    "The tokens' `aud`, or one of its values: the issuer's name for this service."
  )
  static let jwks = Key(
    "jwks",
    .text("a URL or a file", example: "https://id.example.com/keys"),
    "The issuer's keys (RFC 7517): an https URL, or a file. Default: where the issuer says "
      + "(`/.well-known/openid-configuration` below it)."
  )
  static let algorithms: Key<[JWTDefinition.Algorithm]> = Key(
    "algorithms",
    .list(of: .word, noun: "the list of algorithms", atLeast: 1),
    "Accepted signatures. Default: all of them."
  )
  static let leeway = Key(
    "leeway",
    .duration(),
    "For clocks that differ: how much later a token ends, and earlier it begins. Default: "
      + "\(durationText(JWTDefinition.standardLeeway))."
  )
  static let allow = Key("allow", .object(JWTAllowKeys.self), "What a token allows. Default: `read` alone.")

  static let keys = [
    issuer.description, audience.description, jwks.description, algorithms.description, leeway.description,
    allow.description,
  ]

  static func value(of object: ObjectReader) -> Issuer? {
    let (issuer, audience, allow) = (object[issuer], object[audience], object[allow])
    guard let issuer, let audience, let place = keys(object, issuer) else { return nil }
    var definition = JWTDefinition(issuer: issuer, audience: audience, keys: place)
    object.set(&definition.algorithms, from: algorithms)
    object.set(&definition.leeway, from: leeway)
    if definition.leeway > longestLeeway {
      object.reading.error(
        at: object.place(of: leeway),
        "a leeway of \(durationText(definition.leeway)) lets tokens live on that are over",
        "it is at most \(durationText(longestLeeway))"
      )
    }
    definition.allows = allow?.rules ?? [.read: .constant(true)]
    return Issuer(definition: definition, written: object.written(self.issuer), anonymous: allow?.anonymous)
  }

  private static let longestLeeway = Duration.seconds(600)

  /// Keys that come over the network come by TLS: who could change them would be everybody.
  private static func keys(_ object: ObjectReader, _ issuer: String) -> JWTDefinition.Keys? {
    let text = object.has(jwks) ? object[jwks] : issuer
    guard let text else { return nil }
    let isURL = text.lowercased().hasPrefix("http://") || text.lowercased().hasPrefix("https://")
    guard isURL else {
      if object.has(jwks) { return .file(text) }
      object.reading.error(
        at: object.place(of: self.issuer),
        "\(object.written(self.issuer)) is no address at which the issuer's keys could be found",
        "write `jwks`: an https URL, or a file"
      )
      return nil
    }
    guard isSafe(text) else {
      object.reading.error(
        at: object.has(jwks) ? object.place(of: jwks) : object.place(of: self.issuer),
        "keys that come from \(object.written(object.has(jwks) ? jwks : self.issuer)) could be anybody's",
        "use https, or a file; http is for this machine alone"
      )
      return nil
    }
    return object.has(jwks) ? .url(text) : .discovered
  }

  private static func isSafe(_ url: String) -> Bool {
    if url.lowercased().hasPrefix("https://") { return true }
    let authority = url.dropFirst("http://".count).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    let host = authority.hasPrefix("[") ? authority.prefix { $0 != "]" }.dropFirst() : authority.prefix { $0 != ":" }
    guard !authority.contains("@") else { return false }
    let bytes = host.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
    return host == "localhost" || host == "::1" || bytes.count == 4 && !bytes.contains(nil) && bytes[0] == 127
  }
}

/// `allow: {read: true, edit: "'editor' in $caller.claims.roles"}`.
enum JWTAllowKeys: ObjectKeys {
  static let name = "JWTAllow"
  static let noun = "what a token allows"

  struct Allowed: Sendable {
    var rules: [AuthDefinition.Capability: PermissionsDefinition.Rule]
    var anonymous: AnonymousKeys.Anonymous?
  }

  static let read = Key("read", .rule, "Reading: `true`, `false` or an expression of `$caller`. Default: true.")
  static let edit = Key("edit", .rule, "Editing. Default: false.")
  static let admin = Key("admin", .rule, "Administration, which includes everything else. Default: false.")
  static let anonymous = Key(
    "anonymous",
    .object(AnonymousKeys.self),
    "Permissions without a token."
  )

  static let keys = [read.description, edit.description, admin.description, anonymous.description]

  static func value(of object: ObjectReader) -> Allowed? {
    var rules: [AuthDefinition.Capability: PermissionsDefinition.Rule] = [.read: .constant(true)]
    for (capability, key) in [(AuthDefinition.Capability.read, read), (.edit, edit), (.admin, admin)]
    where object.has(key) {
      // A rule that can't be read allows nothing.
      rules[capability] = object[key] ?? .constant(false)
    }
    return Allowed(rules: rules, anonymous: object[anonymous])
  }
}

/// `anonymous: {read: false}`.
enum AnonymousKeys: ObjectKeys {
  static let name = "Anonymous"
  static let noun = "what is allowed without a token"

  struct Anonymous: Sendable {
    var read: Bool?
    var edit: Bool?
  }

  static let read = Key("read", .boolean, "Reading. Default: as `auth.reading` says.")
  static let edit = Key("edit", .boolean, "Editing. Default: false.")

  static let keys = [read.description, edit.description]

  static func value(of object: ObjectReader) -> Anonymous? {
    Anonymous(
      read: object.has(read) ? object[read] ?? false : nil,
      edit: object.has(edit) ? object[edit] ?? false : nil
    )
  }
}
