import Definitions
import Digests
import Expressions
import JSON

/// A part of the configuration in one form: JSON, keys in the order of their bytes where their order means nothing.
/// Values that may be secrets stand apart: they go into digests only as a check of 16 bits (``ContentDigests``).
struct CanonicalContent {
  private var text: [UInt8] = []
  /// Values that may be secrets, without header fields.
  private var requests: [UInt8] = []
  /// Header fields.
  private var credentials: [UInt8] = []
  /// The environment's variables that expressions read, in requests too, without those of header fields.
  private var variables: Set<String> = []

  /// The keys of the configuration that decide what tables are.
  private static let keys = ["sources", "cells", "representations", "tables", "locales"]
  /// The keys of the root, and of tables, whose entries mean the same in any order.
  private static let unordered: Set<String> = ["sources", "representations"]

  /// - Parameter environment: the variables that expressions name.
  static func digests(of root: YAMLNode, environment: [String: String]) -> ContentDigests {
    var (whole, digests) = (CanonicalContent(), ContentDigests())
    let entries = (root.entries ?? []).filter { keys.contains($0.key.value) }
    whole.write(entries, ServiceKeys.self)
    for entry in root.value(of: ServiceKeys.sources.name)?.entries ?? [] {
      digests.sources[entry.key.value] = source(entry.value)
    }
    for entry in root.value(of: ServiceKeys.tables.name)?.entries ?? [] {
      guard let node = entry.value.value(of: TableKeys.source.name), node.entries != nil else { continue }
      digests.sources[TableDefinition.inlineSourceName(of: entry.key.value)] = source(node)
    }
    let variables = environment.sorted { $0.key < $1.key }
    let named = variables.filter { whole.variables.contains($0.key) }
    let others = variables.filter { !whole.variables.contains($0.key) }
    digests.tables = whole.digest(with: check(named))
    digests.everything = SHA256.digest(of: digests.tables + check(others))
    return digests
  }

  private static func source(_ node: YAMLNode) -> [UInt8] {
    var content = CanonicalContent()
    if let entries = node.entries { content.write(entries, SourceKeys.self) }
    return content.digest(with: [])
  }

  private static func check(_ variables: [(key: String, value: String)]) -> [UInt8] {
    check(variables.flatMap { Array("\($0.key)=\($0.value)\u{0}".utf8) })
  }

  /// 16 bits: of all that somebody tries for a secret, one in 65,536 looks right that isn't.
  private static func check(_ bytes: [UInt8]) -> [UInt8] { Array(SHA256.digest(of: bytes).prefix(2)) }

  private var checks: [UInt8] { Self.check(requests) + Self.check(credentials) }

  private func digest(with more: [UInt8]) -> [UInt8] {
    SHA256.digest(of: SHA256.digest(of: text) + checks + more)
  }

  // MARK: Writing

  private mutating func write(_ node: YAMLNode, _ schema: SchemaNode, isUnordered: Bool = false) {
    switch (node.content, schema) {
    case (.mapping(let entries), .object(let keys)):
      guard keys == SourceKeys.self else { return write(entries, keys) }
      // A source's own digest has these checks, too: no further bit of its secrets is given away.
      var source = CanonicalContent()
      source.write(entries, keys)
      text += source.text + source.checks
      variables.formUnion(source.variables)
    case (.mapping(let entries), .map(let element)):
      let entries = isUnordered ? entries.sorted(by: Self.precedes) : entries
      writeList(of: entries, in: "{}") { content, entry in
        content.writeName(entry.key.value)
        content.write(entry.value, element)
      }
    case (.sequence(let elements), .list(let element, _, _)):
      writeList(of: elements, in: "[]") { $0.write($1, element) }
    case (_, .anyOf(let schemas)): write(node, schemas.first { $0.describes(node) } ?? .anything)
    default:
      text += JSONValue(node).bytes
      variables.formUnion(node.variables)
    }
  }

  private mutating func write(_ entries: [YAMLEntry], _ keys: any ObjectKeys.Type) {
    let known = Dictionary(keys.keys.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    writeList(of: entries.sorted(by: Self.precedes), in: "{}") { content, entry in
      let name = entry.key.value
      content.writeName(name)
      switch known[name]?.secrecy {
      case .request?:
        content.requests += JSONValue(entry.value).bytes + [0]
        content.variables.formUnion(entry.value.variables)
      case .credentials?: content.credentials += JSONValue(entry.value).bytes + [0]
      case .secret?: break
      case .some(.none), nil:
        content.write(entry.value, known[name]?.schema ?? .anything, isUnordered: Self.unordered.contains(name))
      }
    }
  }

  private static func precedes(_ one: YAMLEntry, _ other: YAMLEntry) -> Bool {
    one.key.value.utf8.lexicographicallyPrecedes(other.key.value.utf8)
  }

  private mutating func writeList<Element>(
    of elements: [Element],
    in brackets: String,
    _ write: (inout CanonicalContent, Element) -> Void
  ) {
    text += Array(brackets.utf8.prefix(1))
    for (index, element) in elements.enumerated() {
      if index > 0 { text.append(UInt8(ascii: ",")) }
      write(&self, element)
    }
    text += Array(brackets.utf8.suffix(1))
  }

  private mutating func writeName(_ name: String) { text += JSONValue.string(name).bytes + [UInt8(ascii: ":")] }
}

extension SchemaNode {
  /// Returns whether a value is of this kind, as far as its form goes: of several, the first that is decides what its
  /// order means.
  fileprivate func describes(_ node: YAMLNode) -> Bool {
    switch (node.content, self) {
    case (.mapping(let entries), .object(let keys)):
      let names = Set(keys.keys.map(\.name))
      return entries.allSatisfy { names.contains($0.key.value) }
    case (.mapping, .map), (.sequence, .list): return true
    case (_, .anyOf(let schemas)): return schemas.contains { $0.describes(node) }
    default: return false
    }
  }
}

extension YAMLNode {
  /// The environment's variables that its expressions read. Where no `${` is, a text may be an expression as a whole.
  fileprivate var variables: Set<String> {
    switch content {
    case .mapping(let entries): entries.reduce(into: []) { $0.formUnion($1.value.variables) }
    case .sequence(let elements): elements.reduce(into: []) { $0.formUnion($1.variables) }
    case .scalar(let scalar):
      scalar.text.contains("${")
        ? TemplateParts(scalar.text).expressions.reduce(into: []) { $0.formUnion($1.variables) }
        : scalar.text.variables
    }
  }
}

extension StringProtocol {
  /// The environment's variables in an expression.
  fileprivate var variables: Set<String> { Set(ExpressionOutline(self).names(under: "env").map(\.name)) }
}
