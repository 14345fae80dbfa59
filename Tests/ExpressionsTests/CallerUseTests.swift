import Expressions
import JSON
import Testing

/// Which values of a caller count for what an expression results in.
@Suite struct CallerUseTests {
  private static let caller: JSONValue = [
    "name": "ada",
    "claims": ["sub": "ada", "team": "red", "realm": ["roles": ["b", "a"], "z": 1, "a": 2]],
    "headers": ["x-team": "blue", "accept": "*/*"],
  ]

  @Test(
    arguments: [
      ("title", [], .null), ("'$caller'", [], .null),
      ("$caller.claims.sub == owner", [["claims", "sub"]], ["claims": ["sub": "ada"]]),
      (
        "'a' in $caller.claims.realm.roles", [["claims", "realm", "roles"]],
        ["claims": ["realm": ["roles": ["b", "a"]]]]
      ),
      ("$caller.claims.realm.roles[0]", [["claims", "realm", "roles"]], ["claims": ["realm": ["roles": ["b", "a"]]]]),
      (
        "$caller.claims.realm.z + $caller.claims.realm | json", [["claims", "realm", "z"], ["claims", "realm"]],
        ["claims": ["realm": ["a": 2, "roles": ["b", "a"], "z": 1]]]
      ),
      ("$caller.headers['X-Team']", [["headers", "X-Team"]], ["headers": ["X-Team": "blue"]]),
      ("$caller.claims.none", [["claims", "none"]], ["claims": [:]]),
      ("has($caller.name)", [["name"]], ["name": "ada"]),
      ("list | map($caller.name)", [["name"]], ["name": "ada"]),
    ] as [(String, Set<[String]>, JSONValue)]
  )
  func uses(_ text: String, _ paths: Set<[String]>, _ values: JSONValue) throws {
    let use = try Expression(text).callerUse
    #expect(use.paths == paths)
    #expect(use.values(of: Self.caller) == values)
    // Of what a table takes its source takes a part.
    #expect(use.values(of: use.values(of: Self.caller)) == values)
    #expect(use.values(of: .null) == (paths.isEmpty ? .null : .object([])))
  }

  @Test func templatesAndWholes() throws {
    let template = try Template(["a": "${$caller.name} and ${$caller.claims.sub}", "b": ["${$caller}"]])
    #expect(template.callerUse.paths == [["name"], ["claims", "sub"], []])
    #expect(template.callerUse.headers == nil)
    #expect(try Expression("$caller.headers.x + $caller.name").callerUse.headers == ["x"])
    #expect(try !Expression("$caller.headers.x").callerUse.readsIdentity)
  }
}
