import JSON

/// Templates that are evaluated together, item after item: the fields of a payload.
///
/// Where a template is a path, or a text, what it is made of lies in memory without references, so that evaluating it
/// counts none but those of expressions that are more than a path.
///
/// `@unchecked Sendable`: the memory is written in `init` alone and freed in `deinit` alone.
public final class TemplateList: @unchecked Sendable {
  /// Keep the compiled paths that `forms` and `pieces` point to.
  private let templates: [Template]
  /// The texts that are more than a path.
  private let expressions: [Expression]
  let forms: UnsafeMutableBufferPointer<Form>
  let pieces: UnsafeMutableBufferPointer<Piece>
  private let literals: UnsafeMutableBufferPointer<UInt8>

  enum Form {
    case path(Unmanaged<CompiledPath>)
    /// A part of `pieces`.
    case text(start: Int, end: Int)
    case other
  }

  enum Piece {
    /// A part of `literals`.
    case literal(UnsafeBufferPointer<UInt8>)
    case path(Unmanaged<CompiledPath>)
    /// An index into `expressions`.
    case expression(Int)
  }

  public init(_ templates: [Template]) {
    self.templates = templates
    let texts = templates.map(\.textPieces)
    expressions = texts.joined().compactMap { $0.path == nil ? $0.expression : nil }
    let bytes = texts.joined().map { piece in
      if case .literal(let literal) = piece { Array(literal.utf8) } else { [UInt8]() }
    }
    literals = .allocate(capacity: bytes.reduce(0) { $0 + $1.count })
    _ = literals.initialize(from: bytes.joined())
    pieces = .allocate(capacity: bytes.count)
    forms = .allocate(capacity: templates.count)
    var (piece, literal, expression) = (0, 0, 0)
    for (slot, template) in templates.enumerated() {
      let start = piece
      for part in texts[slot] {
        let compiled: Piece
        if let path = part.path {
          compiled = .path(.passUnretained(path))
        } else if part.expression != nil {
          compiled = .expression(expression)
          expression += 1
        } else {
          compiled = .literal(UnsafeBufferPointer(rebasing: literals[literal..<literal + bytes[piece].count]))
        }
        pieces.initializeElement(at: piece, to: compiled)
        literal += bytes[piece].count
        piece += 1
      }
      var form = piece > start ? Form.text(start: start, end: piece) : .other
      if let path = template.expression?.path { form = .path(.passUnretained(path)) }
      forms.initializeElement(at: slot, to: form)
    }
  }

  deinit {
    forms.deallocate()
    pieces.deallocate()
    literals.deallocate()
  }

  /// How many there are.
  public var count: Int { forms.count }

  /// The value of one; a text is made in `arena` and lives as long as it does there.
  public func value(at slot: Int, in scope: Scope, arena: TextArena) throws(EvaluationError) -> Value {
    switch forms[slot] {
    case .path(let path): return try value(of: path, in: scope)
    case .text(let start, let end):
      arena.begin()
      for position in start..<end {
        switch pieces[position] {
        case .literal(let bytes): arena.append(bytes)
        case .path(let path): try append(value(of: path, in: scope), to: arena, scope)
        case .expression(let position): try append(expressions[position].evaluate(in: scope), to: arena, scope)
        }
      }
      guard arena.count <= Arithmetic.maximumText else { throw Arithmetic.tooLong("the template") }
      return .text(arena.finish())
    case .other: return try templates[slot].evaluate(in: scope)
    }
  }

  private func value(of path: Unmanaged<CompiledPath>, in scope: Scope) throws(EvaluationError) -> Value {
    if let value = path._withUnsafeGuaranteedRef({ $0.freeValue(in: scope) }) { return value }
    return try path.takeUnretainedValue().value(in: scope)
  }

  @inline(__always)
  private func append(_ value: Value, to arena: TextArena, _ scope: Scope) throws(EvaluationError) {
    if let budget = scope.budget { try budget.chargeText(of: value, byte: 1) }
    value.append(to: arena)
  }
}

extension Template.Piece {
  fileprivate var expression: Expression? {
    if case .expression(let expression) = self { expression } else { nil }
  }

  fileprivate var path: CompiledPath? { expression?.path }
}
