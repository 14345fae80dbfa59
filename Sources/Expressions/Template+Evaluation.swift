internal import FieldValues

extension Template {
  /// The value for what is in the scope.
  public func evaluate(in scope: Scope) throws(EvaluationError) -> Value {
    // A cheap value needs no budget.
    if scope.budget == nil, isComposed { return try value(in: scope.budgeted()) }
    return try value(in: scope)
  }

  private var isComposed: Bool {
    switch form {
    case .constant, .expression: false
    case .text, .array, .object, .each: true
    }
  }

  private func value(in scope: Scope) throws(EvaluationError) -> Value {
    switch form {
    case .constant(let value): return Value(value)
    case .expression(let expression): return try expression.evaluate(in: scope)
    case .text(let pieces): return .string(try text(of: pieces, in: scope))
    case .array(let templates):
      var elements: [Value] = []
      for template in templates {
        if case .each(let list, let body) = template.form {
          elements += try Self.each(of: list, body, in: scope)
        } else {
          elements.append(try template.value(in: scope))
        }
      }
      return .array(elements)
    case .object(let members):
      var values: [Value.Member] = []
      values.reserveCapacity(members.count)
      for member in members {
        values.append(Value.Member(name: member.name, value: try member.template.value(in: scope)))
      }
      return .object(values)
    case .each(let list, let body): return .array(try Self.each(of: list, body, in: scope))
    }
  }

  /// How values are put into a text.
  public enum TextEncoding: Sendable {
    case plain
    /// Percent-encoded (RFC 3986 §2.3) but for a value that the text starts with, which is the URL's own beginning.
    case url
  }

  /// The value as text: for URLs, headers, identities. Nil where it is null, an array or an object.
  public func text(in scope: Scope, encoding: TextEncoding = .plain) throws(EvaluationError) -> String? {
    switch (form, encoding) {
    case (.text(let pieces), .plain): return try text(of: pieces, in: scope.budgeted())
    case (_, .url): return try urlPieces(in: scope)?.reduce(into: "") { $0 += $1.text }
    case (_, .plain): return try evaluate(in: scope).text
    }
  }

  private func text(of pieces: [Piece], in scope: Scope) throws(EvaluationError) -> String {
    var text = ""
    for piece in pieces {
      switch piece {
      case .literal(let literal): text += literal
      case .expression(let expression):
        let value = try expression.evaluate(in: scope)
        try scope.budget?.chargeText(of: value, byte: Cost.byte)
        value.append(to: &text)
      }
    }
    guard text.utf8.count <= Arithmetic.maximumText else { throw Arithmetic.tooLong("the template") }
    return text
  }

  private static func each(
    of list: Expression,
    _ body: Template,
    in scope: Scope
  ) throws(EvaluationError) -> [Value] {
    let input = try list.evaluate(in: scope)
    if input.isNull { return [] }
    guard let elements = input.elements else {
      throw EvaluationError("$each takes an array, not \(input.kind.phrase)")
    }
    try scope.charge(elements.count * Cost.element)
    var results: [Value] = []
    results.reserveCapacity(elements.count)
    for (index, element) in elements.enumerated() {
      try scope.charge(Cost.visit)
      let result = try body.value(in: scope.entering(element, index: index))
      try scope.budget?.chargeMade(result)
      results.append(result)
    }
    return results
  }
}

extension Template {
  /// A part of a URL's text, as it stands in it.
  public struct URLPiece: Sendable {
    public let text: String
    /// The expression of the value; nil for a written-out value, and for one that the URL begins with.
    public let expression: Expression?
  }

  /// The parts of which `text(in:encoding: .url)` is made; nil where that is null, an array or an object. O(length).
  ///
  /// - Parameter standIn: for values behind the URL's authority that can't be evaluated; nil: an error is thrown.
  public func urlPieces(in scope: Scope, standIn: String? = nil) throws(EvaluationError) -> [URLPiece]? {
    guard case .text(let pieces) = form else {
      return try evaluate(in: scope).text.map { [URLPiece(text: $0, expression: nil)] }
    }
    let scope = scope.budgeted()
    var (made, isEmpty): ([URLPiece], Bool) = ([], true)
    for piece in pieces {
      switch piece {
      case .literal(let literal): made.append(URLPiece(text: literal, expression: nil))
      case .expression(let expression):
        let value: Value
        do throws(EvaluationError) { value = try expression.evaluate(in: scope) } catch {
          guard let standIn, Self.hasAuthority(made) else { throw error }
          value = .string(standIn)
        }
        // Percent-coding costs more than a copy.
        try scope.budget?.chargeText(of: value, byte: isEmpty ? Cost.byte : 70)
        var text = ""
        value.append(to: &text)
        made.append(
          isEmpty
            ? URLPiece(text: text, expression: nil)
            : URLPiece(text: PercentCoding.encode(text), expression: expression)
        )
      }
      isEmpty = isEmpty && made.allSatisfy(\.text.isEmpty)
    }
    guard made.reduce(0, { $0 + $1.text.utf8.count }) <= Arithmetic.maximumText else {
      throw Arithmetic.tooLong("the template")
    }
    return made
  }

  /// The beginning of a URL has all of who is spoken to: user, host and port.
  private static func hasAuthority(_ pieces: [URLPiece]) -> Bool {
    let text = pieces.reduce(into: "") { $0 += $1.text }
    // Libcurl takes one to three slashes before the authority.
    let rest = text.utf8.drop { $0 != UInt8(ascii: ":") }.dropFirst().drop { $0 == UInt8(ascii: "/") }
    return rest.contains { "/?#".utf8.contains($0) }
  }
}
