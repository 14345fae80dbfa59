/// A word of an expression, and where it stands.
struct Token: Equatable {
  var kind: Kind
  /// In bytes from the start of the text.
  var offset: Int

  enum Kind: Equatable {
    case name(String)
    /// A root: what follows `$`.
    case root(String)
    case string(String)
    case integer(Int64)
    /// Above `Int64.max`.
    case unsigned(UInt64)
    case number(Double)
    /// An operator or a bracket.
    case symbol(String)
    case end
  }

  /// As a message names it.
  var phrase: String {
    switch kind {
    case .name(let name): "“\(name)”"
    case .root(let name): "“$\(name)”"
    case .string(let text): "the string '\(text)'"
    case .integer(let value): "the number \(value)"
    case .unsigned(let value): "the number \(value)"
    case .number(let value): "the number \(value)"
    case .symbol(let symbol): "`\(symbol)`"
    case .end: "the end"
    }
  }
}
