import JSON

/// The parameters of a table that an expression or template reads: with other values of the others it has the same
/// result.
public enum ParameterUse: Equatable, Sendable {
  case named(Set<String>)
  /// `$params` as a whole, or a name that is computed.
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

  init(_ nodes: some Sequence<Node>) { self.init(nodes.lazy.map(\.parameterUse)) }

  /// All of them together.
  public init(_ uses: some Sequence<ParameterUse>) { self = uses.reduce(into: .none) { $0.formUnion($1) } }
}

extension Expression {
  public var parameterUse: ParameterUse { root.parameterUse }
}

extension Template {
  public var parameterUse: ParameterUse { form.parameterUse }
}

extension Node {
  fileprivate var parameterUse: ParameterUse {
    switch self {
    case .path(let path), .has(let path): path.parameterUse
    default: ParameterUse(children)
    }
  }
}

extension Path {
  fileprivate var parameterUse: ParameterUse {
    guard root == .parameters else { return .none }
    guard case .name(let key)? = steps.first else { return .all }
    return .named([key.name])
  }
}

extension Template.Form {
  fileprivate var parameterUse: ParameterUse {
    switch self {
    case .constant: .none
    case .expression(let expression): expression.parameterUse
    case .text(let pieces):
      ParameterUse(
        pieces.map { piece in if case .expression(let expression) = piece { expression.parameterUse } else { .none } }
      )
    case .array(let templates): ParameterUse(templates.map(\.parameterUse))
    case .object(let members): ParameterUse(members.map(\.template.parameterUse))
    case .each(let list, let body): ParameterUse([list.parameterUse, body.parameterUse])
    }
  }
}
