import Expressions
import JSON
import Testing

/// What evaluating may cost, in steps: counted, never timed.
@Suite struct BudgetTests {
  /// An item like those that stop a service: a long text, long lists, a long number of members.
  private static func hostile(_ size: Int) -> JSONValue {
    let texts = JSONValue.array((0..<size / 4).map { _ in .string("y") })
    let numbers = JSONValue.array((0..<size / 4).map { .integer(Int64($0 % 10)) })
    let members = (0..<size / 16).map { JSONValue.Member(name: "m\($0)", value: .integer(0)) }
    return [
      "s": .string(String(repeating: "x", count: size)), "u": .string(String(repeating: "é", count: size / 2)),
      "b": texts, "a": numbers, "c": numbers, "o": .object(members), "last": .string("z"),
      "l": .array([numbers, numbers]), "deep": deep(40),
    ]
  }

  private static func deep(_ depth: Int) -> JSONValue { depth == 0 ? .integer(1) : .array([deep(depth - 1)]) }

  /// What became of an expression over the hostile item.
  private struct Outcome {
    var steps: Int
    var error: EvaluationError?
    var isTooMuch: Bool
  }

  private static func outcome(_ text: String, size: Int, _ steps: Int = Budget.standard) throws -> Outcome {
    let expression = try Expression(text)
    return try Document(hostile(size).bytes).withRoot { root in
      var scope = Scope(item: root)
      let budget = Budget(steps)
      scope.work = budget
      var error: EvaluationError?
      do throws(EvaluationError) { _ = try expression.evaluate(in: scope) } catch let failure { error = failure }
      return Outcome(steps: budget.spent, error: error, isTooMuch: budget.isExhausted)
    }
  }

  /// What is done again for each element with something that is as long as the list ends with an error, soon.
  @Test(arguments: [
    "a | map(s | upper | length)", "a | map(u | lower)", "a | map(s + 'x' | length)", "a | map('y' in s)",
    "a | map(s | contains('y'))", "a | map(b | hash)", "a | map(b | json | length)", "a | map(b | string | length)",
    "a | map(a == c)", "a | map(b == b)", "a | map(l == l)", "a | map(o == o)", "a | map(o | keys | length)",
    "a | map(o | values | length)", "a | map('none' in a)", "a | map(a | contains('none'))", "a | map('none' in o)",
    "a | map(o[$item + 'none'])", "a | map(a[$index])", "a | map(a | last)", "a | map(b | join)",
    "a | map(s | split(',') | length)", "a | map(s | split('') | length)", "a | map(s | length)",
    "a | map(s | reverse | length)", "a | map(s | truncate(200000) | length)", "a | map(s | slice(-3))",
    "a | map(s | replace('y', 'z') | length)", "a | map(s | trim | length)", "a | map(s | titleCase | length)",
    "a | map(s | capitalize | length)", "a | map(s | stripHtml | length)", "a | map(s | urlEncode | length)",
    "a | map(s | base64 | length)", "a | map(s | host)", "a | map(s | startsWith('x'))", "a | map(s < s)",
    "a | map(a | sort | length)", "a | sort(s)", "a | sort(l)", "a | min(s)", "a | max(s)", "a | unique(s)",
    "a | unique(a)", "a | map(a | map($item) | length)", "a | map(a | where($item == 3) | length)",
    "a | map(a | sum)", "a | map(a | reverse | first)", "a | map(s)", "a | map(l)", "a | map([s, s])",
    "b | map(b | map(b | length))", "a | map(deep == deep && s == s)",
  ])
  func whatIsReadAgainAndAgainIsTooMuch(_ text: String) throws {
    // A twentieth of what an item may take, and of what it may have.
    let outcome = try Self.outcome(text, size: 40_000, Budget.standard / 20)
    #expect(outcome.isTooMuch && outcome.steps == Budget.standard / 20, "\(text)")
    #expect(outcome.error?.message.hasPrefix("this is too much work, more than 5 million steps") == true, "\(text)")
  }

  /// Twice as long values cost about twice as much, and no filter is free.
  @Test(arguments: Filter.all.map(\.name))
  func filtersChargeWhatTheyRead(_ name: String) throws {
    let arguments = [
      "truncate": "(1000000)", "replace": "('y', 'z')", "split": "('x')", "contains": "('y')", "startsWith": "('x')",
      "endsWith": "('x')", "plural": "('a', 'b')", "map": "($item)", "where": "($item)", "currency": "('EUR')",
      "default": "(1)", "slice": "(1)",
    ]
    for input in ["s", "u", "a", "o"] {
      let text = "\(input) | \(name)\(arguments[name] ?? "")"
      let (small, large) = (try Self.outcome(text, size: 2_000), try Self.outcome(text, size: 32_000))
      #expect(!small.isTooMuch && !large.isTooMuch, "\(text)")
      // Sorting takes more.
      #expect(large.steps < small.steps * 24 + 10_000, "\(text): \(small.steps) and \(large.steps)")
      // What takes no lists has looked at none.
      guard large.error == nil else { continue }
      #expect(large.steps > small.steps * 2 && large.steps > 5_000, "\(text): \(small.steps) and \(large.steps)")
    }
  }

  /// Templates are bounded as expressions are, and what they are made of together.
  @Test(
    arguments: [
      ["$each": "${a}", "$value": "${s}"], ["$each": "${a}", "$value": "x${s}"],
      ["$each": "${a}", "text": "${s | upper | length}"], ["$each": "${a}", "list": ["$each": "${a}", "$value": "1"]],
      ["one": ["$each": "${a}", "$value": "${a | sum}"]],
    ] as [JSONValue]
  )
  func templatesAreBounded(_ source: JSONValue) throws {
    let template = try Template(source)
    let document = try Document(Self.hostile(100_000).bytes)
    try document.withRoot { root in
      let error = #expect(throws: EvaluationError.self) { try template.evaluate(in: Scope(item: root)) }
      #expect(error?.message.contains("too much work") == true)
    }
  }

  /// The same work, whatever was done before, and whoever has the document.
  @Test func workIsCountedByTheValuesAlone() throws {
    for text in ["a | map(last + s | length)", "o.m9", "a | map(o.m9)", "a | where($item in c) | length"] {
      let first = try Self.outcome(text, size: 2_000)
      let again = try Self.outcome(text, size: 2_000)
      #expect(first.error == nil && first.steps == again.steps, "\(text)")
    }
  }

  /// A name of the item around a list is looked for once, however many members stand before it.
  @Test func namesOfTheItemAroundAListCostNothingMore() throws {
    let few: JSONValue = ["list": .array((0..<100).map { .integer($0) }), "last": "z"]
    var members = [JSONValue.Member(name: "list", value: .array((0..<100).map { .integer($0) }))]
    members += (0..<5_000).map { JSONValue.Member(name: "m\($0)", value: .integer(0)) }
    members.append(JSONValue.Member(name: "last", value: "z"))
    let expression = try Expression("list | map(last) | length")
    let work = try [few, .object(members)].map { item in
      try Document(item.bytes).withRoot { root in
        var scope = Scope(item: root)
        let budget = Budget()
        scope.work = budget
        let value = try expression.evaluate(in: scope)
        #expect(value == .integer(100))
        return budget.spent
      }
    }
    #expect(work[0] == work[1])
  }

  /// The characters of a text of flags are found from its front: each from its end would take a walk through all of them.
  @Test(arguments: [
    "flags | reverse | length", "flags | slice(-2)", "'https://' + flags + '@x' | host", "flags | last",
  ])
  func flagsAreReadOnce(_ text: String) throws {
    let flags = String(repeating: "🇩🇪", count: 40_000)
    let value = try Expression(text).evaluate(in: Scope(item: .object([.init(name: "flags", value: .string(flags))])))
    #expect(!value.isNull)
  }

  /// Whether a name of the item around a list leads anywhere is found out once, too.
  @Test func whatTheItemAroundAListHasIsFoundOutOnce() throws {
    let members = (0..<40_000).map { JSONValue.Member(name: "m\($0)", value: nil) }
    let list = JSONValue.array((0..<40_000).map { .integer($0) })
    let item = JSONValue.object([.init(name: "list", value: list)] + members)
    try Document(item.bytes).withRoot { root in
      for (text, expected) in [
        ("list | where(has(m39999)) | length", 40_000), ("list | where(has(none)) | length", 0),
        ("list | where(m39999) | length", 0),
      ] as [(String, Int64)] {
        let value = try Expression(text).evaluate(in: Scope(item: root))
        #expect(value == .integer(expected), "\(text)")
      }
    }
  }

  /// Ordinary items take a thousandth of what they may.
  @Test(arguments: [
    "title | upper", "body | truncate(80)", "labels | map(name) | join(', ')", "'bug' in (labels | map(name))",
    "created_at | date('medium')", "labels | where(name == 'ui') | length > 0", "body | stripHtml | truncate(40)",
  ])
  func ordinaryItemsTakeLittle(_ text: String) throws {
    let item: JSONValue = [
      "title": "A crash when compiling", "body": .string(String(repeating: "A <b>text</b> &amp; more. ", count: 40)),
      "labels": [["name": "bug"], ["name": "ui"]], "created_at": "2026-05-01T22:30:00Z",
    ]
    let budget = Budget()
    var scope = Scope(item: Value(item))
    scope.work = budget
    _ = try Expression(text).evaluate(in: scope)
    #expect(budget.spent < Budget.standard / 1_000, "\(text): \(budget.spent)")
  }

  /// Integers that have one `Double` are told apart by their hashes too.
  @Test func largeIntegersAreHashedExactly() {
    let integers = (0..<1_000).map { Value.integer(Int64.max - Int64($0)) }
    let unsigned = (0..<1_000).map { Value.unsigned(UInt64.max - UInt64($0)) }
    #expect(Set((integers + unsigned).map(\.hashValue)).count > 1_990)
    #expect(Value.unsigned(1 << 63) == .number(0x1p63) && Value.unsigned((1 << 63) + 1) != .number(0x1p63))
    #expect(Value.unsigned(1 << 63).hashValue == Value.number(0x1p63).hashValue)
    #expect(Value.integer(3).hashValue == Value.number(3).hashValue)
  }
}
