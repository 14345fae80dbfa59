/// Secrets of a request. The configuration reads them from the environment.
public struct Secrets: Sendable {
  /// By the variables' names, what they have to be.
  public private(set) var environment: [String: String] = [:]
  private let prefix: String

  /// - Parameter name: of the source, which variables' names begin with.
  init(for name: String) {
    let words = name.uppercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" }
    prefix = words.first?.isNumber == true ? "API_" + String(words) : String(words)
  }

  /// A header's value as the configuration writes it.
  mutating func header(_ name: String, _ value: String) -> String {
    guard Self.isSecret(name) else { return Self.literal(value) }
    // `Bearer` and `Basic` stay readable.
    if let space = value.firstIndex(of: " "), name.lowercased().hasSuffix("authorization") {
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
      let named = Query.pairs("?\(pair)")
      if let (name, value) = named.first, Self.isSecret(name), !value.isEmpty {
        pairs.append("\(Self.literal(String(pair.prefix { $0 != "=" })))=\(variable(Self.suffix(of: name), value))")
      } else {
        pairs.append(Self.literal(String(pair)))
      }
    }
    return "\(Self.literal(String(base)))?\(pairs.joined(separator: "&"))"
  }

  private mutating func variable(_ suffix: String, _ value: String) -> String {
    var name = "\(prefix)_\(suffix)"
    var number = 2
    while let known = environment[name], known != value {
      name = "\(prefix)_\(suffix)_\(number)"
      number += 1
    }
    environment[name] = value
    return "${env.\(name)}"
  }

  private static func literal(_ text: String) -> String { text.replacing("${", with: "$${") }

  private static func suffix(of name: String) -> String {
    let lower = name.lowercased()
    if lower.contains("cookie") { return "COOKIE" }
    return lower.contains("key") || lower.contains("appid") ? "KEY" : "TOKEN"
  }

  private static func isSecret(_ name: String) -> Bool {
    let name = name.lowercased().filter { $0 != "-" && $0 != "_" }
    return [
      "authorization", "token", "secret", "apikey", "cookie", "password", "passwd", "passcode", "passphrase", "appid",
      "signature", "credential", "session", "hmac",
    ]
    .contains { name.contains($0) }
      || ["sig", "auth", "xauth", "sid", "pat", "jwt", "pin", "otp", "ticket", "pass", "pwd"].contains(name)
      || name.hasSuffix("key")
  }
}
