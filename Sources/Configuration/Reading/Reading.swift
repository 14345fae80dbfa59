import Expressions

/// One reading of a configuration: what was found wrong, and what is to be held together when all is read.
final class Reading {
  let file: String
  /// The values of `${env.NAME}`. Never printed.
  let environment: Environment
  private(set) var diagnostics: [Diagnostic] = []
  /// The keys and names on the way to the value that is being read.
  private(set) var path: [String] = []

  /// Declarations and uses of names, with places: see `Checks`.
  var declarations: [Declaration] = []
  var uses: [Use] = []
  var mappings: [PayloadUse] = []
  var tables: [TablePlaces] = []
  /// Tables with what their `row.type` is.
  var rowTypes: [(table: String, node: YAMLNode)] = []
  /// The places of `groupBy`, by table.
  var groupings: [String: TextPosition] = [:]
  /// `$params.NAME`, with where it stands.
  var parameterUses: [(path: [String], name: Located<String>)] = []
  /// The properties of `$caller` that expressions read, by the expressions' places.
  var callerUses: [(path: [String], use: CallerUse)] = []
  /// Headers that tables of a source send on, by the source's name.
  var forwardedBySource: [String: [String]] = [:]
  /// Requests to upstreams: where they go, and which headers they have.
  var requests: [RequestUse] = []
  /// `Source.every`: which keys of which mappings there are.
  var keysInUse: Set<String> = []
  /// Names of lookups by table: roots of its expressions.
  private(set) var lookups: [String: Set<String>] = [:]
  /// The tables whose rows stand in lists of their source's items.
  private(set) var expanded: Set<String> = []
  /// `$caller` means somebody.
  private(set) var knowsCallers = false
  /// Variables of the environment that are not set, where that is no mistake: it is said once of each, and what is wrong with a
  /// value that is made of one is not.
  private(set) var unset: [(name: String, place: TextPosition)] = []
  private var unsetValues: Set<TextPosition> = []
  private let toleratesUnset: Bool
  /// The values of the environment variables that were named.
  var environmentValues: [String: String] = [:]

  /// - Parameter toleratesUnset: a variable that is not set is no mistake.
  init(file: String, environment: Environment, toleratesUnset: Bool = false) {
    self.file = file
    self.environment = environment
    self.toleratesUnset = toleratesUnset
  }

  /// Notes a variable that is not set, where that is no mistake; false where it is one.
  ///
  /// - Parameter value: where the value stands that it is a part of.
  func note(unset name: String, at place: TextPosition, in value: TextPosition) -> Bool {
    guard toleratesUnset else { return false }
    if !unset.contains(where: { $0.name == name }) { unset.append((name, place)) }
    unsetValues.insert(value)
    return true
  }

  /// Says which variables are not set.
  func warnOfUnset() {
    for (name, place) in unset {
      warning(at: place, "the environment variable \(name) is not set", "`serve` will need it")
    }
  }

  func error(at place: TextPosition, _ message: String, _ suggestion: String? = nil) {
    guard !unsetValues.contains(place) else { return }
    report(.error, at: place, message, suggestion)
  }

  func warning(at place: TextPosition, _ message: String, _ suggestion: String? = nil) {
    report(.warning, at: place, message, suggestion)
  }

  /// A value of another type than the one that belongs there.
  func wrong(_ node: YAMLNode, expected: String, write: String) {
    error(at: node.place, "\(expected) is expected here, and this is \(node.seen)", "write \(write)")
  }

  func within<Value>(_ name: String, _ body: () -> Value) -> Value {
    path.append(name)
    defer { path.removeLast() }
    return body()
  }

  /// Looks ahead at what makes roots of expressions, wherever in the file it stands.
  func knowRoots(of object: ObjectReader) {
    knowsCallers = object.node(of: ServiceKeys.auth)?.value(of: AuthKeys.jwt.name) != nil
    for table in object.node(of: ServiceKeys.tables)?.entries ?? [] {
      let names = table.value.value(of: TableKeys.lookups.name)?.entries ?? []
      lookups[table.key.value] = Set(names.map(\.key.value))
      if table.value.value(of: TableKeys.items.name) != nil { expanded.insert(table.key.value) }
    }
  }

  /// The names of a mapping's entries.
  func declare(_ kind: Declaration.Kind, in node: YAMLNode?) {
    declarations += (node?.entries ?? []).map { Declaration(kind: kind, name: $0.key) }
  }

  private func report(_ severity: Diagnostic.Severity, at place: TextPosition, _ message: String, _ suggestion: String?)
  {
    diagnostics.append(
      Diagnostic(
        severity: severity,
        file: file,
        line: place.line,
        column: place.column,
        message: message,
        suggestion: suggestion
      )
    )
  }
}

/// A name that the configuration gives to something.
struct Declaration {
  var kind: Kind
  var name: Located<String>

  enum Kind: Hashable {
    case source, cell
    /// Nil: shared by all tables.
    case representation(table: String?)
    case table
  }
}

/// A name that something declared is meant by.
struct Use {
  var kind: Declaration.Kind
  var name: Located<String>
  /// The path of the place: keys and names from the root.
  var path: [String]
}

/// A cell and the payload written for it.
struct PayloadUse {
  var cell: Located<String>
  var fields: [YAMLEntry]
  var place: TextPosition
  /// False where the payload is no mapping, and has its diagnostic.
  var isRead: Bool
}

/// A request to an upstream, as it is written.
struct RequestUse {
  var url: YAMLNode?
  var headers: [Located<String>]
}
