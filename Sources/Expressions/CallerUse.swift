public import JSON

/// The caller's values that an expression or template reads: paths below `$caller`, such as `claims.sub`. Two callers
/// with equal values there get equal results, whatever else differs between them.
public struct CallerUse: Equatable, Sendable {
  public static let none = CallerUse(paths: [])

  /// An empty path: all that there is of the caller.
  public private(set) var paths: Set<[String]>

  public init(paths: Set<[String]>) { self.paths = paths }

  public var isEmpty: Bool { paths.isEmpty }

  public mutating func formUnion(_ other: CallerUse) { paths.formUnion(other.paths) }

  /// All of them together.
  public init(_ uses: some Sequence<CallerUse>) { self = uses.reduce(into: .none) { $0.formUnion($1) } }

  /// The values that count, and nothing else of the caller: what two callers share who have these in common. Members of
  /// objects are in the order of their names, however they were sent. Null where nothing counts.
  ///
  /// Names of header fields are found in any case, and stand there as the expressions spell them.
  ///
  /// - Complexity: O(paths · members).
  public func values(of caller: @autoclosure () -> JSONValue) -> JSONValue {
    isEmpty ? .null : Self.part(of: caller(), at: paths.map { $0[...] }, isHeaders: false, depth: 0)
  }

  /// Header fields that are read; nil where all of them are.
  public var headers: Set<String>? {
    var names: Set<String> = []
    for path in paths {
      guard let first = path.first else { return nil }
      guard first == "headers" else { continue }
      guard path.count > 1 else { return nil }
      names.insert(path[1])
    }
    return names
  }

  /// True if header fields count, some or all of them.
  public var readsHeaders: Bool { headers.map { !$0.isEmpty } ?? true }

  /// True if the caller's identity counts: the name or a claim.
  public var readsIdentity: Bool { paths.contains { $0.first != "headers" } }

  private static func part(of value: JSONValue, at paths: [ArraySlice<String>], isHeaders: Bool, depth: Int)
    -> JSONValue
  {
    if paths.contains(where: \.isEmpty) { return value.inOrder }
    let groups = Dictionary(grouping: paths) { $0.first ?? "" }
    let members = groups.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.compactMap { name in
      (isHeaders ? value.header(name) : value[name]).map { member in
        let inner = part(
          of: member,
          at: (groups[name] ?? []).map { $0.dropFirst() },
          isHeaders: depth == 0 && name == "headers",
          depth: depth + 1
        )
        return JSONValue.Member(name: name, value: inner)
      }
    }
    return .object(members)
  }
}

extension JSONValue {
  /// A member in any case: as a caller has it, in lower case, or as an expression spells it that its values were taken for.
  fileprivate func header(_ name: String) -> JSONValue? {
    let folded = name.lowercased()
    if let own = self[folded] { return own }
    guard case .object(let members) = self else { return nil }
    return members.first { $0.name.lowercased() == folded }?.value
  }

  fileprivate var inOrder: JSONValue {
    switch self {
    case .null, .bool, .integer, .unsigned, .double, .string: return self
    case .array(let elements): return .array(elements.map(\.inOrder))
    case .object(let members):
      let ordered = members.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
      return .object(ordered.map { Member(name: $0.name, value: $0.value.inOrder) })
    }
  }
}

extension Expression {
  public var callerUse: CallerUse { root.callerUse }

  /// The part of a condition that tells whose an item is: the operands of `&&` that read the caller, and those that read parameters
  /// where one of these does, too. Nil where none does.
  ///
  /// - Parameter lookups: those that find other items for another caller: to read one is to read the caller.
  public func callerCondition(lookups: Set<String> = []) -> Expression? {
    let parts = root.conjuncts
    let readsCaller = { (part: Node) in !part.callerUse.isEmpty || !part.lookups.isDisjoint(with: lookups) }
    let own = parts.filter(readsCaller)
    let readsParameters = own.contains { $0.dependencies.contains(.parameters) }
    let all = parts.filter { readsCaller($0) || readsParameters && $0.dependencies.contains(.parameters) }
    guard let first = all.first, !own.isEmpty else { return nil }
    guard all.count < parts.count else { return self }
    return Expression(text: "\(text)\n$caller", all.dropFirst().reduce(first) { .and($0, $1) })
  }
}

extension Template {
  public var callerUse: CallerUse { form.callerUse }
}

extension Node {
  fileprivate var callerUse: CallerUse {
    switch self {
    case .path(let path), .has(let path): path.callerUse
    default: CallerUse(children.lazy.map(\.callerUse))
    }
  }
}

extension Path {
  fileprivate var callerUse: CallerUse {
    guard root == .caller else { return .none }
    var names: [String] = []
    for step in steps {
      guard case .name(let key) = step else { break }
      names.append(key.name)
    }
    return CallerUse(paths: [names])
  }
}

extension Template.Form {
  fileprivate var callerUse: CallerUse {
    switch self {
    case .constant: .none
    case .expression(let expression): expression.callerUse
    case .text(let pieces):
      CallerUse(
        pieces.map { piece in if case .expression(let expression) = piece { expression.callerUse } else { .none } }
      )
    case .array(let templates): CallerUse(templates.map(\.callerUse))
    case .object(let members): CallerUse(members.map(\.template.callerUse))
    case .each(let list, let body): CallerUse([list.callerUse, body.callerUse])
    }
  }
}
