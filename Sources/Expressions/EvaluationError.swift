/// Why an expression has no value for an item. The item is then unfit; the expression itself is well formed.
public struct EvaluationError: Error, Equatable, Sendable, CustomStringConvertible {
  private let outline: String
  /// The start of what was met.
  private let value: String?

  public init(_ message: String) { (outline, value) = (message, nil) }

  /// A message that ends with the value that was met.
  init(_ outline: String, showing value: String) { (self.outline, self.value) = (outline, String(value.prefix(40))) }

  /// For people: names the operator or filter and what it met. Never holds an environment value.
  public var message: String { value.map { "\(outline) '\($0)'" } ?? outline }

  /// The error without values: an expression that reads the environment may not show them.
  var withoutValue: EvaluationError { EvaluationError(outline) }

  public var description: String { message }
}

/// Why a text is no expression.
public struct ExpressionError: Error, Equatable, Sendable, CustomStringConvertible {
  /// For people: what is wrong, and what would be right.
  public var message: String
  /// Where, in bytes of UTF-8 from the start of the expression's text.
  public var offset: Int

  public init(_ message: String, offset: Int) { (self.message, self.offset) = (message, offset) }

  public var description: String { "\(message) (at column \(offset + 1))" }
}

/// Why a template can't be compiled.
public struct TemplateError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The error, and what would be right.
  public var message: String
  /// The path of the member or element of the template that failed.
  public var path: [TemplatePathComponent]
  /// The error's offset in the string, in bytes of UTF-8; 0 where it is not about a string.
  public var offset: Int

  public init(_ message: String, path: [TemplatePathComponent] = [], offset: Int = 0) {
    (self.message, self.path, self.offset) = (message, path, offset)
  }

  public var description: String {
    path.isEmpty ? message : "\(path.map(\.description).joined()): \(message)"
  }
}

/// A step from a template to a part of it.
public enum TemplatePathComponent: Hashable, Sendable, CustomStringConvertible {
  case name(String)
  case index(Int)

  public var description: String {
    switch self {
    case .name(let name): ".\(name)"
    case .index(let index): "[\(index)]"
    }
  }
}
