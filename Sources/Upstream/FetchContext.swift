/// What makes a request one instance's own: its parameters, the caller's forwarded headers, and the environment.
public struct FetchContext: Sendable {
  public var parameters: [String: String]
  /// Never shown in errors.
  public var environment: [String: String]
  /// The caller's own, as `forward` names them; they take the place of configured ones of the same name.
  public var forwarded: [HeaderField]

  public init(
    parameters: [String: String] = [:],
    environment: [String: String] = [:],
    forwarded: [HeaderField] = []
  ) {
    self.parameters = parameters
    self.environment = environment
    self.forwarded = forwarded
  }
}

/// Takes what must not be seen out of a text that came from elsewhere: an upstream may repeat what it was sent.
struct Redaction: Sendable {
  private let secrets: [String]

  init(_ context: FetchContext, headers: [HeaderField] = []) {
    let values = (headers + context.forwarded).filter { !$0.isNamed("Accept") && !$0.isNamed("Content-Type") }
      .flatMap { [$0.value] + $0.value.split(separator: " ").map(String.init) }
    secrets = (values + context.environment.values).filter { $0.utf8.count >= 8 }
      .sorted { $0.utf8.count > $1.utf8.count }
  }

  /// On one line, without secrets, at most 200 characters.
  func clean(_ text: String) -> String {
    var clean = text
    for secret in secrets where clean.utf8.count >= secret.utf8.count {
      clean = clean.replacing(secret, with: "…")
    }
    let words = clean.split { $0.isWhitespace || $0.unicodeScalars.allSatisfy { $0.value < 0x20 || $0.value == 0x7F } }
    let line = words.joined(separator: " ")
    return line.count > 200 ? line.prefix(199) + "…" : line
  }
}
