internal import Expressions

/// What rows and groups are sorted by: copied out of the item, so that it outlives the response.
enum SortKey: Sendable {
  /// Null, a list or an object.
  case none
  case bool(Bool)
  /// Apart from other numbers: identities of 64 bits are no doubles.
  case integer(Int64)
  case number(Double)
  case text(String)

  init(_ value: Value) {
    switch value.kind {
    case .null, .array, .object: self = .none
    case .boolean: self = .bool(value.isTruthy)
    case .number: self = value.integerValue.map { .integer($0) } ?? .number(value.doubleValue ?? 0)
    case .string: self = value.text.map { .text($0) } ?? .none
    }
  }

  /// Of different kinds, false and true come first, then numbers, then texts.
  private var rank: Int {
    switch self {
    case .bool: 0
    case .integer, .number: 1
    case .text: 2
    case .none: 3
    }
  }

  /// -1, 0 or 1 in the direction asked for; what has no value comes last in both.
  func compared(with other: SortKey, descending: Bool) -> Int {
    switch (self, other) {
    case (.none, .none): return 0
    case (.none, _): return 1
    case (_, .none): return -1
    default:
      let order = ascending(other)
      return descending ? -order : order
    }
  }

  private func ascending(_ other: SortKey) -> Int {
    switch (self, other) {
    case (.bool(let first), .bool(let second)): Self.order(first ? 1 : 0, second ? 1 : 0)
    case (.integer(let first), .integer(let second)): Self.order(first, second)
    case (.integer(let first), .number(let second)): Self.order(Double(first), second)
    case (.number(let first), .integer(let second)): Self.order(first, Double(second))
    case (.number(let first), .number(let second)): Self.order(first, second)
    case (.text(let first), .text(let second)): Self.order(first, second)
    case (.none, _), (.bool, _), (.integer, _), (.number, _), (.text, _): Self.order(rank, other.rank)
    }
  }

  private static func order<Key: Comparable>(_ first: Key, _ second: Key) -> Int {
    first < second ? -1 : first == second ? 0 : 1
  }
}

extension SortKey {
  /// What an expression sees of it.
  var value: Value {
    switch self {
    case .none: .null
    case .bool(let value): .bool(value)
    case .integer(let value): .integer(value)
    case .number(let value): .number(value)
    case .text(let value): .string(value)
    }
  }
}
