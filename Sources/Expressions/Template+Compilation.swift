public import JSON

extension Template {
  /// Compiles what a configuration says.
  ///
  /// - Parameter lookups: names that are roots beside the language's own, as for ``Expression``.
  public init(_ source: JSONValue, lookups: Set<String> = []) throws(TemplateError) {
    try self.init(source, lookups, at: [])
  }

  /// Compiles a string.
  public init(text: String) throws(TemplateError) { try self.init(.string(text), [], at: []) }

  private init(
    _ source: JSONValue,
    _ lookups: Set<String>,
    at path: [TemplatePathComponent]
  ) throws(TemplateError) {
    guard path.count <= Expression.maximumDepth else {
      throw TemplateError("nested deeper than \(Expression.maximumDepth)", path: path)
    }
    switch source {
    case .null, .bool, .integer, .unsigned, .double: self.init(constant: source)
    case .string(let text): try self.init(text, lookups, at: path)
    case .array(let elements):
      var templates: [Template] = []
      for (index, element) in elements.enumerated() {
        templates.append(try Template(element, lookups, at: path + [.index(index)]))
      }
      let constants = templates.compactMap(\.constant)
      if constants.count == templates.count {
        self.init(constant: .array(constants))
      } else {
        self.init(.array(templates))
      }
    case .object(let members): try self.init(members, lookups, at: path)
    }
  }

  private init(
    _ members: [JSONValue.Member],
    _ lookups: Set<String>,
    at path: [TemplatePathComponent]
  ) throws(TemplateError) {
    var list: JSONValue?
    var value: Template?
    var compiled: [Member] = []
    for member in members {
      let path = path + [.name(member.name)]
      switch member.name {
      case "$each": list = member.value
      case "$value": value = try Template(member.value, lookups, at: path)
      case let name where name.hasPrefix("$$"):
        compiled.append(Member(name: String(name.dropFirst()), template: try Template(member.value, lookups, at: path)))
      case let name where name.hasPrefix("$"):
        throw TemplateError("there are $each and $value; a member named \(name) is written $\(name)", path: path)
      default: compiled.append(Member(name: member.name, template: try Template(member.value, lookups, at: path)))
      }
    }
    guard let list else {
      if value != nil { throw TemplateError("$value needs $each beside it", path: path) }
      self = Self.object(compiled)
      return
    }
    let listPath = path + [.name("$each")]
    guard case .string(let text) = list, let expression = try Template(text, lookups, at: listPath).expression else {
      throw TemplateError("$each takes one expression: $each: ${replies}", path: listPath)
    }
    if value != nil, !compiled.isEmpty { throw TemplateError("beside $value there is only $each", path: path) }
    self.init(.each(expression, value ?? Self.object(compiled)))
  }

  private static func object(_ members: [Member]) -> Template {
    var constants: [JSONValue.Member] = []
    for member in members {
      guard let constant = member.template.constant else { return Template(.object(members)) }
      constants.append(JSONValue.Member(name: member.name, value: constant))
    }
    return Template(constant: .object(constants))
  }

  private init(
    _ text: String,
    _ lookups: Set<String>,
    at path: [TemplatePathComponent]
  ) throws(TemplateError) {
    let pieces = try TemplateParts(text).pieces(lookups, at: path)
    switch (pieces.first, pieces.count) {
    case (nil, _): self.init(constant: .string(""))
    case (.literal(let text)?, 1): self.init(constant: .string(text))
    case (.expression(let expression)?, 1): self.init(expression: expression)
    default: self.init(.text(pieces))
    }
  }
}

extension TemplateParts {
  /// Compiled, with a plain `${` where `$${` was written.
  fileprivate func pieces(
    _ lookups: Set<String>,
    at path: [TemplatePathComponent]
  ) throws(TemplateError) -> [Template.Piece] {
    if let unclosed {
      throw TemplateError("${ is not closed: } is missing ($${ stands for a plain ${)", path: path, offset: unclosed)
    }
    var pieces: [Template.Piece] = []
    for part in parts {
      switch part {
      case .literal(let text): pieces.append(.literal(String(text).replacing("$${", with: "${")))
      case .expression(let text):
        do throws(ExpressionError) {
          pieces.append(.expression(try Expression(String(text), lookups: lookups)))
        } catch {
          throw TemplateError(error.message, path: path, offset: offset(of: text) + error.offset)
        }
      }
    }
    return pieces
  }
}
