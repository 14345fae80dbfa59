import Expressions
import JSON
import TestSupport
import Testing

/// Properties over generated values and texts. A failure names its seed.
@Suite struct PropertyTests {
  @Test(arguments: UInt64(1)...40) func anyStringGivesValidJSON(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<50 {
      let (text, other) = (generator.string(), generator.string())
      let item: JSONValue = ["text": .string(text), "other": .string(other)]
      let document = try Document(item.bytes)
      try document.withRoot { root in
        var writer = JSONWriter()
        try Template(["a": "${text}", "b": "x${text}${other}", "c": ["${other}"]])
          .evaluate(in: Scope(item: root)).write(to: &writer)
        let expected: JSONValue = ["a": .string(text), "b": .string("x" + text + other), "c": [.string(other)]]
        #expect(try JSONValue(parsing: writer.bytes) == expected)
      }
    }
  }

  @Test(arguments: UInt64(1)...40) func typesAndValuesSurvive(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<20 {
      let value = generator.value()
      let document = try Document((["v": value] as JSONValue).bytes)
      try document.withRoot { root in
        let result = try Expression("v").evaluate(in: Scope(item: root))
        #expect(JSONValue(result) == value)
        #expect(result == Value(value) && Value(value) == result)
        #expect(result.hashValue == Value(value).hashValue)
        var writer = JSONWriter()
        result.write(to: &writer)
        #expect(writer.bytes == value.bytes)
      }
    }
  }

  @Test(arguments: UInt64(1)...40) func orderIsTotal(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let values = (0..<10).map { _ in Value(generator.value(depth: 3)) }
    for a in values {
      for b in values {
        #expect(!(a.precedes(b) && b.precedes(a)))
        for c in values where a.precedes(b) && b.precedes(c) { #expect(a.precedes(c)) }
      }
    }
  }

  @Test(arguments: UInt64(1)...60) func randomExpressionsNeitherCrashNorGiveInvalidJSON(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let item: JSONValue = [
      "title": "a", "user": ["name": "b"], "list": [1, "x", nil, ["name": 2]], "name": .double(1.5),
    ]
    var evaluated = 0
    for round in 0..<200 {
      let text = round % 2 == 0 ? generator.expressionText() : generator.expression()
      guard let expression = try? Expression(text) else { continue }
      var scope = Scope(item: Value(item), index: 1)
      scope.response = Value(item)
      if let value = try? expression.evaluate(in: scope) {
        evaluated += 1
        #expect((try? JSONValue(parsing: Array(value.json.utf8))) != nil, "\(text) gives \(value.json)")
      }
    }
    #expect(evaluated > 5)
  }
}

extension SeededGenerator {
  mutating func string() -> String {
    var scalars = String.UnicodeScalarView()
    for _ in 0..<Int.random(in: 0...40, using: &self) {
      let ranges: [ClosedRange<UInt32>] = [
        0...0x7F, 0...0x1F, 0x22...0x5C, 0x80...0x7FF, 0x2020...0x2030, 0x1F300...0x1F64F,
      ]
      let code = UInt32.random(in: ranges.randomElement(using: &self) ?? 0...0x7F, using: &self)
      if let scalar = Unicode.Scalar(code) { scalars.append(scalar) }
    }
    return String(scalars)
  }

  mutating func value(depth: Int = 0) -> JSONValue {
    switch Int.random(in: 0...(depth < 4 ? 8 : 5), using: &self) {
    case 0: return .null
    case 1: return .bool(.random(using: &self))
    case 2: return .integer(Int64(bitPattern: next()))
    case 3:
      let double = Double(bitPattern: next())
      return .double(double.isFinite && double != double.rounded() ? double : 0.5)
    case 4, 5: return .string(string())
    case 6: return .array((0..<Int.random(in: 0...4, using: &self)).map { _ in value(depth: depth + 1) })
    default:
      return .object(
        (0..<Int.random(in: 0...4, using: &self)).map {
          JSONValue.Member(name: string() + "\($0)", value: value(depth: depth + 1))
        }
      )
    }
  }

  private static let words = [
    "title", "user", "name", "list", "$item", "$index", "$response", "$params.a", "env.A", "'a'", "\"é\"", "12", "-1",
    "0",
    "1.5", "1e300", "9223372036854775807", "true", "null", "+", "-", "*", "/", "%", "==", "!=", "<", ">=", "&&", "||",
    "!", "?", ":", "in", "??", "|", "(", ")", "[", "]", ",", ".", "has(", "[0]", "[-1]", " ", "=", "é", "\\", "'",
  ]

  /// Words of the language in any order: mostly no expression.
  mutating func expressionText() -> String {
    (0..<Int.random(in: 1...12, using: &self)).map { _ in
      Bool.random(using: &self)
        ? Self.words.randomElement(using: &self) ?? ""
        : "| " + (Filter.all.randomElement(using: &self)?.name ?? "") + [" ", "(1)", "('a', 2)"][Int(next() % 3)]
    }.joined(separator: " ")
  }

  /// An expression, mostly, by the grammar.
  mutating func expression(depth: Int = 0) -> String {
    guard depth < 4 else { return Self.words[Int(next() % 18)] }
    let next = { (generator: inout SeededGenerator) in generator.expression(depth: depth + 1) }
    switch self.next() % 8 {
    case 0:
      let operators = ["+", "-", "*", "/", "%", "==", "!=", "<", "<=", "in", "&&", "||", "??"]
      return "(\(next(&self)) \(operators.randomElement(using: &self) ?? "+") \(next(&self)))"
    case 1: return "(\(next(&self)) ? \(next(&self)) : \(next(&self)))"
    case 2: return "!\(next(&self))"
    case 3: return "[\(next(&self)), \(next(&self))]"
    case 4, 5:
      let filter = Filter.all.randomElement(using: &self)
      let arguments = [[], [next(&self)], [next(&self), next(&self)]][Int(self.next() % 3)]
      let list = arguments.isEmpty ? "" : "(\(arguments.joined(separator: ", ")))"
      return "(\(next(&self)) | \(filter?.name ?? "upper")\(list))"
    default: return Self.words[Int(self.next() % 18)]
    }
  }
}
