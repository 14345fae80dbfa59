import Definitions
import Expressions
import Testing

@Suite struct DefinitionTests {
  @Test(
    arguments: [
      ("10.0.0.0/8", [10, 1, 2, 3], true), ("10.0.0.0/8", [11, 0, 0, 0], false),
      ("10.0.0.0/9", [10, 128, 0, 1], false),
      ("10.0.0.0/8", [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 10, 0, 0, 1], true),
      ("10.0.0.0/8", [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 10, 0, 0, 1], false), ("0.0.0.0/0", [9, 9, 9, 9], true),
    ] as [(String, [UInt8], Bool)]
  )
  func rangesOfAddresses(_ range: String, _ address: [UInt8], _ expected: Bool) throws {
    let parts = range.split(separator: "/")
    let bytes = parts[0].split(separator: ".").compactMap { UInt8($0) }
    let length = try #require(Int(parts[1]))
    let range = try #require(AddressRange(address: bytes, prefixLength: length))
    #expect(range.contains(address) == expected)
  }

  /// A source that has an expression in one place.
  private static func source(reading expression: Expression, as place: String) throws -> UpstreamDefinition {
    var definition = UpstreamDefinition(url: try Template(text: "http://a.test/"))
    var (paging, since) = (PagingDefinition(style: .link), SinceDefinition(key: try Expression("id")))
    switch place {
    case "query": definition.query = [("q", try Template(text: "${\(expression.text)}"))]
    case "items": definition.items = expression
    case "cursor": paging.style = .cursor(expression, parameter: nil)
    case "nextUrl": paging.style = .nextURL(expression)
    case "total": paging.total = expression
    case "key": since.key = expression
    case "next": since.next = expression
    default: since.deleted = expression
    }
    (definition.paging, definition.since) = (paging, since)
    return definition
  }

  /// Callers and members of families share an answer where what is read of them is equal, wherever it is read.
  @Test(arguments: ["query", "items", "cursor", "nextUrl", "total", "key", "next", "deleted"])
  func whatAnswersAreSharedBy(_ place: String) throws {
    let source = try Self.source(reading: Expression("a[$params.kind + $caller.name]"), as: place)
    #expect(source.parameterUse == .named(["kind"]))
    #expect(source.callerUse.paths == [["name"]])
  }

  @Test func theEmptyDefaultNeedNotMatch() {
    let parameter = ParameterDefinition(name: "q", defaultValue: "")
    #expect(parameter.admits(""))
    #expect(parameter.admits("swift"))
    #expect(!parameter.admits("a/b"))
    #expect(!ParameterDefinition(name: "q").admits(""))
  }

  @Test(
    arguments: [
      ("descending", .descending), ("ascending", .ascending), ("up", nil),
    ] as [(String, SortDirection?)]
  )
  func anOrderIsChosen(_ text: String, _ expected: SortDirection?) throws {
    var scope = Scope()
    scope.parameters = ["dir": text]
    let order = SortOrder.chosen(try Expression("$params.dir"))
    #expect((try? order.direction(in: scope)) == expected)
  }

  @Test(arguments: [("100", 100), ("-1", nil), ("many", nil)] as [(String, Int?)])
  func aLimitIsChosen(_ text: String, _ expected: Int?) throws {
    var scope = Scope()
    scope.parameters = ["limit": text]
    let limit = RowLimit.chosen(try Expression("$params.limit"))
    #expect((try? limit.rows(in: scope)) == expected)
    #expect(try limit.rows(in: Scope()) == nil)
  }

  /// An error tells no value of the environment.
  @Test func whatDoesNotFitIsShownUnlessItIsOfTheEnvironment() throws {
    var scope = Scope()
    scope.parameters = ["x": "shown"]
    scope.environment = ["X": "hidden"]
    for (text, ending) in [("$params.x", ", not \"shown\""), ("env.X", ""), ("$params.x + env.X", "")] {
      let expression = try Expression(text)
      let order = #expect(throws: EvaluationError.self) { try SortOrder.chosen(expression).direction(in: scope) }
      #expect(order?.message == "a sort's order is 'ascending' or 'descending'" + ending)
      let limit = #expect(throws: EvaluationError.self) { try RowLimit.chosen(expression).rows(in: scope) }
      #expect(limit?.message == "a section's limit is a number of rows" + ending)
    }
  }

  @Test func aTokenCoversTables() {
    let token = AuthDefinition.Token(name: "a", sha256: [], allows: [.read], tables: ["todo*", "hn"])
    #expect(token.covers(table: "todos"))
    #expect(token.covers(table: "hn"))
    #expect(!token.covers(table: "hn2"))
  }
}
