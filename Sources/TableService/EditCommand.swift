import HTTPServer
import JSON

/// Edits as a request asks for them, with its conditions.
struct EditCommand: Sendable {
  var edits: [Edit]
  var answer: EditAnswer
  /// `If-Match`: the cursor that the table has to be at.
  var condition: EntityTagCondition?
  var idempotency: Idempotency?
  var caller: CallerFields
}

/// `Idempotency-Key`, and a fingerprint of the request that it stands for.
struct Idempotency: Hashable, Sendable {
  var key: String
  var request: String
}

/// The caller's own header fields, for upstreams that they are forwarded to. Never logged.
struct CallerFields: Sendable {
  private let fields: [(name: String, value: String)]

  init(_ request: Request) { self.init(request.headers.map { ($0.name, $0.value) }) }

  init(_ fields: [(name: String, value: String)]) { self.fields = fields.filter { Self.mayBeForwarded($0.name) } }

  /// The values of the fields that a table forwards, in the table's spelling and order.
  func values(of names: [String]) -> [(name: String, value: String)] {
    names.compactMap { name in
      fields.first { $0.name.lowercased() == name.lowercased() }.map { (name, $0.value) }
    }
  }

  /// Not what concerns this connection or this request's body alone (RFC 9110 §7.6.1).
  private static func mayBeForwarded(_ name: String) -> Bool {
    ![
      "connection", "content-length", "transfer-encoding", "host", "upgrade", "te", "trailer", "keep-alive",
      "accept-encoding", "if-match", "if-none-match", "expect",
    ].contains(name.lowercased())
  }
}
