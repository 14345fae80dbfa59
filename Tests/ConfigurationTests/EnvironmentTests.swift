import Definitions
import JSON
import Testing

@testable import Configuration

@Suite struct EnvironmentTests {
  static func text(_ expression: String) -> String {
    """
    sources: {s: {url: https://x.example, webhook: {secret: "\(expression)"}}}
    tables: {t: {source: s, row: {id: "${id}"}}}
    """
  }

  func secret(_ expression: String, _ environment: Environment) -> (String?, [String]) {
    let (definition, diagnostics) = ConfigurationReader.read(
      text: Self.text(expression),
      file: "t",
      environment: environment
    )
    guard case .upstream(let upstream)? = definition?.sources.first?.kind else {
      return (nil, diagnostics.map(\.description))
    }
    return (upstream.webhookSecret, diagnostics.map(\.description))
  }

  @Test func valuesComeFromVariablesAndFiles() {
    let environment = Environment(["A": "one", "B_FILE": "/run/secrets/b", "C_FILE": "/nowhere"]) { path in
      path == "/run/secrets/b" ? "two\n" : nil
    }
    #expect(secret("${env.A}", environment) == ("one", []))
    #expect(secret("x-${env.A}-${env.B}", environment) == ("x-one-two", []))
    #expect(secret("${env['B']}", environment) == ("two", []))
    #expect(secret("${env.Z ?? 'none'}", environment) == ("none", []))
    #expect(secret("a$${b", environment) == ("a${b", []))
    #expect(secret("$${env.A} is ${env.A}", environment) == ("${env.A} is one", []))
    #expect(secret("${env.A ?? 'none'}", environment) == ("one", []))
    #expect(
      secret("${env.C}", environment).1 == [
        "t:1:60: the file that C_FILE names can't be read, it must be a readable UTF-8 file"
      ]
    )
    #expect(
      secret("${env.AA}", environment).1 == ["t:1:60: the environment variable AA is not set, did you mean A?"]
    )
    #expect(secret("${name}", environment).1.first?.hasPrefix("t:1:57: only `env` can stand in an expression") == true)
  }

  @Test func valuesComeFromCredentialsWhereNothingElseSays() {
    let variables = ["CREDENTIALS_DIRECTORY": "/run/credentials/x", "B": "variable", "C_FILE": "/c"]
    let environment = Environment(variables) { path in
      ["/run/credentials/x/tablecast_A": "one\n", "/run/credentials/x/tablecast_B": "no", "/c": "file"][path]
    }
    #expect(environment.lookUp("A") == .value("one"))
    #expect(environment.lookUp("B") == .value("variable"))
    #expect(environment.lookUp("C") == .value("file"))
    #expect(environment.lookUp("D") == .missing)
    #expect(environment.lookUp("../A") == .missing)
    #expect(Environment([:]) { _ in "some" }.lookUp("A") == .missing)
  }

  /// `check` and `generate` need no secrets: what is made of them is not missed, whatever else is wrong is said.
  @Test func unsetVariablesAreWarnedOfWhereNothingIsServed() {
    let text = """
      store: {postgres: "${env.DATABASE}"}
      auth: {tokens: [{name: app, sha256: "${env.HASH}", allow: [read]}]}
      sources: {s: {url: "https://${env.HOST}/x", headers: {A: "Bearer ${env.TOKEN}", B: "${env.TOKEN}"}, webhook: {secret: "${env.HOOK}"}}}
      tables: {t: {source: s, row: {id: "${id}"}, cell: Nothing, payload: {}}}
      """
    func read(_ text: String) -> (hasDefinition: Bool, diagnostics: [Diagnostic]) {
      let (definition, found) = ConfigurationReader.read(
        text: text,
        file: "t",
        environment: Environment([:]),
        toleratesUnset: true
      )
      return (definition != nil, found)
    }
    let wrong = read(text).diagnostics.filter { $0.severity == .error }
    #expect(wrong.count == 1 && wrong[0].message.contains("Nothing"), "\(wrong)")
    let (hasDefinition, found) = read(
      text.replacing("cell: Nothing, payload: {}", with: "cell: TableViewCellWithLabel, payload: {title: x}")
    )
    #expect(hasDefinition && found.allSatisfy { $0.severity == .warning }, "\(found)")
    let names = ["DATABASE", "HASH", "HOOK", "HOST", "TOKEN"]
    #expect(found.map(\.message).sorted() == names.map { "the environment variable \($0) is not set" })
  }

  @Test func missingVariablesAreNamedWherever() {
    let found = diagnostics(
      """
      sources: {s: {url: https://x.example, headers: {A: "${env.ONE} ${env.TWO}", B: "${has(env.THREE) ? 1 : 2}"}}}
      tables: {t: {source: s, row: {id: "${env.FOUR ?? id}${'env.FIVE'}"}, sections: [{id: a, where: env.SIX == x}]}}
      """
    )
    #expect(
      found.map { $0.prefix { $0 != "," } } == [
        "1:55: the environment variable ONE is not set", "1:66: the environment variable TWO is not set",
        "2:96: the environment variable SIX is not set",
      ],
      "\(found)"
    )
  }

  /// The definition has the values that expressions name, and diagnostics have none.
  @Test func valuesAreNotPrinted() {
    let value = "t0ps3cret"
    let text = """
      listen: ${env.S}
      auth: {tokens: [{name: "${env.S}", sha256: "${env.S}", allow: ["${env.S}"]}]}
      cors: {origins: ["${env.S}"]}
      sources: {s: {url: "${env.S}", every: "${env.S}", headers: {A: "${(env.S}"}}}
      tables: {t: {source: s, row: {id: "${env.S}"}}}
      """
    let (definition, found) = ConfigurationReader.read(text: text, file: "t", environment: ["S": value, "T": value])
    #expect(definition == nil)
    #expect(found.count > 5)
    #expect(!found.contains { $0.description.contains(value) }, "\(found)")
    #expect(!found.contains { ($0.json.bytes).count == 0 })
  }

  /// Nor where a value is right by itself, and wrong for where it stands.
  @Test(arguments: [
    ("auth: {jwt: {issuer: a, audience: b, jwks: \"${env.S}\"}}", "keys that come from '${env.S}' could be anybody's"),
    ("auth: {jwt: {issuer: \"${env.S}\", audience: b}}", "keys that come from '${env.S}' could be anybody's"),
    ("auth: {jwt: {issuer: \"${env.T}\", audience: b}}", "'${env.T}' is no address at which"),
    (
      "auth: {jwt: [{issuer: \"${env.T}\", audience: b, jwks: c}, {issuer: \"${env.T}\", audience: d, jwks: c}]}",
      "the issuer '${env.T}' stands twice"
    ),
    ("trustedProxies: [\"${env.P}\"]", "the text '${env.P}' has bits beyond its prefix"),
  ])
  func valuesThatDoNotFitAreNotPrinted(text: String, message: String) {
    let found = diagnostics(
      "\(text)\n" + DiagnosticsTests.base + DiagnosticsTests.cell,
      environment: ["S": "http://user:pw@host.example/k", "T": "t0ps3cret", "P": "10.9.8.7/8"]
    )
    #expect(found.count == 1 && found[0].contains(message), "\(found)")
    #expect(!found.contains { $0.contains("host.example") || $0.contains("t0ps3cret") || $0.contains("10.9") })
  }

  @Test func originsMayComeFromTheEnvironment() throws {
    let text = """
      sources: {s: {url: "${env.BASE ?? 'http://127.0.0.1:81'}/flights?since=${env.SINCE}"}}
      tables: {t: {source: s, row: {id: "${id}"}}}
      """
    func found(_ base: String?) -> [String] {
      var environment = ["SINCE": "now"]
      environment["BASE"] = base
      return diagnostics(text, environment: environment)
    }
    #expect(found(nil) == [])
    #expect(found("https://x.example/v1") == [])
    #expect(found("ftp://x.example").count == 1)
    #expect(found("https://${id}").count == 1)
    #expect(found("https://a b").count == 1)
  }
}
