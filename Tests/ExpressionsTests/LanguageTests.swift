import Expressions
import JSON
import Testing

/// Filters that write in a language, and the roots of the second part.
@Suite struct LanguageTests {
  private func value(_ text: String, _ change: (inout Scope) -> Void) throws -> String {
    var scope = Scope()
    change(&scope)
    return try Expression(text, lookups: ["user"]).evaluate(in: scope).json
  }

  @Test(
    arguments: [
      ("1234.5 | number", "de-DE", "\"1.234,5\""), ("1234.5 | number(2, 'en')", "de-DE", "\"1,234.50\""),
      ("3 | currency('EUR')", "de-DE", "\"3,00\u{A0}€\""), ("3 | currency('EUR')", "en-US", "\"€3.00\""),
      ("1714602600 | date('d. MMMM yyyy')", "de-DE", "\"1. Mai 2024\""),
      ("1714602600 | date('d. MMMM yyyy', 'UTC', 'fr')", "de-DE", "\"1. mai 2024\""),
      ("0 | plural('jour', 'jours')", "fr", "\"jour\""), ("0 | plural('day', 'days')", "en-US", "\"days\""),
      ("5 | plural('plik', 'pliku', 'pliki', 'plików')", "pl", "\"plików\""),
      ("2 | plural('plik', 'pliku', 'pliki', 'plików')", "pl", "\"pliki\""), ("$locale", "pl", "\"pl\""),
      ("1 | plural('a', 'b')", "xx", "\"b\""),
      // With extensions and variants.
      ("1234.5 | number", "de-DE-u-co-phonebk", "\"1.234,5\""),
      ("3 | currency('EUR')", "de-DE-u-nu-latn", "\"3,00\u{A0}€\""),
      ("1714602600 | date('d. MMMM yyyy')", "de-DE-u-co-phonebk", "\"1. Mai 2024\""),
      ("2 | plural('plik', 'pliku', 'pliki', 'plików')", "pl-Latn-PL-u-co-standard", "\"pliki\""),
    ] as [(String, String, String)]
  )
  func filtersWriteInTheLocale(_ text: String, _ locale: String, _ expected: String) throws {
    #expect(try value(text) { $0.locale = locale } == expected)
  }

  /// Items may bring any number of languages: those that come later have their rules, too.
  @Test func languagesOfItemsHaveTheirRules() throws {
    let word = try Expression("2 | plural('one', 'other', 'few', 'many', lang)")
    for number in 0..<300 {
      let scope = Scope(item: Value(["lang": .string("zz-\(1_000 + number)")]))
      #expect(try word.evaluate(in: scope).json == "\"other\"")
    }
    for _ in 0..<2 {
      #expect(try word.evaluate(in: Scope(item: Value(["lang": "uk"]))).json == "\"few\"")
    }
  }

  @Test func whatDependsOnTheLocale() throws {
    #expect(try Expression("a | number").dependencies == [.item, .locale])
    #expect(try Expression("a | number(2, 'de')").dependencies == .item)
    #expect(try Expression("$items | map(price) | sum | currency('EUR')").dependencies == [.items, .item, .locale])
    #expect(try Expression("$user.name ?? $locale", lookups: ["user"]).dependencies == [.lookups, .locale])
    #expect(try Expression("$user.name", lookups: ["user", "team"]).lookups == ["user"])
    #expect(try Template(["a": ["${$user.name}"]], lookups: ["user"]).lookups == ["user"])
  }

  /// The direction of `sort` is evaluated in the scope around the list.
  @Test func onlyTheFirstArgumentIsOfTheElements() throws {
    let directed = try Expression("labels | sort(name, $index > 0 ? direction : 'descending')")
    #expect(directed.dependencies == [.item, .index])
    #expect(directed.itemMembers == ["labels", "direction"])
    #expect(try Expression("labels | sort($index, 'descending')").dependencies == .item)
  }

  @Test func membersOfTheItemInScope() throws {
    #expect(try Expression("$items | map(price) | sum").itemMembers == [])
    #expect(try Expression("title + ($items | sum(price)) + $item.name").itemMembers == ["title", "name"])
    #expect(try Expression("labels | map(name)").itemMembers == ["labels"])
  }

  @Test func itemsOfASection() throws {
    let items = Value(try JSONValue(parsing: #"[{"price":1.5,"label":"a"},{"price":2},{"price":null}]"#))
    #expect(try value("$items | map(price) | sum") { $0.items = items } == "3.5")
    #expect(try value("$items[0].label") { $0.items = items } == "\"a\"")
    #expect(try value("$items | length") { $0.items = items } == "3")
    #expect(try value("$user.name") { $0.lookups = ["user": Value(["name": "Ann"])] } == "\"Ann\"")
    #expect(try value("$user.name") { _ in } == "null")
    #expect(try value("$status >= 400") { $0.status = 422 } == "true")
  }

  @Test func splitIsChargedForItsList() throws {
    let scope = Scope(item: Value(["text": .string(String(repeating: ",", count: 1_200_000))]))
    #expect(throws: EvaluationError.self) { try Expression("text | split(',') | length").evaluate(in: scope) }
    #expect(throws: EvaluationError.self) { try Expression("text | split('') | length").evaluate(in: scope) }
  }

  @Test func integersAboveInt64StayExact() throws {
    let item = Value(try JSONValue(parsing: #"{"id":18446744073709551615,"other":18446744073709551614}"#))
    let scope = Scope(item: item)
    #expect(try Expression("id").evaluate(in: scope).json == "18446744073709551615")
    #expect(try Expression("id | string").evaluate(in: scope).json == "\"18446744073709551615\"")
    #expect(try Expression("id > other && id != other").evaluate(in: scope).json == "true")
    #expect(try Expression("id | round").evaluate(in: scope).json == "18446744073709551615")
    #expect(try Expression("id | number").evaluate(in: scope).json == "\"18,446,744,073,709,551,615\"")
    let amount = try Expression("id | currency('EUR', 'en')").evaluate(in: scope)
    #expect(amount.json == "\"€18,446,744,073,709,551,615.00\"")
    #expect(JSONValue(item) == (try JSONValue(parsing: JSONValue(item).bytes)))
  }

  @Test func namesAreComparedByTheirBytes() throws {
    let scope = Scope(item: Value(.object([.init(name: "e\u{301}", value: 1), .init(name: "\u{E9}", value: 2)])))
    #expect(try Expression("\u{E9}").evaluate(in: scope).json == "2")
    #expect(try Expression("'\u{E9}' == 'e\u{301}'").evaluate(in: scope).json == "false")
    #expect(try Expression("['\u{E9}', 'e\u{301}'] | unique | length").evaluate(in: scope).json == "2")
  }

  /// Of members with one name the first counts, on both sides.
  @Test(
    arguments: [
      (#"{"a":1,"a":1}"#, #"{"a":1,"b":2}"#, false), (#"{"a":1,"b":2}"#, #"{"b":2,"a":1,"c":3}"#, false),
      (#"{"a":1,"a":2}"#, #"{"a":1,"a":2}"#, true), (#"{"a":1,"a":2}"#, #"{"a":2,"a":1}"#, false),
      (#"{"a":1,"a":2}"#, #"{"a":1}"#, true), (#"{"a":1,"a":2}"#, #"{"a":2}"#, false),
      (#"{"a":1,"b":2,"a":3}"#, #"{"b":2,"b":4,"a":1,"a":1}"#, true),
      (#"[{"a":{"b":1,"b":2}}]"#, #"[{"a":{"b":1}}]"#, true),
    ] as [(String, String, Bool)]
  )
  func doubledNamesCountOnce(_ first: String, _ second: String, _ areEqual: Bool) throws {
    let item = try JSONValue(parsing: "{\"first\":\(first),\"second\":\(second)}")
    let expression = try Expression(
      "[first == second, second == first, first == first, ([first, second] | unique | length)]"
    )
    let expected = "[\(areEqual),\(areEqual),true,\(areEqual ? 1 : 2)]"
    #expect(try expression.evaluate(in: Scope(item: Value(item))).json == expected)
    let read = try Document(item.bytes).withRoot { root in
      Result { try expression.evaluate(in: Scope(item: root)).json }
    }
    #expect(try read.get() == expected)
  }

  @Test func doubledNamesCountOnceAmongMany() {
    let members = (0..<20).map { Value.Member(name: "m\($0)", value: .integer(Int64($0))) }
    let others = members.map { Value.Member(name: $0.name, value: .null) }
    let (single, doubled) = (Value.object(members.reversed()), Value.object(members + others))
    #expect(single == doubled && doubled == single && single.hashValue == doubled.hashValue)
    #expect(doubled != .object(others + members) && doubled != .object(others))
  }
}
