import Expressions
import Testing

/// Every way in which a text is no expression: what the message says, and the byte that it points to.
@Suite struct ExpressionErrorTests {
  @Test(
    arguments: [
      ("", "the expression is empty", 0), ("  ", "the expression is empty", 0),
      ("a = 1", "`=` is no operator; `==` compares", 2), ("a === 1", "`==` and `!=` compare; there is no third =", 2),
      ("a & b", "`&` is no operator; `&&` is and", 2), ("a and b", "“and” is written &&", 2),
      ("a or b", "“or” is written ||", 2), ("not a", "“not” is written !: a value is expected", 0),
      ("a +", "the expression ends too early: a value is expected", 3),
      ("(a", "`(` is not closed: `)` is missing", 0), ("a)", "`)` closes nothing", 1),
      ("a[1", "`[` is not closed: `]` is missing", 1), ("a]", "`]` closes nothing", 1),
      ("[1, 2", "`[` is not closed: `]` is missing", 0), ("a b", "“b” is unexpected here", 2),
      ("'a", "the string that starts here has no closing '", 0),
      ("x == \"a", "the string that starts here has no closing \"", 5),
      ("'\\x'", "unknown escape; there are \\n \\t \\r \\\\ \\' \\\" \\/ \\$ \\uXXXX", 1),
      ("'\\uD800'", "\\u takes four hexadecimal digits of a character", 1),
      ("$itm.x", "unknown root $itm; did you mean $item?", 0),
      (
        "$surroundings",
        "unknown root $surroundings; there are $item, $index, $key, $count, $items, $response, $pages, $params, $locale, $caller, $id, $edit, $status, $cursor, $since, $parent, env.NAME",
        0
      ),
      ("$env.X", "env is written without $: env.NAME", 0),
      ("env[title]", "env takes one name: env.NAME", 0), ("1 + env[$params.a]", "env takes one name: env.NAME", 4),
      ("env['A' + 'B']", "env takes one name: env.NAME", 0), ("env[a].b", "env takes one name: env.NAME", 0),
      ("env", "env takes one name: env.NAME", 0), ("env.A.b", "env takes one name: env.NAME", 0),
      ("a | trunkate(3)", "unknown filter “trunkate”; did you mean truncate?", 4),
      ("a | uper", "unknown filter “uper”; did you mean upper?", 4),
      ("a | truncate", "truncate is written truncate(length, ending?)", 4),
      ("a | upper(1)", "upper is written upper", 4),
      ("a |", "the expression ends too early: the name of a filter is expected", 3),
      ("a | | b", "`|` is unexpected here: a filter (or is written ||) is expected", 4),
      ("upper(a)", "upper is a filter: value | upper", 0), ("foo(a)", "there is no function “foo”; only has(path)", 0),
      ("has(1)", "has takes a path, such as has(user.name)", 4), ("has(a", "`(` is not closed: `)` is missing", 3),
      ("a < b < c", "comparisons don't chain; write a < b && b < c", 6),
      ("a ? b", "`:` is expected: a choice is condition ? this : that", 5),
      ("a?.b", "`.` is enough: a member of null is null", 1),
      ("{a: 1}", "there are no objects in expressions; a template has them", 0),
      (
        "a.1",
        "the number 1 is unexpected here: a member's name after the dot (other names and positions are written ['…'] and [0]) is expected",
        2
      ),
      ("1abc", "a name can't start with a digit; a member of such a name is written ['1abc']", 0),
      ("a # b", "`#` means nothing here", 2), ("1e999", "the number 1e999 is too big", 0),
      ("é =", "`=` is no operator; `==` compares", 3),
      (
        "${a}",
        "`${…}` stands around an expression, not in it: $item, $index, $key, $count, $items, $response, $pages, $params, $locale, $caller, $id, $edit, $status, $cursor, $since, $parent, env.NAME",
        0
      ),
    ] as [(String, String, Int)]
  )
  func isNoExpression(_ text: String, _ message: String, _ offset: Int) {
    let error = #expect(throws: ExpressionError.self) { try Expression(text) }
    #expect(error?.message == message)
    #expect(error?.offset == offset)
  }

  @Test(arguments: [
    String(repeating: "(", count: 65) + "a" + String(repeating: ")", count: 65),
    String(repeating: "!", count: 200) + "a", String(repeating: "-", count: 200) + "a",
    String(repeating: "[", count: 4000), "a" + String(repeating: " + a", count: 300),
    "a" + String(repeating: " ?? a", count: 300), "a" + String(repeating: " ? a : a", count: 300),
    "a" + String(repeating: " | upper", count: 300), "(a)" + String(repeating: ".a", count: 300),
    String(repeating: "a", count: 9000), String(repeating: "a | map(", count: 300),
  ])
  func isBounded(_ text: String) { #expect(throws: ExpressionError.self) { try Expression(text) } }

  @Test func whatIsInBoundsIsTaken() throws {
    _ = try Expression(String(repeating: "(", count: 60) + "a" + String(repeating: ")", count: 60))
    _ = try Expression("a" + String(repeating: " + a", count: 250))
  }
}
