import FieldValues
import JSON

extension Value: Hashable {
  /// Equal numbers are equal whatever their form; strings are compared by code points, objects by their members in
  /// any order, of which the first counts where a name stands twice. Values of different kinds are never equal.
  public static func == (left: Value, right: Value) -> Bool { Comparison(nil).areEqual(left, right) }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(kind)
    switch kind {
    case .null: break
    case .boolean: hasher.combine(boolValue)
    case .number: hashNumber(into: &hasher)
    case .string: withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    case .array: for element in elements ?? [] { hasher.combine(element) }
    case .object:
      // In any order, and of members with one name the first, as equality has it.
      hasher.combine(
        (distinctMembers ?? []).reduce(0) { sum, member in
          var hasher = Hasher()
          hasher.combine(ByteText(member.name))
          hasher.combine(member.value)
          return sum &+ hasher.finalize()
        }
      )
    }
  }

  /// An object's members without those whose name stands before; nil for other kinds. Complexity: expected O(members).
  var distinctMembers: [Member]? {
    guard let members = self.members else { return nil }
    // Most objects are small: compared with one another their names need no memory.
    if members.count <= 8 {
      let hasDoubled = members.indices.contains { index in
        members[..<index].contains { ByteText($0.name) == ByteText(members[index].name) }
      }
      if !hasDoubled { return members }
    }
    var names: Set<ByteText> = []
    names.reserveCapacity(members.count)
    return members.filter { names.insert(ByteText($0.name)).inserted }
  }

  /// The same for equal numbers in any form; exact, as many whole numbers that differ have one `Double`.
  private func hashNumber(into hasher: inout Hasher) {
    switch self {
    case .integer(let value): hasher.combine(value)
    case .unsigned(let value): hasher.combine(value)
    case .number(let value):
      if let whole = Int64(exactly: value) {
        hasher.combine(whole)
      } else if let whole = UInt64(exactly: value) {
        hasher.combine(whole)
      } else {
        hasher.combine(value)
      }
    case .null, .bool, .string, .text, .json, .array, .object: break
    }
  }

  enum Order { case before, same, after }

  /// See ``Comparison/order(_:_:)``.
  func order(to other: Value) -> Order { Comparison(nil).order(self, other) }

  var rank: Int {
    switch kind {
    case .null: 0
    case .boolean: 1
    case .number: 2
    case .string: 3
    case .array: 4
    case .object: 5
    }
  }

  func orderOfNumbers(to other: Value) -> Order {
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
    case (.unsigned(let left), .number(let right)): return Self.order(left, right)
    case (.number(let left), .unsigned(let right)):
      switch Self.order(right, left) {
      case .before: return .after
      case .same: return .same
      case .after: return .before
      }
    default: return Self.order(doubleValue ?? 0, other.doubleValue ?? 0)
    }
  }

  static func order<Operand: Comparable>(_ left: Operand, _ right: Operand) -> Order {
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

  /// As for integers with a sign; `left` is above these.
  private static func order(_ left: UInt64, _ right: Double) -> Order {
    if right >= 0x1p64 { return .before }
    if right < 0x1p63 { return .after }
    // Doubles of this size have no fractions.
    return order(left, UInt64(right))
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

  /// Returns whether this sorts before another: null, false, true, numbers, strings by code points, arrays, objects.
  public func precedes(_ other: Value) -> Bool { order(to: other) == .before }
}

extension Value {
  /// The number that a text stands for, if it is the text of one; every other value is itself.
  ///
  /// The one rule for texts where numbers are wanted: `"12.50"` counts as 12.5 in arithmetic but `+`, which joins
  /// texts, in every filter that takes a number or orders values, and in `<` and its kin. `==` compares the values as
  /// they are. A number's text is decimal, as JSON has it, with spaces around it, a `+` before it and zeros at its
  /// beginning allowed: at most 64 bytes.
  var countedAsNumber: Value {
    guard kind == .string else { return self }
    return withUTF8 { bytes in Self.number(of: bytes) } ?? self
  }

  private static func number(of bytes: UnsafeBufferPointer<UInt8>) -> Value? {
    // Most texts are none: seen by their first byte.
    guard (1...64).contains(bytes.count), let first = bytes.first(where: { $0 != 0x20 }),
      isDigit(first) || first == UInt8(ascii: "-") || first == UInt8(ascii: "+") || first == UInt8(ascii: ".")
    else { return nil }
    var text = bytes[...]
    while text.first == 0x20 { text.removeFirst() }
    while text.last == 0x20 { text.removeLast() }
    var isWhole = true
    for byte in text where !isDigit(byte) {
      switch byte {
      case UInt8(ascii: "-"), UInt8(ascii: "+"): break
      case UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"): isWhole = false
      default: return nil
      }
    }
    let decimal = String(decoding: text, as: UTF8.self)
    if isWhole, let integer = Int64(decimal) { return .integer(integer) }
    if isWhole, let integer = UInt64(decimal) { return .unsigned(integer) }
    guard let number = Double(decimal), number.isFinite else { return nil }
    return .number(number)
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }
}
