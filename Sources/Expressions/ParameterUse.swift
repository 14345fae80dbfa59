import JSON

/// The parameters of a table that an expression or template reads, or the variables of the environment: with other
/// values of the others it has the same result.
public enum ParameterUse: Equatable, Sendable {
  case named(Set<String>)
  /// `$params` or `env` as a whole, or a name that is computed.
  case all

  public static let none = ParameterUse.named([])

  public mutating func formUnion(_ other: ParameterUse) {
    guard case .named(let own) = self, case .named(let others) = other else { return self = .all }
    self = .named(own.union(others))
  }

  /// The values that count. O(parameters).
  public func values(of parameters: [String: String]) -> [String: String] {
    switch self {
    case .all: parameters
    case .named(let names): parameters.filter { names.contains($0.key) }
    }
  }

  /// All of them together.
  public init(_ uses: some Sequence<ParameterUse>) { self = uses.reduce(into: .none) { $0.formUnion($1) } }
}

extension Expression {
  public var parameterUse: ParameterUse { root.use(of: .parameters) }

  /// The variables of the environment that it reads.
  public var environmentUse: ParameterUse { root.use(of: .environment) }
}

extension Template {
  public var parameterUse: ParameterUse { form.use(of: .parameters) }

  /// The variables of the environment that it reads.
  public var environmentUse: ParameterUse { form.use(of: .environment) }
}

extension Node {
  fileprivate func use(of root: Path.Root) -> ParameterUse {
    switch self {
    case .path(let path), .has(let path): path.use(of: root)
    default: ParameterUse(children.map { $0.use(of: root) })
    }
  }
}

extension Path {
  fileprivate func use(of root: Root) -> ParameterUse {
    guard self.root == root else { return .none }
    guard case .name(let key)? = steps.first else { return .all }
    return .named([key.name])
  }
}

extension Template.Form {
  fileprivate func use(of root: Path.Root) -> ParameterUse {
    switch self {
    case .constant: .none
    case .expression(let expression): expression.root.use(of: root)
    case .text(let pieces):
      ParameterUse(
        pieces.map { if case .expression(let expression) = $0 { expression.root.use(of: root) } else { .none } }
      )
    case .array(let templates): ParameterUse(templates.map { $0.form.use(of: root) })
    case .object(let members): ParameterUse(members.map { $0.template.form.use(of: root) })
    case .each(let list, let body): ParameterUse([list.root.use(of: root), body.form.use(of: root)])
    }
  }
}
