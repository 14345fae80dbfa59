import Expressions
import JSON
import Testing

@Suite struct TemplateTests {
  static let item: JSONValue = [
    "number": 7, "title": "A \"b\"", "ratio": 0.5, "open": true, "none": nil, "user": ["name": "Ada"],
    "replies": [["text": "x", "by": ["name": "Bo"]], ["text": "y"]], "tags": ["t1", "t2"],
  ]

  @Test(
    arguments: [
      // A whole expression keeps its type; text around it makes a string.
      ("${number}", "7"), ("${open}", "true"), ("${none}", "null"), ("${user}", "{\"name\":\"Ada\"}"),
      ("${ratio}", "0.5"),
      (" ${number}", "\" 7\""), ("#${number} ${title}", "\"#7 A \\\"b\\\"\""), ("${number}${number}", "\"77\""),
      ("<${none}>", "\"<>\""), ("is ${open}", "\"is true\""), ("${user}!", "\"{\\\"name\\\":\\\"Ada\\\"}!\""),
      ("plain", "\"plain\""),
      // Numbers are decimal digits, however small or large.
      ("${0.00001} m", "\"0.00001 m\""), ("${-1.5e-7} m", "\"-0.00000015 m\""),
      ("${1e20} m", "\"100000000000000000000 m\""),
      ("${-1.25e16} m", "\"-12500000000000000 m\""), ("${9007199254740992.0} m", "\"9007199254740992 m\""),
      ("${ratio / 1000000} m", "\"0.0000005 m\""), ("${1234.5} m", "\"1234.5 m\""), ("${-0.0} m", "\"0 m\""),
      ("", "\"\""), ("$${number}", "\"${number}\""), ("a $${b} ${number}", "\"a ${b} 7\""), ("$5 {x}", "\"$5 {x}\""),
      ("${'}'}", "\"}\""), ("${ '${' + \"}\" }", "\"${}\""),
      // Trees
      (
        ["a": "${number}", "b": [1, "${tags[0]}", nil], "c": ["d": "x"]],
        "{\"a\":7,\"b\":[1,\"t1\",null],\"c\":{\"d\":\"x\"}}"
      ),
      (["$$each": 1], "{\"$each\":1}"), (true, "true"), (2.5, "2.5"),
      // Lists
      (
        ["$each": "${replies}", "title": "${$item.text}", "n": "${$index}"],
        "[{\"title\":\"x\",\"n\":0},{\"title\":\"y\",\"n\":1}]"
      ),
      (["$each": "${replies}", "by": "${by.name ?? 'nobody'}"], "[{\"by\":\"Bo\"},{\"by\":\"nobody\"}]"),
      (["$each": "${tags}", "$value": "${$item}:${number}"], "[\"t1:7\",\"t2:7\"]"),
      (["$each": "${missing}", "x": 1], "[]"),
      (
        ["$each": "${tags}", "$value": ["$each": "${['p', 'q']}", "$value": "${$item}${$index}"]],
        "[[\"p0\",\"q1\"],[\"p0\",\"q1\"]]"
      ),
      (["first", ["$each": "${tags}", "$value": "${$item}"], "last"], "[\"first\",\"t1\",\"t2\",\"last\"]"),
    ] as [(JSONValue, String)]
  )
  func gives(_ source: JSONValue, _ expected: String) throws {
    let template = try Template(source)
    let document = try Document(Self.item.bytes)
    try document.withRoot { root in
      let scope = Scope(item: root)
      let value = try template.evaluate(in: scope)
      #expect(value.json == expected)
      // Texts are made in the arena, and live as long.
      let arena = TextArena()
      let listed = try TemplateList([template]).value(at: 0, in: scope, arena: arena)
      #expect(withExtendedLifetime(arena) { listed.json } == expected)
    }
  }

  @Test(
    arguments: [
      ("a ${", "${ is not closed: } is missing ($${ stands for a plain ${)", ".x", 2),
      ("${}", "the expression is empty", ".x", 2), ("é ${a = 1}", "`=` is no operator; `==` compares", ".x", 7),
      (["y": [1, "${a |}"]], "the expression ends too early: the name of a filter is expected", ".x.y[1]", 5),
      (["$each": "x"], "$each takes one expression: $each: ${replies}", ".x.$each", 0),
      (["$each": "a ${b}"], "$each takes one expression: $each: ${replies}", ".x.$each", 0),
      (["$value": 1], "$value needs $each beside it", ".x", 0),
      (["$each": "${a}", "$value": 1, "b": 2], "beside $value there is only $each", ".x", 0),
      (["$eahc": "${a}"], "there are $each and $value; a member named $eahc is written $$eahc", ".x.$eahc", 0),
    ] as [(JSONValue, String, String, Int)]
  )
  func isNoTemplate(_ source: JSONValue, _ message: String, _ path: String, _ offset: Int) {
    let error = #expect(throws: TemplateError.self) { try Template(["x": source]) }
    #expect(error?.message == message)
    #expect(error?.path.map(\.description).joined() == path)
    #expect(error?.offset == offset)
  }

  @Test func textForURLs() throws {
    var scope = Scope(item: Value(Self.item))
    scope.parameters = ["q": "a b/../c?d=é"]
    scope.environment = ["BASE": "https://api.example.com/v1"]
    let template = try Template(text: "${env.BASE}/search/${$params.q}")
    #expect(
      try template.text(in: scope, encoding: .url) == "https://api.example.com/v1/search/a%20b%2F..%2Fc%3Fd%3D%C3%A9"
    )
    #expect(template.dependencies == [.parameters, .environment])
    #expect(try Template(text: "${number}").text(in: scope) == "7")
    #expect(try Template(text: "${none}").text(in: scope) == nil)
    #expect(try Template(text: "${user}").text(in: scope) == nil)
  }

  @Test func knowsWhatItReads() throws {
    #expect(try Template(["a": "${title}", "b": "x"]).dependencies == .item)
    #expect(try Template(["a": "${title} ${$count}", "b": ["${$key}"]]).dependencies == [.item, .count, .key])
    #expect(try Template(["$each": "${tags}", "$value": "${$index}"]).dependencies == .item)
    #expect(try Template(["a": 1]).constant == ["a": 1])
    #expect(try Expression("$response.a | map($index + $params.x)").dependencies == [.response, .parameters])
    #expect(try Expression("data.members").documentPath == [.name("data"), .name("members")])
    #expect(try Expression("$response").documentPath == [])
    #expect(try Expression("data | first").documentPath == nil)
    #expect(try Template(["b": "${title}", "a": 1]).members?.map(\.name) == ["b", "a"])
  }
}
