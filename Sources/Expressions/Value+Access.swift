public import JSON

extension Value {
  /// The value of a boolean.
  public var boolValue: Bool? {
    if case .bool(let value) = self { value } else { nil }
  }

  /// The value of a number that is an integer and fits.
  public var integerValue: Int64? {
    switch self {
    case .integer(let value): value
    case .number(let value): Int64(exactly: value)
    case .null, .bool, .unsigned, .string, .text, .json, .array, .object: nil
    }
  }

  /// True for an integer that a `Double` may not hold exactly.
  var isExactInteger: Bool {
    switch self {
    case .integer, .unsigned: true
    case .null, .bool, .number, .string, .text, .json, .array, .object: false
    }
  }

  /// The value of any number.
  public var doubleValue: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .unsigned(let value): Double(value)
    case .number(let value): value
    case .null, .bool, .string, .text, .json, .array, .object: nil
    }
  }

  /// A string's own text; nil for other kinds.
  public var string: String? {
    switch self {
    case .string(let value): value
    case .text(let value): String(value)
    case .null, .bool, .integer, .unsigned, .number, .json, .array, .object: nil
    }
  }

  /// The length of a string, in UTF-8; 0 for other kinds. O(1).
  public var byteCount: Int {
    switch self {
    case .string(let value): value.utf8.count
    case .text(let value): value.count
    case .null, .bool, .integer, .unsigned, .number, .json, .array, .object: 0
    }
  }

  /// The text of a string, number or boolean: decimal digits, `true`. Nil for null, arrays, objects.
  public var text: String? {
    switch self {
    case .null, .json, .array, .object: nil
    case .bool(let value): value ? "true" : "false"
    case .integer(let value): DecimalText.string(value)
    case .unsigned(let value): value.description
    case .number(let value): Value.text(of: value)
    case .string(let value): value
    case .text(let value): String(value)
    }
  }

  /// The shortest decimal digits that read back as the same number; no fraction where there is none, and no exponent: at most some
  /// 330 characters.
  static func text(of number: Double) -> String {
    if let integer = Int64(exactly: number), integer.magnitude < 1 << 53 { return integer.description }
    let text = number.description
    guard let mark = text.firstIndex(of: "e"), let exponent = Int(text[mark...].dropFirst()) else {
      return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
    let digits = text[..<mark].filter(\.isNumber)
    let sign = number < 0 ? "-" : ""
    // So many digits stand before the point.
    let count = exponent + 1
    func zeros(_ count: Int) -> String { String(repeating: "0", count: max(count, 0)) }
    if count <= 0 { return "\(sign)0.\(zeros(-count))\(digits)" }
    if digits.count <= count { return sign + digits + zeros(count - digits.count) }
    return "\(sign)\(digits.prefix(count)).\(digits.dropFirst(count))"
  }

  /// How many elements or members; 0 for other kinds.
  public var count: Int {
    switch self {
    case .array(let elements): elements.count
    case .object(let members): members.count
    case .json(let view): view.count
    case .null, .bool, .integer, .unsigned, .number, .string, .text: 0
    }
  }

  /// The elements of an array; nil for other kinds. Complexity: O(elements).
  public var elements: [Value]? {
    switch self {
    case .array(let elements): elements
    case .json(let view) where view.kind == .array: view.elements.map { Value($0) }
    case .null, .bool, .integer, .unsigned, .number, .string, .text, .json, .object: nil
    }
  }

  /// The members of an object in their order; nil for other kinds. Complexity: O(members).
  public var members: [Member]? {
    switch self {
    case .object(let members): members
    case .json(let view) where view.kind == .object:
      view.members.map { Member(name: String($0.name), value: Value($0.value)) }
    case .null, .bool, .integer, .unsigned, .number, .string, .text, .json, .array: nil
    }
  }

  /// The member of an object; nil where there is none.
  public subscript(key: JSONKey) -> Value? {
    switch self {
    case .json(let view): view[key].map { Value($0) }
    case .object(let members): members.first { $0.name.utf8.elementsEqual(key.name.utf8) }?.value
    case .null, .bool, .integer, .unsigned, .number, .string, .text, .array: nil
    }
  }

  /// The element of an array; negative positions count from the end. Nil where there is none.
  public subscript(position: Int) -> Value? {
    switch self {
    case .json(let view): return view[position].map { Value($0) }
    case .array(let elements):
      // A position is far from overflow once it is compared with the count.
      guard position >= -elements.count, position < elements.count else { return nil }
      return elements[position < 0 ? elements.count + position : position]
    case .null, .bool, .integer, .unsigned, .number, .string, .text, .object: return nil
    }
  }

  /// As the subscript, charged with the members that it passes.
  func member(_ key: JSONKey, _ scope: Scope) throws(EvaluationError) -> Value? {
    guard let budget = scope.budget else { return self[key] }
    var looked = 0
    let found: Value?
    switch self {
    case .json(let view): found = view.member(key, looked: &looked).map { Value($0) }
    case .object(let members):
      looked = members.count
      found = self[key]
    case .null, .bool, .integer, .unsigned, .number, .string, .text, .array: return nil
    }
    // Only names of the same length as the sought one are compared byte by byte.
    try budget.charge(looked * (Cost.element + key.length / Cost.bytesCompared))
    return found
  }

  /// The steps to an element of a document's list, which is walked from its start.
  func stepsToElement(at position: Int) -> Int {
    guard case .json(let view) = self, view.kind == .array else { return 0 }
    let count = view.count
    return (position < 0 ? max(0, count + max(position, -count)) : min(position, count)) * Cost.element
  }

  /// The cost of reading an object's names: their bytes, and a constant for each.
  var namesExtent: Int {
    switch self {
    case .json(let view) where view.kind == .object: view.members.reduce(0) { $0 + $1.name.count + 32 }
    case .object(let members): members.reduce(0) { $0 + $1.name.utf8.count + 32 }
    case .null, .bool, .integer, .unsigned, .number, .string, .text, .array, .json: 0
    }
  }
}

extension Value.Kind {
  /// With its article, for messages.
  var phrase: String {
    switch self {
    case .null: "null"
    case .boolean, .number, .string: "a \(rawValue)"
    case .array, .object: "an \(rawValue)"
    }
  }
}

extension Value {
  /// Appends what stands in a text for this value, as `append(to:)` does for a `String`.
  func append(to arena: TextArena) {
    switch self {
    case .null: break
    case .integer(let value): arena.append(value)
    case .text(let value): arena.append(value.bytes)
    case .string(let value): arena.append(value)
    case .bool, .unsigned, .number: arena.append(text ?? "")
    case .json, .array, .object: arena.append(json)
    }
  }
}
