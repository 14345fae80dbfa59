public import Expressions
internal import JSON

extension FieldType {
  /// Returns whether a value may stand in a field of this type. Null never may: whether a field may be empty is not a
  /// matter of its type. Nothing is coerced: a text of digits is no number, a number is no text.
  ///
  /// A `date` is a `date-time` of RFC 3339, a `url` is a text that ``TextFormat/isURL(_:)`` takes, an `integer` a
  /// number without a fraction (`3.0` is one). Complexity: O(1) for scalars but texts; O(n) for texts and lists.
  public func admits(_ value: Value) -> Bool {
    switch self {
    case .any: !value.isNull
    case .string: value.kind == .string
    case .number: value.kind == .number
    case .integer: value.isInteger
    case .boolean: value.kind == .boolean
    case .object: value.kind == .object
    case .url: value.withText { TextFormat.isURL($0) } ?? false
    case .date: value.withText { TextFormat.isDateTime($0) } ?? false
    case .oneOf(let choices):
      value.withText { text in choices.contains { $0.utf8.elementsEqual(text) } } ?? false
    case .list(let type): value.allElements { type.admits($0) }
    }
  }

  /// The type in words for people: `a list of numbers` is of the same form as `a text`.
  public var expectation: String {
    switch self {
    case .string: "a text"
    case .number: "a number"
    case .integer: "a number without a fraction"
    case .boolean: "true or false"
    case .url: "a URL (https://… or /…)"
    case .date: "a date and time as 2026-11-21T04:00:00Z"
    case .object: "an object"
    case .any: "a value"
    case .list(let type): "a list, each element \(type.expectation)"
    case .oneOf(let choices): "one of \(choices.map { "“\($0)”" }.joined(separator: ", "))"
    }
  }
}

extension Value {
  /// Calls the body with the UTF-8 of a string; nil for what is none.
  public func withText<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result? {
    switch self {
    case .text(let string): return body(string.bytes)
    case .string(var string): return string.withUTF8(body)
    case .json(let view): return view.string.map { body($0.bytes) }
    case .null, .bool, .integer, .unsigned, .number, .array, .object: return nil
    }
  }

  fileprivate var isInteger: Bool {
    switch self {
    case .integer, .unsigned: true
    case .number(let number): number.rounded(.towardZero) == number
    case .null, .bool, .string, .text, .json, .array, .object: false
    }
  }

  fileprivate func allElements(_ holds: (Value) -> Bool) -> Bool {
    switch self {
    case .array(let elements): return elements.allSatisfy(holds)
    case .json(let view):
      guard view.kind == .array else { return false }
      for element in view.elements where !holds(Value(element)) { return false }
      return true
    case .null, .bool, .integer, .unsigned, .number, .string, .text, .object: return false
    }
  }
}
