internal import Expressions
internal import FieldValues
internal import JSON

/// The value that rows and groups are sorted by: copied out of the item, so that it outlives the response.
enum SortKey: Sendable {
  /// Null, a list or an object.
  case none
  case bool(Bool)
  /// Apart from other numbers: identities of 64 bits are no doubles.
  case integer(Int64)
  /// Above `Int64.max`.
  case unsigned(UInt64)
  case number(Double)
  case text(String)
  /// A text by its place in the order of a language, or in a natural one.
  case ordered([UInt8])

  init(_ value: Value, textsBy order: TextOrder? = nil) {
    switch value.kind {
    case .null, .array, .object: self = .none
    case .boolean: self = .bool(value.isTruthy)
    case .number:
      if let integer = value.integerValue {
        self = .integer(integer)
      } else if case .unsigned(let unsigned) = value {
        self = .unsigned(unsigned)
      } else {
        self = .number(value.doubleValue ?? 0)
      }
    case .string:
      let text = value.text ?? ""
      self = order.map { .ordered($0.key(of: text)) } ?? .text(text)
    }
  }

  /// Returns whether both are of one kind and the same to the byte, so that nothing sorts them apart.
  func isExactly(_ other: SortKey) -> Bool {
    switch (self, other) {
    case (.none, .none): true
    case (.bool(let first), .bool(let second)): first == second
    case (.integer(let first), .integer(let second)): first == second
    case (.unsigned(let first), .unsigned(let second)): first == second
    case (.number(let first), .number(let second)): first == second
    case (.text(let first), .text(let second)): first.isExactly(second)
    case (.ordered(let first), .ordered(let second)): first == second
    default: false
    }
  }

  /// Kinds are sorted: false and true come first, then numbers, then texts.
  private var rank: Int {
    switch self {
    case .bool: 0
    case .integer, .unsigned, .number: 1
    case .text, .ordered: 2
    case .none: 3
    }
  }

  /// The first eight bytes of what it is compared by, among others of its kind: those that differ decide. Nil where there are
  /// no such.
  var head: (kind: UInt8, bytes: UInt64)? {
    switch self {
    case .integer(let value): (0, UInt64(bitPattern: value) ^ 1 << 63)
    case .text(let text): (1, Self.head(of: text.utf8))
    case .ordered(let key): (2, Self.head(of: key))
    case .none, .bool, .unsigned, .number: nil
    }
  }

  private static func head(of bytes: some Sequence<UInt8>) -> UInt64 {
    var (head, left): (UInt64, UInt64) = (0, 8)
    for byte in bytes {
      head = head << 8 | UInt64(byte)
      left -= 1
      if left == 0 { return head }
    }
    return head << (8 * left)
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
    case (.unsigned(let first), .unsigned(let second)): Self.order(first, second)
    case (.integer, .unsigned): -1
    case (.unsigned, .integer): 1
    case (.number(let first), .number(let second)): Self.order(first, second)
    case (.text(let first), .text(let second)):
      first.precedesExactly(second) ? -1 : second.precedesExactly(first) ? 1 : 0
    case (.ordered(let first), .ordered(let second)):
      first.lexicographicallyPrecedes(second) ? -1 : second.lexicographicallyPrecedes(first) ? 1 : 0
    default:
      if isNumber, other.isNumber {
        // Exactly: as a `Double` an integer may be the same as numbers that stand apart.
        value.precedes(other.value) ? -1 : other.value.precedes(value) ? 1 : 0
      } else {
        Self.order(rank, other.rank)
      }
    }
  }

  private var isNumber: Bool {
    switch self {
    case .integer, .unsigned, .number: true
    case .none, .bool, .text, .ordered: false
    }
  }

  private static func order<Key: Comparable>(_ first: Key, _ second: Key) -> Int {
    first < second ? -1 : first == second ? 0 : 1
  }
}

extension SortKey {
  /// The value that an expression sees.
  var value: Value {
    switch self {
    // Groups are not ordered by a language's order.
    case .none, .ordered: .null
    case .bool(let value): .bool(value)
    case .integer(let value): .integer(value)
    case .unsigned(let value): .unsigned(value)
    case .number(let value): .number(value)
    case .text(let value): .string(value)
    }
  }
}
