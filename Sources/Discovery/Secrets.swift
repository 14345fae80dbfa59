/// Secrets of a request. The configuration reads them from the environment.
public struct Secrets: Sendable {
  /// By the variables' names, what they have to be.
  public private(set) var environment: [String: String] = [:]
  /// The variables whose values were percent-encoded in the URL: the service encodes them again.
  private(set) var decoded: Set<String> = []
  private let prefix: String

  /// - Parameter name: of the source, which variables' names begin with.
  init(for name: String) {
    let words = name.uppercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" }
    prefix = words.first?.isNumber == true ? "API_" + String(words) : String(words)
  }

  /// A header's value as the configuration writes it.
  mutating func header(_ name: String, _ value: String) -> String {
    // Under whatever name.
    let isCredentials = ["bearer ", "basic ", "token "].contains { value.lowercased().hasPrefix($0) }
    guard isCredentials || Self.isSecret(name, value) else { return Self.literal(value) }
    // `Bearer`, `Basic` and `Token` stay readable.
    if let space = value.firstIndex(of: " "), isCredentials || name.lowercased().hasSuffix("authorization") {
      let scheme = value[..<space]
      if scheme.allSatisfy({ $0.isLetter || $0 == "-" }) {
        return "\(scheme) \(variable("TOKEN", String(value[value.index(after: space)...])))"
      }
    }
    return variable(Self.suffix(of: name), value)
  }

  /// A URL without the secrets in its query.
  mutating func url(_ url: String) -> String {
    let base = url.prefix { $0 != "?" && $0 != "#" }
    guard url.dropFirst(base.count).first == "?" else { return Self.literal(url) }
    var pairs: [String] = []
    for pair in url.dropFirst(base.count + 1).prefix(while: { $0 != "#" }).split(separator: "&") {
      let decodedPairs = Query.pairs("?\(pair)")
      if let (name, value) = decodedPairs.first, Self.isSecret(name, value), !value.isEmpty {
        let written = pair.prefix { $0 != "=" }
        let secret = named(Self.suffix(of: name), value)
        if pair.dropFirst(written.count + 1) != value { decoded.insert(secret) }
        pairs.append("\(Self.literal(String(written)))=${env.\(secret)}")
      } else {
        pairs.append(Self.literal(String(pair)))
      }
    }
    return "\(Self.literal(String(base)))?\(pairs.joined(separator: "&"))"
  }

  private mutating func variable(_ suffix: String, _ value: String) -> String { "${env.\(named(suffix, value))}" }

  /// The variable of a secret.
  private mutating func named(_ suffix: String, _ value: String) -> String {
    var name = "\(prefix)_\(suffix)"
    var number = 2
    while let known = environment[name], known != value {
      name = "\(prefix)_\(suffix)_\(number)"
      number += 1
    }
    environment[name] = value
    return name
  }

  private static func literal(_ text: String) -> String { text.replacing("${", with: "$${") }

  private static func suffix(of name: String) -> String {
    let lower = name.lowercased()
    if lower.contains("cookie") { return "COOKIE" }
    return lower.contains("key") || lower.contains("appid") ? "KEY" : "TOKEN"
  }

  private static func isSecret(_ name: String, _ value: String) -> Bool {
    var words = name.lowercased().split { $0 == "-" || $0 == "_" }
    // `X-PW` is `pw`.
    if words.count > 1, words.first == "x" { words.removeFirst() }
    let plain = words.joined()
    if words.last == "auth" || plain.hasSuffix("key") || Self.names.contains(plain) { return true }
    // A function's key, and no code of a country or a language.
    if plain == "code", value.utf8.count >= 20 { return true }
    return Self.parts.contains { plain.contains($0) }
  }

  private static let names: Set<String> = [
    "sig", "xauth", "sid", "pat", "jwt", "pin", "otp", "ticket", "pass", "pwd", "pw", "psw", "bearer",
  ]

  private static let parts = [
    "authorization", "token", "secret", "apikey", "accesskey", "cookie", "password", "passwd", "passcode", "passphrase",
    "appid",
    "signature", "credential", "session", "hmac",
  ]
}
