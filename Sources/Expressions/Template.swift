public import JSON

/// A template of a value: JSON whose strings may have `${…}` in them.
///
/// A string that is one whole `${…}` becomes the expression's value with its type; text around it makes a string, in
/// which null is nothing and arrays and objects are JSON. `$${` stands for a `${` that is meant so.
///
/// An object with a member `$each` becomes an array: its other members, or `$value` alone, are made for each element of
/// the list, which `$item` and `$index` name then. Among the elements of an array it adds its own in place.
public struct Template: Equatable, Sendable {
  /// The roots that it reads, all together.
  public let dependencies: Dependencies
  let form: Form

  indirect enum Form: Equatable, Sendable {
    case constant(JSONValue)
    case expression(Expression)
    /// Pieces of a string.
    case text([Piece])
    case array([Template])
    case object([Member])
    case each(Expression, Template)
  }

  enum Piece: Equatable, Sendable {
    case literal(String)
    case expression(Expression)
  }

  public struct Member: Equatable, Sendable {
    public let name: String
    public let template: Template

    init(name: String, template: Template) { (self.name, self.template) = (name, template) }
  }

  init(_ form: Form) {
    self.form = form
    dependencies = form.dependencies
  }

  /// A value that is always the same.
  public init(constant value: JSONValue) { self.init(.constant(value)) }

  /// A value that is one expression's.
  public init(expression: Expression) { self.init(.expression(expression)) }

  /// An object, of the templates of its members.
  public init(members: [(name: String, template: Template)]) {
    self.init(.object(members.map { Member(name: $0.name, template: $0.template) }))
  }

  /// The members of an object's template, in order; nil for what is none.
  public var members: [Member]? {
    switch form {
    case .object(let members): members
    case .constant(.object(let members)):
      members.map { Member(name: $0.name, template: Template(constant: $0.value)) }
    case .constant, .expression, .text, .array, .each: nil
    }
  }

  /// The lookups whose items it reads.
  public var lookups: Set<String> { form.lookups }

  /// As for an ``Expression``.
  public var itemSelection: MemberSelection { form.itemSelection }

  /// The value of a template that is a constant.
  public var constant: JSONValue? {
    if case .constant(let value) = form { value } else { nil }
  }

  /// Whatever the items are, it makes a string.
  public var isText: Bool {
    switch form {
    case .text, .constant(.string): true
    case .constant, .expression, .array, .object, .each: false
    }
  }

  /// The expressions in the template, where it makes a string or is one of them alone.
  ///
  /// - Parameter end: only those before this character of the text around them.
  public func interpolations(before end: Character? = nil) -> [Expression] {
    switch form {
    case .expression(let expression): return [expression]
    case .constant, .array, .object, .each: return []
    case .text(let pieces):
      let isEnd = { (piece: Piece) in
        if case .literal(let text) = piece, let end { text.contains(end) } else { false }
      }
      return pieces.prefix { !isEnd($0) }.compactMap { piece in
        if case .expression(let expression) = piece { expression } else { nil }
      }
    }
  }

  /// The expression of a template that is one whole `${…}`.
  public var expression: Expression? {
    if case .expression(let expression) = form { expression } else { nil }
  }

  /// The text that it begins with whatever is evaluated: all of one without expressions; empty where it is no text or
  /// begins with one. O(length).
  public var literalPrefix: String {
    switch form {
    case .constant(.string(let text)): return text
    case .text(let pieces):
      guard case .literal(let text)? = pieces.first else { return "" }
      return text
    case .constant, .expression, .array, .object, .each: return ""
    }
  }

  /// The pieces of a text; none of everything else.
  var textPieces: [Piece] {
    if case .text(let pieces) = form { pieces } else { [] }
  }
}

extension Template.Form {
  var dependencies: Dependencies {
    switch self {
    case .constant: []
    case .expression(let expression): expression.dependencies
    case .text(let pieces):
      pieces.reduce(into: []) { sum, piece in
        if case .expression(let expression) = piece { sum.formUnion(expression.dependencies) }
      }
    case .array(let templates): templates.reduce(into: []) { $0.formUnion($1.dependencies) }
    case .object(let members): members.reduce(into: []) { $0.formUnion($1.template.dependencies) }
    // The index inside is the element's.
    case .each(let list, let body): list.dependencies.union(body.dependencies.subtracting(.index))
    }
  }
  var lookups: Set<String> {
    switch self {
    case .constant: []
    case .expression(let expression): expression.lookups
    case .text(let pieces):
      pieces.reduce(into: []) { sum, piece in
        if case .expression(let expression) = piece { sum.formUnion(expression.lookups) }
      }
    case .array(let templates): templates.reduce(into: []) { $0.formUnion($1.lookups) }
    case .object(let members): members.reduce(into: []) { $0.formUnion($1.template.lookups) }
    case .each(let list, let body): list.lookups.union(body.lookups)
    }
  }

  var itemSelection: MemberSelection {
    switch self {
    case .constant: MemberSelection()
    case .expression(let expression): expression.itemSelection
    case .text(let pieces):
      pieces.reduce(into: MemberSelection()) { sum, piece in
        if case .expression(let expression) = piece { sum.formUnion(expression.itemSelection) }
      }
    case .array(let templates): templates.reduce(into: MemberSelection()) { $0.formUnion($1.itemSelection) }
    case .object(let members): members.reduce(into: MemberSelection()) { $0.formUnion($1.template.itemSelection) }
    case .each(let list, let body): list.itemSelection.union(body.itemSelection)
    }
  }
}
