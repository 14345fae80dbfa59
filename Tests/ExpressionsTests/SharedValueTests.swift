import Expressions
import JSON
import Testing

/// What has one value for all items of a source is found once, and charged the same to each of them.
@Suite struct SharedValueTests {
  private static func response(_ count: Int) -> JSONValue {
    [
      "ids": .array((0..<count).map { .integer(Int64($0)) }),
      "users": .array((0..<count).map { ["id": .integer(Int64($0))] }), "text": "a,b,c",
      "names": ["a": 1],
    ]
  }

  /// The values and the steps of an expression for some items, one after the other.
  private static func evaluate(
    _ text: String,
    _ response: JSONValue,
    items: [JSONValue],
    sharing: Bool = true
  ) throws -> [(value: String, work: Int)] {
    let (expression, document) = (try Expression(text), try Document(response.bytes))
    return try document.withRoot { root in
      var scope = Scope()
      scope.response = Value(root)
      scope.sharedValues = sharing ? SharedValues() : nil
      let budget = Budget()
      scope.work = budget
      return try items.map { item in
        scope.item = Value(item)
        budget.restart()
        return (try expression.evaluate(in: scope).json, budget.spent)
      }
    }
  }

  private static let items: [JSONValue] = [
    ["id": 7], ["id": 999_999], ["id": "7"], ["id": 7.0], ["id": nil], ["id": [1]], ["id": "a"], ["tags": [1, -1, 2]],
    ["direction": "descending"],
  ]

  @Test(arguments: [
    "id in $response.ids", "$response.ids | contains(id)", "id in ($response.users | map($item.id))",
    "tags | where($item in $response.ids) | length", "id in $response.names", "id in $response.none",
    "id in ($response.text | split(','))", "($response.users | length) + 1", "$response.users | map($item.id) | sum",
    "id in $pages", "$response.users | map(id) | length",
    "$response.users | sort($item.id, $item.direction) | map($item.id) | first",
  ])
  func whatIsSharedIsWhatIsEvaluatedForEach(_ text: String) throws {
    let response = Self.response(50)
    let shared = try Self.evaluate(text, response, items: Self.items)
    let own = try Self.evaluate(text, response, items: Self.items, sharing: false)
    #expect(shared.map(\.value) == own.map(\.value), "\(text)")
  }

  /// It is charged alike to the first and to those behind it, and does not grow with the list.
  @Test(arguments: [
    "id in $response.ids", "$response.ids | contains(id)", "id in ($response.users | map($item.id))",
    "$response.users | map($item.id) | length",
  ])
  func whatIsSharedIsChargedAlike(_ text: String) throws {
    let items: [JSONValue] = (0..<50).map { ["id": .integer(Int64($0 + 100_000))] }
    let (few, many) = (
      try Self.evaluate(text, Self.response(10), items: items),
      try Self.evaluate(text, Self.response(20_000), items: items)
    )
    #expect(Set((few + many).map(\.work)).count == 1, "\(text): \(Set((few + many).map(\.work)))")
    #expect(many[0].work < 1_000)
  }

  /// What fails, fails alike for each.
  @Test func whatFailsIsSharedToo() throws {
    let expression = try Expression("id in ($response.text | currency('EUR'))")
    var scope = Scope()
    scope.response = Value(Self.response(3))
    scope.sharedValues = SharedValues()
    for id in 0..<3 {
      scope.item = .integer(Int64(id))
      let error = #expect(throws: EvaluationError.self) { try expression.evaluate(in: scope) }
      #expect(error?.message == "currency takes a number, not the string 'a,b,c'")
    }
  }
}
