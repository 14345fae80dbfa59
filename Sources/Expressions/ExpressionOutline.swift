/// The names in an expression and their places: environment variables, parameters, roots, and the constants that it can
/// result in. A check of a configuration uses it to point at what is wrong.
public struct ExpressionOutline {
  public struct Name: Equatable, Sendable {
    public var name: String
    /// In bytes of UTF-8.
    public var offset: Int
    /// There is something for its being missing: `env.X ?? …`, `has(env.X)`.
    public var hasDefault: Bool
  }

  private let tokens: [Token]

  /// A text that is no expression has no names.
  public init(_ text: some StringProtocol) { tokens = (try? Lexer.tokens(of: String(text))) ?? [] }

  /// `NAME` of every `root.NAME` and `root['NAME']`; a root is written as in the expression: `env`, `$params`.
  public func names(under root: String) -> [Name] {
    tokens.indices.compactMap { index in
      guard tokens[index].isWord(root), token(index - 1) != .symbol("."), let link = token(index + 1) else {
        return nil
      }
      let name: String
      var next = index + 3
      switch (link, token(index + 2)) {
      case (.symbol("."), .name(let word)?): name = word
      case (.symbol("["), .string(let text)?):
        name = text
        next += 1
      default: return nil
      }
      let isAsked = token(index - 1) == .symbol("(") && token(index - 2) == .name("has")
      return Name(name: name, offset: tokens[index].offset, hasDefault: isAsked || token(next) == .symbol("??"))
    }
  }

  /// Returns the first place of a name or root (`$item`), in bytes of UTF-8.
  public func offset(of word: String) -> Int? { tokens.first { $0.isWord(word) }?.offset }

  /// The texts that a chain of `? :` can result in; nil where one of its ends is no constant text.
  public var constants: [String]? { constants(in: 0..<max(0, tokens.count - 1)) }

  private func token(_ index: Int) -> Token.Kind? { tokens.indices.contains(index) ? tokens[index].kind : nil }

  private func constants(in range: Range<Int>) -> [String]? {
    if range.count == 1, case .string(let text)? = token(range.lowerBound) { return [text] }
    if range.count > 2, token(range.lowerBound) == .symbol("("), closing(range.lowerBound) == range.upperBound - 1 {
      return constants(in: range.lowerBound + 1..<range.upperBound - 1)
    }
    var depth = 0
    var question: Int?
    var nested = 0
    for index in range {
      switch token(index) {
      case .symbol("(")?, .symbol("[")?: depth += 1
      case .symbol(")")?, .symbol("]")?: depth -= 1
      case .symbol("?")? where depth == 0:
        if question == nil { question = index } else { nested += 1 }
      case .symbol(":")? where depth == 0 && question != nil:
        if nested > 0 {
          nested -= 1
        } else if let question {
          guard let first = constants(in: question + 1..<index),
            let second = constants(in: index + 1..<range.upperBound)
          else { return nil }
          return first + second
        }
      default: break
      }
    }
    return nil
  }

  private func closing(_ opening: Int) -> Int? {
    var depth = 0
    for index in opening..<tokens.count {
      if token(index) == .symbol("(") { depth += 1 }
      if token(index) == .symbol(")") {
        depth -= 1
        if depth == 0 { return index }
      }
    }
    return nil
  }
}

extension Token {
  fileprivate func isWord(_ word: String) -> Bool {
    switch kind {
    case .name(let name): name == word
    case .root(let name): word == "$\(name)"
    case .string, .integer, .unsigned, .number, .symbol, .end: false
    }
  }
}
