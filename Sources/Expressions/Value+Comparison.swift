import FieldValues
import JSON

extension Value: Hashable {
  /// Equal numbers are equal whatever their form; strings are compared by code points, objects by their members in
  /// any order. Values of different kinds are never equal.
  public static func == (left: Value, right: Value) -> Bool {
    switch (left, right) {
    case (.null, .null): return true
    case (.bool(let left), .bool(let right)): return left == right
    case (.integer(let left), .integer(let right)): return left == right
    case (.text(let left), .text(let right)): return left == right
    default: break
    }
    guard left.kind == right.kind else { return false }
    switch left.kind {
    case .null: return true
    case .boolean: return left.boolValue == right.boolValue
    case .number, .string: return left.order(to: right) == .same
    case .array: return left.elements == right.elements
    case .object: return sameMembers(left, right)
    }
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(kind)
    switch kind {
    case .null: break
    case .boolean: hasher.combine(boolValue)
    case .number: hasher.combine(doubleValue)
    case .string: withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    case .array: for element in elements ?? [] { hasher.combine(element) }
    case .object:
      // In any order, as equality has it.
      hasher.combine(
        (members ?? []).reduce(0) { sum, member in
          var hasher = Hasher()
          hasher.combine(ByteText(member.name))
          hasher.combine(member.value)
          return sum &+ hasher.finalize()
        }
      )
    }
  }

  /// Whether two objects have the same members. Names that stand twice count once, as everywhere.
  private static func sameMembers(_ left: Value, _ right: Value) -> Bool {
    guard left.count == right.count, let members = left.members else { return false }
    guard members.count > 16, let others = right.members else {
      return members.allSatisfy { right[JSONKey($0.name)] == $0.value }
    }
    let values = Dictionary(others.map { (ByteText($0.name), $0.value) }, uniquingKeysWith: { first, _ in first })
    return members.allSatisfy { values[ByteText($0.name)] == $0.value }
  }

  enum Order { case before, same, after }

  /// The order of sorting: null, false, true, numbers, strings by code points, arrays, objects. Arrays among each
  /// other go by their elements; objects count as same.
  func order(to other: Value) -> Order {
    let (left, right) = (rank, other.rank)
    guard left == right else { return left < right ? .before : .after }
    switch kind {
    case .null, .object: return .same
    case .boolean: return Self.order(boolValue == true ? 1 : 0, other.boolValue == true ? 1 : 0)
    case .number: return orderOfNumbers(to: other)
    case .string: return withUTF8 { left in other.withUTF8 { right in Self.order(left, right) } }
    case .array:
      let (left, right) = (elements ?? [], other.elements ?? [])
      for (left, right) in zip(left, right) {
        let order = left.order(to: right)
        if order != .same { return order }
      }
      return Self.order(left.count, right.count)
    }
  }

  private var rank: Int {
    switch kind {
    case .null: 0
    case .boolean: 1
    case .number: 2
    case .string: 3
    case .array: 4
    case .object: 5
    }
  }

  private func orderOfNumbers(to other: Value) -> Order {
    switch (self, other) {
    case (.integer(let left), .integer(let right)): return Self.order(left, right)
    case (.unsigned(let left), .unsigned(let right)): return Self.order(left, right)
    case (.integer, .unsigned): return .before
    case (.unsigned, .integer): return .after
    case (.integer(let left), .number(let right)): return Self.order(left, right)
    case (.number(let left), .integer(let right)):
      switch Self.order(right, left) {
      case .before: return .after
      case .same: return .same
      case .after: return .before
      }
    default: return Self.order(doubleValue ?? 0, other.doubleValue ?? 0)
    }
  }

  private static func order<Operand: Comparable>(_ left: Operand, _ right: Operand) -> Order {
    left < right ? .before : left > right ? .after : .same
  }

  /// Exact where a conversion to Double would round.
  private static func order(_ left: Int64, _ right: Double) -> Order {
    if right >= 0x1p63 { return .before }
    if right < -0x1p63 { return .after }
    let whole = Int64(right.rounded(.down))
    if left != whole { return left < whole ? .before : .after }
    return right > Double(whole) ? .before : .same
  }

  private static func order(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Order {
    left.lexicographicallyPrecedes(right) ? .before : right.lexicographicallyPrecedes(left) ? .after : .same
  }

  /// The UTF-8 of a string; empty for other kinds.
  func withUTF8<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    switch self {
    case .text(let text): return body(text.bytes)
    case .string(var string): return string.withUTF8(body)
    case .null, .bool, .integer, .unsigned, .number, .json, .array, .object:
      return body(UnsafeBufferPointer(start: nil, count: 0))
    }
  }

  /// Whether this sorts before another: null, false, true, numbers, strings by code points, arrays, objects.
  public func precedes(_ other: Value) -> Bool { order(to: other) == .before }
}
