import Definitions
import HTTPServer
import Upstream

/// The caller's own header fields, for upstreams that they are forwarded to. Never logged.
struct CallerFields: Sendable {
  private let fields: [(name: String, value: String)]

  /// - Parameter isOurs: the credentials are for this service: nobody else is shown them.
  init(_ request: Request, credentialsAreOurs isOurs: Bool) {
    self.init(
      request.headers.filter { !(isOurs && $0.name.lowercased() == "authorization") }.map { ($0.name, $0.value) }
    )
  }

  init(_ fields: [(name: String, value: String)]) { self.fields = fields.filter { Self.mayBeForwarded($0.name) } }

  /// Those that a table forwards, in the table's spelling and order.
  func forwarded(by names: [String]) -> ForwardedFields {
    ForwardedFields(
      fields: names.compactMap { name in
        fields.first { $0.name.lowercased() == name.lowercased() }.flatMap { Upstream.TransferField(name, $0.value) }
      }
    )
  }

  /// Not what concerns this connection or this request's body alone (RFC 9110 §7.6.1).
  private static func mayBeForwarded(_ name: String) -> Bool {
    ![
      "connection", "content-length", "transfer-encoding", "host", "upgrade", "te", "trailer", "keep-alive",
      "accept-encoding", "if-match", "if-none-match", "expect",
    ].contains(name.lowercased())
  }
}

/// Header fields of a caller on their way to upstreams. Never logged.
struct ForwardedFields: Sendable {
  var fields: [Upstream.TransferField] = []

  /// What one of the table's sources gets of them: what it names itself, and what the table sends to all.
  func sent(to source: UpstreamDefinition, of table: TableDefinition) -> ForwardedFields {
    let names = Set((table.forwardToAll + source.forward).map { $0.lowercased() })
    return ForwardedFields(fields: fields.filter { names.contains($0.name.lowercased()) })
  }
}
