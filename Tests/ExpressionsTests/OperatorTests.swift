import Expressions
import JSON
import Testing

/// Every operator: what an expression gives for one item, as JSON.
@Suite struct OperatorTests {
  static let item: JSONValue = [
    "title": "Ada", "count": 3, "ratio": 2.5, "done": false, "nothing": nil, "empty": "",
    "user": ["avatar_url": "a.png", "name with spaces": "x", "tags": ["a", "b", "c"]],
    "big": 9_223_372_036_854_775_807, "huge": .unsigned(.max), "list": [1, 2, 3], "none": [],
  ]

  static let cases: [(String, String)] = [
    // Paths
    ("title", "\"Ada\""), ("user.avatar_url", "\"a.png\""), ("user['name with spaces']", "\"x\""),
    ("user[\"avatar_url\"]", "\"a.png\""), ("user.tags[0]", "\"a\""), ("user.tags[-1]", "\"c\""),
    ("user.tags[3]", "null"), ("user.tags[-4]", "null"), ("user.tags[count - 2]", "\"b\""), ("missing", "null"),
    ("missing.deeper[0].still", "null"), ("title.length", "null"), ("$item.title", "\"Ada\""), ("$index", "7"),
    ("$key", "\"k\""), ("$count", "12"), ("$response.page", "2"), ("$params.repo", "\"swift\""),
    ("$params.other", "null"), ("env.STAGE", "\"test\""), ("env.OTHER", "null"), ("$id", "\"r1\""),
    ("$edit.done", "true"), ("$edit.section", "\"today\""), ("$edit.at", "\"noon\""), ("$edit.after", "null"),
    ("$edit", "{\"done\":true,\"section\":\"theirs\",\"at\":\"noon\"}"), ("$edit['section']", "\"today\""),
    ("$status >= 400", "true"), ("$cursor", "\"c2\""),
    ("(user).tags[1]", "\"b\""), ("['x', 'y'][1]", "\"y\""), ("user['tags'][0]", "\"a\""),
    ("$item['title']", "\"Ada\""), ("user.in", "null"), ("user[title]", "null"), ("user[null]", "null"),
    // Literals
    ("'it\\'s'", "\"it's\""), ("\"double\"", "\"double\""), ("'\\u00e9\\n'", "\"é\\n\""), ("1", "1"), ("1.50", "1.5"),
    ("1e3", "1000.0"), ("-4", "-4"), ("true", "true"), ("false", "false"), ("null", "null"), ("[]", "[]"),
    ("[1, 'a', [null]]", "[1,\"a\",[null]]"), ("9223372036854775808", "9223372036854775808"),
    ("18446744073709551615", "18446744073709551615"), ("18446744073709551616", "1.8446744073709552e+19"),
    ("-9223372036854775808", "-9223372036854775808"), ("-9223372036854775809", "-9.223372036854776e+18"),
    // Arithmetic
    ("1 + 2 * 3", "7"), ("(1 + 2) * 3", "9"), ("7 - 2 - 1", "4"), ("7 / 2", "3.5"), ("8 / 2", "4"), ("7 % 3", "1"),
    ("-7 % 3", "-1"), ("7.5 % 2", "1.5"), ("count + ratio", "5.5"), ("- count", "-3"), ("count - -1", "4"),
    ("1 + null", "null"), ("missing * 2", "null"), ("-missing", "null"), ("big + 1", "9.223372036854776e+18"),
    ("big * 2", "1.8446744073709552e+19"), ("-(0 - big - 1)", "9.223372036854776e+18"),
    ("0.1 + 0.2", "0.30000000000000004"),
    // Zero has no sign.
    ("-0.0", "0.0"), ("-(ratio - 2.5)", "0.0"), ("ratio * 0 * -1", "0.0"), ("0.0 / -2", "0.0"), ("-7.0 % 7", "0.0"),
    ("-'0.0'", "0.0"),
    // Above what has a sign
    ("huge % 10", "5"), ("huge - 18446744073709551608", "7"), ("huge + 0", "18446744073709551615"),
    ("9223372036854775809 - 2", "9223372036854775807"), ("big - huge", "-9223372036854775808"),
    ("0 - huge", "-1.8446744073709552e+19"), ("huge / 5", "3689348814741910323"), ("huge / 2", "9.223372036854776e+18"),
    ("huge * huge", "3.402823669209385e+38"), ("huge + 1", "1.8446744073709552e+19"),
    ("huge * 1.0", "1.8446744073709552e+19"), ("'18446744073709551615' % 10", "5"),
    ("(0 - big - 1) / -1", "9.223372036854776e+18"), ("(0 - big - 1) % -1", "0"),
    // Texts of numbers, wherever a number is wanted.
    ("'12.50' * 2", "25.0"), ("'7' - 2", "5"), ("-'3'", "-3"), ("' 8 ' / '+2'", "4"), ("'007' % 4", "3"),
    ("'9' < '10'", "true"), ("'9' < 10", "true"), ("'10.0' >= 10", "true"), ("'9a' < '10'", "false"),
    ("'1e2' > 99", "true"), ("'12.50' | abs", "12.5"), ("'-3' | abs", "3"), ("'1' | plural('one', 'more')", "\"one\""),
    ("['12.50', 1, null] | sum", "13.5"), ("['9', '10'] | max", "\"10\""), ("['9', '10'] | min", "\"9\""),
    ("['10', 9, 'x', '9.5'] | sort", "[9,\"9.5\",\"10\",\"x\"]"), ("'12.50' | currency('EUR', 'en')", "\"€12.50\""),
    ("'2' + 3", "\"23\""), ("'3' == 3", "false"), ("'9223372036854775807' - 0", "9223372036854775807"),
    ("'18446744073709551614' < '18446744073709551615'", "true"), ("'18446744073709551615' > big", "true"),
    // Text
    ("'#' + count", "\"#3\""), ("count + '#'", "\"3#\""), ("'a' + null + 'b'", "\"ab\""), ("'x' + true", "\"xtrue\""),
    ("'n' + 2.0", "\"n2\""), ("1 + 2 + 'a'", "\"3a\""), ("'a' + 1 + 2", "\"a12\""),
    // Comparison
    ("count == 3", "true"), ("count == 3.0", "true"), ("count == '3'", "false"), ("title == 'Ada'", "true"),
    ("title != 'Ada'", "false"), ("missing == null", "true"), ("nothing == missing", "true"), ("done == null", "false"),
    ("count < 4", "true"), ("count <= 3", "true"), ("count > 3", "false"), ("count >= 3", "true"),
    ("'a' < 'b'", "true"),
    ("'Z' < 'a'", "true"), ("'é' > 'z'", "true"), ("missing < 1", "false"), ("missing >= 1", "false"),
    ("1 > null", "false"), ("list == [1, 2, 3]", "true"), ("list == [3, 2, 1]", "false"), ("user == user", "true"),
    ("9007199254740993 == 9007199254740992.0", "false"), ("big < 9223372036854775808", "true"),
    ("huge == 18446744073709551615", "true"), ("huge == 18446744073709551614", "false"),
    ("huge - 1 == 18446744073709551614", "true"), ("0.0 == -0.0", "true"),
    // Logic
    ("true && 'x'", "true"), ("title && count", "true"), ("done || title", "true"), ("done || empty || 0", "false"),
    ("!done", "true"), ("!!user", "true"), ("!none", "false"), ("!''", "true"), ("!0", "true"), ("!missing", "true"),
    ("false && 'a' - 1", "false"), ("true || 'a' - 1", "true"), ("false || true && false", "false"),
    ("!done && count == 3", "true"),
    // Choice
    ("user ? 'pull' : 'issue'", "\"pull\""), ("missing ? 'pull' : 'issue'", "\"issue\""),
    ("done ? 1 : count > 2 ? 2 : 3", "2"), ("title ? done ? 1 : 2 : 3", "2"), ("done ? missing.x - 'a' : 5", "5"),
    ("done ? ['a'] : ['b']", "[\"b\"]"), ("done?1:2", "2"),
    // in
    ("2 in list", "true"), ("4 in list", "false"), ("title in ['Ada', 'Grace']", "true"), ("'d' in title", "true"),
    ("'x' in title", "false"), ("'avatar_url' in user", "true"), ("'x' in user", "false"), ("1 in missing", "false"),
    ("missing in list", "false"), ("null in [null]", "true"), ("!(2 in list)", "false"),
    // ??
    ("missing ?? 'x'", "\"x\""), ("empty ?? 'x'", "\"\""), ("done ?? true", "false"), ("missing ?? nothing ?? 1", "1"),
    ("missing ?? title == 'Ada'", "true"), ("missing ?? 'a' + 'b'", "\"ab\""),
    // has
    ("has(title)", "true"), ("has(nothing)", "true"), ("has(missing)", "false"), ("has(user.tags[2])", "true"),
    ("has(user.tags[3])", "false"), ("has($params.repo)", "true"), ("has(env.OTHER)", "false"),
    ("!has(missing)", "true"),
    ("has", "null"),
    // Filters among operators
    ("missing ?? 'ada' | upper", "\"ADA\""), ("user.tags | length > 2", "true"), ("'a' + 'b' | upper", "\"AB\""),
    ("count > 5 || user.tags | length == 3", "true"), ("title | lower | capitalize", "\"Ada\""),
    ("(title | lower) + '!'", "\"ada!\""), ("title | lower + '!'", "\"ada!\""),
    ("missing | upper ?? 'none'", "\"none\""),
    ("done ? 1 : title | upper", "\"ADA\""), ("'b' in user.tags | join('')", "true"),
    ("title | upper == 'ADA'", "true"), ("list | map($item * 2) | sum", "12"), ("user.tags | map($index)", "[0,1,2]"),
    ("list | where($item > count - 2) | length", "2"),
  ]

  @Test(arguments: cases) func evaluates(_ expression: String, to expected: String) throws {
    let scope = Self.scope(Value(Self.item))
    let value = try Expression(expression).evaluate(in: scope)
    #expect(value.json == expected)
  }

  /// The same on a parsed document, whose values are views.
  @Test(arguments: cases) func evaluatesOnViews(_ expression: String, to expected: String) throws {
    let document = try Document(Self.item.bytes)
    try document.withRoot { root in
      let value = try Expression(expression).evaluate(in: Self.scope(Value(root)))
      #expect(value.json == expected)
    }
  }

  static func scope(_ item: Value) -> Scope {
    var scope = Scope(item: item, index: 7)
    scope.key = .string("k")
    scope.count = 12
    scope.response = Value(["page": 2] as JSONValue)
    scope.parameters = ["repo": "swift"]
    scope.environment = ["STAGE": "test"]
    scope.id = .string("r1")
    scope.edit = Value(["done": true, "section": "theirs", "at": "noon"] as JSONValue)
    scope.place = Value(["section": "today", "at": .null] as JSONValue)
    scope.status = 409
    scope.cursor = .string("c2")
    return scope
  }

  /// What has no value, and what the message says.
  @Test(arguments: [
    ("'a' - 1", "`-` needs two numbers, not a string and a number"),
    ("true * 2", "`*` needs two numbers, not a boolean and a number"),
    ("1 / 0", "`/` by zero"), ("1 % 0", "`%` by zero"), ("1.5 / 0", "`/` by zero"),
    ("1e308 * 10", "`*` gives a number too big"), ("-title", "`-` needs a number, not a string"),
    ("'a' < 1", "`<` compares two numbers or two strings, not a string with a number"),
    ("done > false", "`>` compares two numbers or two strings, not a boolean with a boolean"),
    ("1 in 'abc'", "`in` looks for a string in a string, not for a number"),
    ("1 in 5", "`in` looks into an array, an object or a string, not into a number"),
    ("'a' + list", "`+` can't join a string and an array; `| json` or `| join` make it text"),
    ("list[true]", "[…] takes a position or a name, not a boolean"),
    ("count | length", "length takes a string, an array or an object, not a number"),
    ("list | upper", "upper takes a string, not an array"), ("title | join", "join takes an array, not a string"),
    ("title | date", "date takes ISO 8601, an HTTP date or a Unix time, not 'Ada'"),
    ("0 | date('iso', 'Mars' + '/Base')", "date takes a time zone such as 'Europe/Berlin', not 'Mars/Base'"),
    ("list | date", "date takes a string or a number, not an array"),
    ("title | number", "number takes a number, not the string 'Ada'"),
    ("1 | currency('eu' + 'ro')", "currency takes a code of three capitals such as 'EUR', not 'euro'"),
    ("list | sort($item, 'u' + 'p')", "sort takes 'ascending' or 'descending', not 'up'"),
    ("title | truncate(-1)", "truncate takes a length of 0 or more"),
    ("title | truncate('x')", "truncate takes an integer as argument 1, not a string"),
    ("['a'] | sum", "`+` needs two numbers, not a number and a string"),
  ]) func fails(_ expression: String, with message: String) throws {
    let expression = try Expression(expression)
    let error = #expect(throws: EvaluationError.self) { try expression.evaluate(in: Self.scope(Value(Self.item))) }
    #expect(error?.message == message)
  }

  @Test func environmentIsNotShown() throws {
    var scope = Scope()
    scope.environment = ["TOKEN": "s3cret"]
    let expression = try Expression("env.TOKEN | date")
    let error = #expect(throws: EvaluationError.self) { try expression.evaluate(in: scope) }
    #expect(error?.message.contains("s3cret") == false)
  }
}
