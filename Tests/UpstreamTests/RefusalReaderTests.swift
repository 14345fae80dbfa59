import JSON
import Testing

@testable import Upstream

/// What an upstream says against single members, in the forms of the frameworks.
@Suite struct RefusalReaderTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    var body: String
    /// `name: reason reason`, each.
    var fields: [String]
    var general: [String] = []
    var testDescription: String { name }
  }

  static let cases = [
    Case(
      name: "Django REST framework",
      body: #"{"state":["\"x\" is not a valid choice."]}"#,
      fields: [#"state: "x" is not a valid choice."#]
    ),
    Case(
      name: "of the whole",
      body: #"{"non_field_errors":["must be unique"],"title":["too long","no"]}"#,
      fields: ["title: too long no"],
      general: ["must be unique"]
    ),
    Case(
      name: "nested, and of lists",
      body: #"{"address":{"street":["is blank"]},"lines":[{},{"amount":["min 1"]}]}"#,
      fields: ["address.street: is blank", "lines.1.amount: min 1"]
    ),
    Case(name: "detail alone", body: #"{"detail":"Not found."}"#, fields: []),
    Case(
      name: "Rails",
      body: #"{"errors":{"name":["can't be blank"],"base":["no"]}}"#,
      fields: ["name: can't be blank"],
      general: ["no"]
    ),
    Case(
      name: "Laravel",
      body: #"{"message":"The name field is required.","errors":{"name":["The name field is required."]}}"#,
      fields: ["name: The name field is required."]
    ),
    Case(
      name: "ASP.NET",
      body: #"{"title":"One or more","status":400,"errors":{"Name":["short"]}}"#,
      fields: ["Name: short"]
    ),
    Case(
      name: "FastAPI",
      body: #"{"detail":[{"loc":["body","lines",0,"qty"],"msg":"Field required","type":"missing"}]}"#,
      fields: ["lines.0.qty: Field required"]
    ),
    Case(
      name: "Jira",
      body: #"{"errorMessages":["Not allowed."],"errors":{"summary":"You must specify a summary."}}"#,
      fields: ["summary: You must specify a summary."],
      general: ["Not allowed."]
    ),
    Case(
      name: "RFC 9457",
      body:
        ##"{"type":"x","title":"Invalid","errors":[{"detail":"must be positive","pointer":"#/age"},{"detail":"d","pointer":"#/a~1b/c"}]}"##,
      fields: ["age: must be positive", "a/b.c: d"]
    ),
    Case(
      name: "RFC 7807's example",
      body: #"{"title":"t","invalid-params":[{"name":"age","reason":"must be positive"}]}"#,
      fields: ["age: must be positive"]
    ),
    Case(
      name: "JSON:API",
      body:
        #"{"errors":[{"status":"422","title":"Invalid","detail":"too short","source":{"pointer":"/data/attributes/name"}}]}"#,
      fields: ["name: too short"]
    ),
    Case(
      name: "GitHub",
      body: #"{"message":"Validation Failed","errors":[{"resource":"Issue","field":"title","code":"missing_field"}]}"#,
      fields: ["title: missing field"]
    ),
    Case(
      name: "Spring",
      body: #"{"errors":[{"field":"name","defaultMessage":"must not be blank"}]}"#,
      fields: ["name: must not be blank"]
    ),
    Case(name: "Symfony", body: #"{"violations":[{"propertyPath":"name","message":"m"}]}"#, fields: ["name: m"]),
    Case(
      name: "Stripe",
      body: #"{"error":{"message":"Invalid email","param":"email","code":"x"}}"#,
      fields: ["email: Invalid email"]
    ),
    Case(
      name: "Google",
      body:
        #"{"error":{"code":400,"message":"bad","details":[{"fieldViolations":[{"field":"q","description":"d"}]}]}}"#,
      fields: ["q: d"]
    ),
    Case(name: "texts", body: #"{"errors":["a","b"]}"#, fields: [], general: ["a", "b"]),
    Case(
      name: "GraphQL's own errors name a place in the query",
      body: #"{"errors":[{"message":"no","path":["update"],"locations":[{"line":1,"column":2}]}]}"#,
      fields: [],
      general: ["no"]
    ),
    Case(
      name: "OData",
      body: #"{"error":{"code":"1","message":"bad","details":[{"code":"x","target":"Name","message":"is missing"}]}}"#,
      fields: ["Name: is missing"]
    ),
    Case(
      name: "WordPress",
      body:
        #"{"code":"rest_invalid_param","message":"Invalid parameter(s): status","data":{"status":400,"params":{"status":"none of publish, draft"}}}"#,
      fields: ["status: none of publish, draft"]
    ),
    Case(
      name: "Zendesk",
      body:
        #"{"error":"RecordInvalid","details":{"subject":[{"description":"cannot be blank","error":"BlankValue"}]}}"#,
      fields: ["subject: cannot be blank"]
    ),
    Case(name: "details that are no reasons", body: #"{"details":{"tries":[1,2]},"message":"no"}"#, fields: []),
    Case(name: "an item", body: #"{"id":7,"tags":["a"],"title":"x"}"#, fields: []),
    Case(name: "nothing", body: "[]", fields: []),
  ]

  @Test(arguments: cases) func forms(_ test: Case) throws {
    let said = try Document(Array(test.body.utf8)).withRoot { RefusalReader(answer: $0) }
    #expect(said.fields.map { "\($0.name): \($0.reasons.joined(separator: " "))" } == test.fields)
    #expect(said.general == test.general)
  }

  @Test func isBounded() throws {
    let many = "{\"errors\":{" + (0..<5000).map { "\"f\($0)\":[\"a\",\"b\"]" }.joined(separator: ",") + "}}"
    let wide = try Document(Array(many.utf8)).withRoot { RefusalReader(answer: $0) }
    #expect(wide.fields.count == 64)
    let deep =
      "{\"errors\":" + String(repeating: "{\"a\":", count: 100) + "[\"x\"]" + String(repeating: "}", count: 101)
    let nested = try Document(Array(deep.utf8)).withRoot { RefusalReader(answer: $0) }
    #expect(nested.fields.isEmpty)
    let one = "{\"errors\":{\"a\":[" + (0..<5000).map { "\"r\($0)\"" }.joined(separator: ",") + "]}}"
    #expect(try Document(Array(one.utf8)).withRoot { RefusalReader(answer: $0) }.fields[0].reasons.count == 8)
  }

  @Test(arguments: [
    (
      #"{"message":"The name is required.","errors":{"name":["The name is required."]}}"#, "name: The name is required."
    ),
    (
      #"{"message":"Validation Failed","errors":[{"field":"title","code":"missing_field"}]}"#,
      "Validation Failed — title: missing field"
    ),
    (#"{"state":["bad"],"due":["late"]}"#, "state: bad; due: late"),
    (#"{"detail":"Not yours."}"#, "Not yours."), (#"{"msg":"no"}"#, "no"),
  ])
  func words(_ body: String, _ expected: String) throws {
    let words = try Document(Array(body.utf8)).withRoot {
      RefusalReader(answer: $0).summary(after: ReasonText.reason(in: $0))
    }
    #expect(words == expected)
  }
}
