public import JSON

/// The value of an expression. Strings and containers of a document are views on it: not copied, and valid only while
/// the document lives. `JSONValue(value)` copies.
public enum Value {
  case null
  case bool(Bool)
  case integer(Int64)
  /// Above `Int64.max`.
  case unsigned(UInt64)
  /// Finite.
  case number(Double)
  /// Made by the language.
  case string(String)
  /// A string in a document.
  case text(JSONString)
  /// An array or an object in a document.
  case json(JSONView)
  /// Made by the language.
  case array([Value])
  /// Made by the language.
  case object([Member])

  public struct Member {
    public var name: String
    public var value: Value

    public init(name: String, value: Value) { (self.name, self.value) = (name, value) }
  }

  public enum Kind: String, Sendable {
    case null, boolean, number, string, array, object
  }

  /// A view becomes the plain value where it has one.
  @inlinable
  public init(_ view: JSONView) {
    switch view.kind {
    case .null: self = .null
    case .bool: self = .bool(view.bool ?? false)
    case .integer: self = .integer(view.int64 ?? 0)
    case .double: self = .number(view.double ?? 0)
    case .string: if let string = view.string { self = .text(string) } else { self = .null }
    case .unsigned: self = .unsigned(view.uint64 ?? 0)
    case .array, .object: self = .json(view)
    }
  }

  public init(_ value: JSONValue) {
    switch value {
    case .null: self = .null
    case .bool(let value): self = .bool(value)
    case .integer(let value): self = .integer(value)
    case .unsigned(let value): self = .unsigned(value)
    case .double(let value): self = value.isFinite ? .number(value) : .null
    case .string(let value): self = .string(value)
    case .array(let elements): self = .array(elements.map { Value($0) })
    case .object(let members): self = .object(members.map { Member(name: $0.name, value: Value($0.value)) })
    }
  }

  public var kind: Kind {
    switch self {
    case .null: .null
    case .bool: .boolean
    case .integer, .unsigned, .number: .number
    case .string, .text: .string
    case .array: .array
    case .object: .object
    case .json(let view):
      switch view.kind {
      case .null: .null
      case .bool: .boolean
      case .integer, .unsigned, .double: .number
      case .string: .string
      case .array: .array
      case .object: .object
      }
    }
  }

  public var isNull: Bool { kind == .null }

  /// False for null, false, 0 and the empty string; true for everything else, empty lists too.
  public var isTruthy: Bool {
    switch self {
    case .null: false
    case .bool(let value): value
    case .integer(let value): value != 0
    case .unsigned: true
    case .number(let value): value != 0
    case .string(let value): !value.isEmpty
    case .text(let value): !value.isEmpty
    case .json, .array, .object: true
    }
  }
}
