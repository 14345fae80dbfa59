/// Splits a text into tokens.
struct Lexer {
  private let text: [UInt8]
  private var position = 0

  init(_ text: String) { self.text = Array(text.utf8) }

  /// All tokens, `end` last.
  static func tokens(of text: String) throws(ExpressionError) -> [Token] {
    guard text.utf8.count <= Expression.maximumLength else {
      throw ExpressionError(
        "an expression may have \(Expression.maximumLength) bytes, this has \(text.utf8.count)",
        offset: Expression.maximumLength
      )
    }
    var lexer = Lexer(text)
    var tokens: [Token] = []
    while let token = try lexer.next() { tokens.append(token) }
    tokens.append(Token(kind: .end, offset: lexer.text.count))
    return tokens
  }

  private func byte(_ distance: Int = 0) -> UInt8 {
    position + distance < text.count ? text[position + distance] : 0
  }

  private mutating func next() throws(ExpressionError) -> Token? {
    while position < text.count, [0x20, 0x09, 0x0A, 0x0D].contains(text[position]) { position += 1 }
    guard position < text.count else { return nil }
    let start = position
    let kind: Token.Kind =
      switch text[position] {
      case UInt8(ascii: "'"), UInt8(ascii: "\""): .string(try string())
      case UInt8(ascii: "0")...UInt8(ascii: "9"): try number()
      case UInt8(ascii: "$"): try root()
      case let byte where Self.startsName(byte): .name(name())
      default: .symbol(try symbol())
      }
    return Token(kind: kind, offset: start)
  }

  private static func startsName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"), 0x80...: true
    default: false
    }
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }

  private mutating func name() -> String {
    let start = position
    while position < text.count, Self.startsName(text[position]) || Self.isDigit(text[position]) { position += 1 }
    return String(decoding: text[start..<position], as: UTF8.self)
  }

  private mutating func root() throws(ExpressionError) -> Token.Kind {
    position += 1
    guard Self.startsName(byte()) else {
      let hint = byte() == UInt8(ascii: "{") ? "`${…}` stands around an expression, not in it" : "a root is expected"
      throw ExpressionError("\(hint): \(Path.Root.allNames)", offset: position - 1)
    }
    return .root(name())
  }

  private mutating func number() throws(ExpressionError) -> Token.Kind {
    let start = position
    while Self.isDigit(byte()) { position += 1 }
    var isInteger = true
    if byte() == UInt8(ascii: "."), Self.isDigit(byte(1)) {
      isInteger = false
      position += 1
      while Self.isDigit(byte()) { position += 1 }
    }
    if byte() | 0x20 == UInt8(ascii: "e") {
      let sign = byte(1) == UInt8(ascii: "+") || byte(1) == UInt8(ascii: "-") ? 1 : 0
      if Self.isDigit(byte(1 + sign)) {
        isInteger = false
        position += 1 + sign
        while Self.isDigit(byte()) { position += 1 }
      }
    }
    let digits = String(decoding: text[start..<position], as: UTF8.self)
    if Self.startsName(byte()) {
      throw ExpressionError(
        "a name can't start with a digit; a member of such a name is written ['\(digits)\(name())']",
        offset: start
      )
    }
    if isInteger, let value = Int64(digits) { return .integer(value) }
    if isInteger, let value = UInt64(digits) { return .unsigned(value) }
    guard let value = Double(digits), value.isFinite else {
      throw ExpressionError("the number \(digits.prefix(20)) is too big", offset: start)
    }
    return .number(value)
  }

  private mutating func string() throws(ExpressionError) -> String {
    let start = position
    let quote = text[position]
    position += 1
    var bytes: [UInt8] = []
    while position < text.count, text[position] != quote {
      if text[position] == UInt8(ascii: "\\") {
        try escape(into: &bytes)
      } else {
        bytes.append(text[position])
        position += 1
      }
    }
    guard position < text.count else {
      let mark = quote == UInt8(ascii: "'") ? "'" : "\""
      throw ExpressionError("the string that starts here has no closing \(mark)", offset: start)
    }
    position += 1
    return String(decoding: bytes, as: UTF8.self)
  }

  private mutating func escape(into bytes: inout [UInt8]) throws(ExpressionError) {
    let start = position
    let escaped = byte(1)
    position += 2
    switch escaped {
    case UInt8(ascii: "n"): bytes.append(0x0A)
    case UInt8(ascii: "t"): bytes.append(0x09)
    case UInt8(ascii: "r"): bytes.append(0x0D)
    case UInt8(ascii: "\\"), UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "/"), UInt8(ascii: "$"):
      bytes.append(escaped)
    case UInt8(ascii: "u"):
      let digits = text[min(position, text.count)..<min(position + 4, text.count)]
      guard digits.count == 4, let code = UInt32(String(decoding: digits, as: UTF8.self), radix: 16),
        let scalar = Unicode.Scalar(code)
      else { throw ExpressionError("\\u takes four hexadecimal digits of a character", offset: start) }
      bytes.append(contentsOf: String(scalar).utf8)
      position += 4
    default:
      throw ExpressionError("unknown escape; there are \\n \\t \\r \\\\ \\' \\\" \\/ \\$ \\uXXXX", offset: start)
    }
  }

  private static let symbols = ["==", "!=", "<=", ">=", "&&", "||", "??"] + "+-*/%<>!?:|.,()[]".map { String($0) }

  private mutating func symbol() throws(ExpressionError) -> String {
    let rest = text[position...]
    if rest.starts(with: "===".utf8) || rest.starts(with: "!==".utf8) {
      throw ExpressionError("`==` and `!=` compare; there is no third =", offset: position)
    }
    if rest.starts(with: "?.".utf8), Self.startsName(byte(2)) {
      throw ExpressionError("`.` is enough: a member of null is null", offset: position)
    }
    for symbol in Self.symbols where rest.starts(with: symbol.utf8) {
      position += symbol.utf8.count
      return symbol
    }
    switch text[position] {
    case UInt8(ascii: "="): throw ExpressionError("`=` is no operator; `==` compares", offset: position)
    case UInt8(ascii: "&"): throw ExpressionError("`&` is no operator; `&&` is and", offset: position)
    case UInt8(ascii: "{"), UInt8(ascii: "}"):
      throw ExpressionError("there are no objects in expressions; a template has them", offset: position)
    case let byte:
      let character = byte > 0x20 && byte < 0x7F ? "`\(Character(Unicode.Scalar(byte)))`" : "this character"
      throw ExpressionError("\(character) means nothing here", offset: position)
    }
  }
}
