import JSON

/// Templates that are evaluated together, item after item: the fields of a payload.
///
/// Where a template is a path, or a text of paths, what it is made of lies in memory without references, so that
/// evaluating it counts none.
///
/// `@unchecked Sendable`: the memory is written in `init` alone and freed in `deinit` alone.
public final class TemplateList: @unchecked Sendable {
  /// Keep the compiled paths that `forms` and `pieces` point to.
  private let templates: [Template]
  private let forms: UnsafeMutableBufferPointer<Form>
  private let pieces: UnsafeMutableBufferPointer<Piece>
  private let literals: UnsafeMutableBufferPointer<UInt8>

  private enum Form {
    case path(Unmanaged<CompiledPath>)
    /// A part of `pieces`.
    case text(start: Int, end: Int)
    case other
  }

  private enum Piece {
    /// A part of `literals`.
    case literal(UnsafeBufferPointer<UInt8>)
    case path(Unmanaged<CompiledPath>)
  }

  public init(_ templates: [Template]) {
    self.templates = templates
    let texts = templates.map { $0.textOfPaths ?? [] }
    let bytes = texts.joined().map { piece in
      if case .literal(let literal) = piece { Array(literal.utf8) } else { [UInt8]() }
    }
    literals = .allocate(capacity: bytes.reduce(0) { $0 + $1.count })
    _ = literals.initialize(from: bytes.joined())
    pieces = .allocate(capacity: bytes.count)
    forms = .allocate(capacity: templates.count)
    var (piece, literal) = (0, 0)
    for (slot, template) in templates.enumerated() {
      let start = piece
      for part in texts[slot] {
        let compiled: Piece
        if let path = part.path {
          compiled = .path(.passUnretained(path))
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
    case .path(let path): return path._withUnsafeGuaranteedRef { $0.value(in: scope) }
    case .text(let start, let end):
      arena.begin()
      for position in start..<end {
        switch pieces[position] {
        case .literal(let bytes): arena.append(bytes)
        case .path(let path): path._withUnsafeGuaranteedRef { $0.value(in: scope) }.append(to: arena)
        }
      }
      guard arena.count <= Arithmetic.maximumText else { throw Arithmetic.tooLong("the template") }
      return .text(arena.finish())
    case .other: return try templates[slot].evaluate(in: scope, arena: arena)
    }
  }
}

extension Template {
  /// The pieces of a text whose expressions are all paths; nil for everything else.
  fileprivate var textOfPaths: [Piece]? {
    guard case .text(let pieces) = form else { return nil }
    let areKnown = pieces.allSatisfy { piece in
      switch piece {
      case .literal: true
      case .expression(let expression): expression.path != nil
      }
    }
    return areKnown ? pieces : nil
  }
}

extension Template.Piece {
  fileprivate var path: CompiledPath? {
    switch self {
    case .literal: nil
    case .expression(let expression): expression.path
    }
  }
}
