/// What an expression names, read from its text: environment variables, parameters, and the constants that it can
/// result in. Strings in quotes are passed over.
struct ExpressionText {
  struct Name: Equatable {
    var name: String
    /// In bytes of UTF-8.
    var offset: Int
    /// There is something for its being missing: `env.X ?? …`, `has(env.X)`.
    var hasDefault: Bool
  }

  private enum Token: Equatable {
    case word(Substring)
    case text(String)
    case symbol(Substring)
  }

  private var tokens: [(token: Token, offset: Int)] = []

  init(_ text: some StringProtocol) {
    let text = Substring(text)
    var rest = text
    while let first = rest.first {
      let start = rest.startIndex
      if first.isWhitespace {
        rest.removeFirst()
        continue
      }
      if first == "'" || first == "\"" {
        rest.removeFirst()
        var content = ""
        while let character = rest.popFirst(), character != first {
          content.append(character == "\\" ? rest.popFirst() ?? character : character)
        }
        append(.text(content), at: start, in: text)
      } else if first.isLetter || first.isNumber || first == "_" || first == "$" {
        let word = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "$" }
        rest = rest.dropFirst(word.count)
        append(.word(word), at: start, in: text)
      } else {
        let pairs = ["??", "?.", "==", "!=", "<=", ">=", "&&", "||"]
        let symbol = rest.prefix(pairs.contains(String(rest.prefix(2))) ? 2 : 1)
        rest = rest.dropFirst(symbol.count)
        append(.symbol(symbol), at: start, in: text)
      }
    }
  }

  private mutating func append(_ token: Token, at index: Substring.Index, in text: Substring) {
    tokens.append((token, text.utf8.distance(from: text.startIndex, to: index)))
  }

  /// `NAME` of every `root.NAME` and `root['NAME']`.
  func names(under root: String) -> [Name] {
    tokens.indices.compactMap { index in
      guard tokens[index].token == .word(Substring(root)), token(index - 1) != .symbol("."), let link = token(index + 1)
      else { return nil }
      let name: String
      var next = index + 3
      switch (link, token(index + 2)) {
      case (.symbol("."), .word(let word)?): name = String(word)
      case (.symbol("["), .text(let text)?):
        name = text
        next += 1
      default: return nil
      }
      let isAsked = token(index - 1) == .symbol("(") && token(index - 2) == .word("has")
      return Name(
        name: name,
        offset: tokens[index].offset,
        hasDefault: isAsked || token(next) == .symbol("??")
      )
    }
  }

  /// Where a name or root first stands, in bytes of UTF-8.
  func offset(of word: String) -> Int? { tokens.first { $0.token == .word(Substring(word)) }?.offset }

  private func token(_ index: Int) -> Token? { tokens.indices.contains(index) ? tokens[index].token : nil }

  /// The texts that a chain of `? :` can result in; nil where one of its ends is no constant text.
  var constants: [String]? { constants(in: 0..<tokens.count) }

  private func constants(in range: Range<Int>) -> [String]? {
    if range.count == 1, case .text(let text)? = token(range.lowerBound) { return [text] }
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
