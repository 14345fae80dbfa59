import Definitions
import Digests
import Expressions
import FieldValues
package import JSON
import Synchronization
import Upstream

/// The caller, as far as tables depend on it: its own header fields, for upstreams that they are forwarded to, and a
/// name for state that belongs to one caller. Never logged. Most tables read nothing of it: what takes work is made when it is read.
package struct CallerFields: Sendable {
  private let sent: @Sendable () -> [(name: String, value: String)]
  /// A token's name, or issuer and subject; nil where the service doesn't know the caller.
  private let identity: String?
  /// The key of its shares of limits: its address. Empty: it has none.
  let share: String
  /// The holder of its views: its token, else its address, which counts on this machine, too.
  var viewHolder: ViewHolder { ViewHolder(identity.map { "caller \($0)" } ?? "address \(address())") }
  private let address: @Sendable () -> String
  /// `$caller`: `name`, `claims`, `headers`, these by their names in lower case.
  private let values: Values

  /// Several templates may read them: they are made for the first.
  private final class Values: Sendable {
    private let make: @Sendable () -> JSONValue
    private let made = Mutex<JSONValue?>(nil)

    init(_ make: @escaping @Sendable () -> JSONValue) { self.make = make }

    var value: JSONValue {
      made.withLock { made in
        let value = made ?? make()
        made = value
        return value
      }
    }
  }

  /// - Parameters:
  ///   - fields: without credentials that are for the service itself: nobody else is shown them.
  ///   - identity: who the caller is, where the service knows.
  ///   - share: what limits on a single client count by.
  ///   - address: where it is, wherever that is; of IPv6 its network.
  ///   - values: `$caller`.
  package init(
    _ fields: @autoclosure @escaping @Sendable () -> [(name: String, value: String)],
    identity: String? = nil,
    share: String = "",
    address: @autoclosure @escaping @Sendable () -> String = "",
    values: @autoclosure @escaping @Sendable () -> JSONValue = .null
  ) {
    (sent, self.identity, self.share, self.address) = (fields, identity, share, address)
    self.values = Values(values)
  }

  private var fields: [(name: String, value: String)] { sent().filter { Self.mayBeForwarded($0.name) } }

  /// The caller's header fields that a table forwards, and the `$caller` properties that its expressions read.
  func forwarded(by table: TableDefinition) -> ForwardedFields {
    var forwarded = forwarded(by: table.forward)
    forwarded.values = table.callerUse.values(of: values.value)
    return forwarded
  }

  /// Returns the value of a template of `$caller` alone; null where that has no value.
  func value(_ template: Template) -> Value {
    var scope = Scope()
    scope.caller = Value(template.callerUse.values(of: values.value))
    return (try? template.evaluate(in: scope)) ?? .null
  }

  /// The same as text; nil where it is none, or empty.
  func text(_ template: Template) -> String? {
    switch JSONValue(value(template)) {
    case .string(let text): text.isEmpty ? nil : text
    case .integer(let number): String(number)
    case .null, .bool, .unsigned, .double, .array, .object: nil
    }
  }

  /// Returns the fields that a table forwards, in the table's spelling and order.
  private func forwarded(by names: [String]) -> ForwardedFields {
    guard !names.isEmpty else { return ForwardedFields() }
    let fields = fields
    return ForwardedFields(
      fields: names.compactMap { name in
        fields.first { $0.name.lowercased() == name.lowercased() }.flatMap { TransferField(name, $0.value) }
      }
    )
  }

  /// Returns the owner of its idempotency keys: the token, else a digest of the forwarded credentials.
  func name(forwarding names: [String]) -> String {
    if let identity { return "caller \(identity)" }
    // Where all header fields are read, all of them tell callers apart.
    let names = names.contains("*") ? fields.map(\.name) : names
    let text = forwarded(by: names).fields.map { "\($0.name.lowercased())\u{0}\($0.value)\u{0}" }.joined()
    guard !text.isEmpty else { return "" }
    return "fields " + SHA256.digest(of: Array(text.utf8)).map { String($0, radix: 16) }.joined(separator: ".")
  }

  /// Not what concerns this connection or this request's body alone (RFC 9110 §7.6.1).
  private static func mayBeForwarded(_ name: String) -> Bool { !ofConnection.contains(name.lowercased()) }

  private static let ofConnection: Set = [
    "connection", "content-length", "transfer-encoding", "host", "upgrade", "te", "trailer", "keep-alive",
    "accept-encoding", "if-match", "if-none-match", "expect",
  ]
}

/// The values of a caller that a table's rows depend on: header fields on their way to upstreams, and values that
/// expressions read. Never logged.
struct ForwardedFields: Sendable {
  var fields: [TransferField] = []
  /// The part of `$caller` that is read.
  var values: JSONValue = .null

  /// Returns the fields that one of the table's sources gets: those that it names itself, and those that the table
  /// sends to all.
  func sent(to source: UpstreamDefinition, of table: TableDefinition) -> ForwardedFields {
    let names = Set((table.forwardToAll + source.forward).map { $0.lowercased() })
    let sent = fields.filter { names.contains($0.name.lowercased()) }
    return ForwardedFields(fields: sent, values: source.callerUse.values(of: values))
  }

  /// Returns a label that tells callers apart in a log: nobody learns the fields from it. Nil where there are none.
  func label(_ secret: [UInt8]) -> String? {
    guard !fields.isEmpty || values != .null else { return nil }
    return hexadecimal(HMACSHA256.code(for: bytes, key: secret).prefix(4))
  }

  /// The key by which these values are compared.
  var bytes: [UInt8] {
    let text = fields.map { "\($0.name.lowercased())\u{0}\($0.value)\u{0}" }.joined()
    return Array(text.utf8) + (values == .null ? [] : [0] + values.bytes)
  }

  /// True if the caller's own credentials are among them.
  var haveCredentials: Bool { fields.contains { $0.name.lowercased() == "authorization" && !$0.value.isEmpty } }
}
