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
    let pieces = try TemplateText.pieces(of: text, lookups, at: path)
    switch (pieces.first, pieces.count) {
    case (nil, _): self.init(constant: .string(""))
    case (.literal(let text)?, 1): self.init(constant: .string(text))
    case (.expression(let expression)?, 1): self.init(expression: expression)
    default: self.init(.text(pieces))
    }
  }
}

/// Splits a string at its `${…}`.
enum TemplateText {
  static func pieces(
    of text: String,
    _ lookups: Set<String>,
    at path: [TemplatePathComponent]
  ) throws(TemplateError) -> [Template.Piece] {
    let bytes = Array(text.utf8)
    var pieces: [Template.Piece] = []
    var literal: [UInt8] = []
    var position = 0
    while position < bytes.count {
      if bytes[position...].starts(with: "$${".utf8) {
        literal += Array("${".utf8)
        position += 3
      } else if bytes[position...].starts(with: "${".utf8) {
        if !literal.isEmpty { pieces.append(.literal(String(decoding: literal, as: UTF8.self))) }
        literal = []
        let start = position + 2
        guard let end = endOfExpression(in: bytes, from: start) else {
          throw TemplateError(
            "${ is not closed: } is missing ($${ stands for a plain ${)",
            path: path,
            offset: position
          )
        }
        do throws(ExpressionError) {
          let body = String(decoding: bytes[start..<end], as: UTF8.self)
          pieces.append(.expression(try Expression(body, lookups: lookups)))
        } catch {
          throw TemplateError(error.message, path: path, offset: start + error.offset)
        }
        position = end + 1
      } else {
        literal.append(bytes[position])
        position += 1
      }
    }
    if !literal.isEmpty { pieces.append(.literal(String(decoding: literal, as: UTF8.self))) }
    return pieces
  }

  /// The closing brace; those in quoted strings don't count.
  private static func endOfExpression(in bytes: [UInt8], from start: Int) -> Int? {
    var quote: UInt8?
    var position = start
    while position < bytes.count {
      let byte = bytes[position]
      if let open = quote {
        if byte == UInt8(ascii: "\\") { position += 1 } else if byte == open { quote = nil }
      } else if byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") {
        quote = byte
      } else if byte == UInt8(ascii: "}") {
        return position
      }
      position += 1
    }
    return nil
  }
}
