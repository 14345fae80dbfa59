internal import Foundation

/// Takes what must not be seen out of a text: an upstream may repeat what it was sent, in whatever place, and a secret
/// may stand in a URL's path.
struct Redaction: Sendable {
  /// Shorter ones stand in too many words.
  private static let shortest = 8
  private var secrets: [String]

  /// - Parameter request: all its headers, but for the content's, may hold secrets, and so may its URL's user, password
  ///   and query, but for a table's parameters.
  init(_ context: FetchContext, request: TransferRequest) {
    let headers = (request.headers + context.forwarded).filter { field in
      !["Accept", "Accept-Language", "Content-Type", "User-Agent"].contains { field.isNamed($0) }
    }
    let values = headers.flatMap { [$0.value] + $0.value.split(separator: " ").map(String.init) }
    let known = Set(context.parameters.values)
    let plain = values + context.environment.values + request.url.secrets.filter { !known.contains($0) }
    let long = Set(plain.filter { $0.utf8.count >= Self.shortest })
    secrets = long.union(long.map(PercentEncoding.encode)).sorted { $0.utf8.count > $1.utf8.count }
  }

  init(hiding secrets: [String]) {
    self.secrets = []
    hide(further: secrets)
  }

  /// Hides these, too.
  mutating func hide(further secrets: [String]) {
    guard secrets.contains(where: { !self.secrets.contains($0) }) else { return }
    let long = Set(secrets.filter { $0.utf8.count >= Self.shortest })
    let all = Set(self.secrets).union(long).union(long.map(PercentEncoding.encode))
    self.secrets = all.sorted { $0.utf8.count > $1.utf8.count }
  }

  /// Without secrets.
  func hide(_ text: String) -> String {
    var clean = text
    for secret in secrets where clean.utf8.count >= secret.utf8.count {
      clean = clean.replacing(secret, with: "…")
    }
    return clean
  }

  /// On one line, without secrets, at most 200 characters.
  func clean(_ text: String) -> String {
    let words = hide(text).split {
      $0.isWhitespace || $0.unicodeScalars.allSatisfy { $0.value < 0x20 || $0.value == 0x7F }
    }
    let line = words.joined(separator: " ")
    return line.count > 200 ? line.prefix(199) + "…" : line
  }

  func hide(_ error: UpstreamError) -> UpstreamError {
    var error = error
    error.detail = hide(error.detail)
    error.fields = error.fields.map { field in
      FieldReasons(name: hide(field.name), reasons: field.reasons.map(hide))
    }
    return error
  }
}

extension UpstreamURL {
  /// User, password, both as `Basic` sends them, and the values of the query, as they are and decoded.
  fileprivate var secrets: [String] {
    guard let parts = URLComponents(string: absolute) else { return [] }
    let user = [parts.user, parts.password].compactMap(\.self)
    let basic = user.isEmpty ? [] : [Data(user.joined(separator: ":").utf8).base64EncodedString()]
    let raw = (parts.percentEncodedQueryItems ?? []).compactMap(\.value)
    return user + basic + raw + raw.compactMap(\.removingPercentEncoding)
  }
}
