import JSON

/// Values that are as dear as so many bytes of JSON can be, each to some operation.
enum HostileValues {
  /// - Parameter bytes: about how many each has.
  static func all(_ bytes: Int) -> [(name: String, value: JSONValue)] {
    func text(_ part: String) -> JSONValue { .string(String(repeating: part, count: bytes / part.utf8.count)) }
    func list(_ count: Int, _ element: (Int) -> JSONValue) -> JSONValue { .array((0..<count).map(element)) }
    func object(_ count: Int, _ value: JSONValue) -> JSONValue {
      .object((0..<count).map { JSONValue.Member(name: "member\($0)", value: value) })
    }
    return [
      ("letters", text("x")), ("accents", text("é")), ("flags", text("🇩🇪")),
      ("flags of a URL", .string("https://" + String(repeating: "🇩🇪", count: bytes / 8))),
      ("one character", text("\u{301}")),
      ("line ends", text("\r\n")), ("spaces", text(" ")), ("digits", text("1")), ("tags", text("<a>")),
      ("open tags", text("<a ")), ("references", text("&amp;")), ("ampersands", text("&&&&&&&&&&&&&&;")),
      ("comments", text("<!--")), ("slashes", text("://")), ("commas", text(",")), ("escapes", text("\u{1}")),
      ("numbers", list(bytes / 2) { .integer(Int64($0 % 10)) }),
      ("fractions", list(bytes / 9) { .double(Double($0) + 0.123) }),
      ("large integers", list(bytes / 20) { .integer(Int64.max - Int64($0)) }),
      ("strings", list(bytes / 4) { _ in .string("y") }),
      ("alike", list(bytes / 1_000) { _ in .string(String(repeating: "y", count: 1_000)) }),
      ("dates", list(bytes / 23) { _ in .string("2024-05-01T22:30:00Z") }),
      ("empty lists", list(bytes / 3) { _ in .array([]) }),
      ("objects", list(bytes / 8) { _ in .object([.init(name: "k", value: .integer(1))]) }),
      ("members", object(bytes / 15, .integer(1))),
      ("deep", (0..<60).reduce(list(bytes / 2) { _ in .integer(1) }) { inner, _ in .array([inner]) }),
    ]
  }

  /// What takes more than the input: by the filter's name.
  static let arguments = [
    "truncate": "(20000)", "replace": "('y', 'zz')", "split": "('')", "contains": "('none')",
    "startsWith": "(v)", "endsWith": "(v)", "plural": "('a', 'b', null, null, 'pl')", "join": "(v)", "first": "(3)",
    "last": "(3)", "slice": "(1, -1)", "map": "($item)", "where": "($item == 3)", "sort": "($item)",
    "unique": "($item)",
    "min": "($item)", "max": "($item)", "sum": "($item | length)", "default": "(v)", "number": "(2, 'de')",
    "currency": "('EUR', 'de')", "round": "(2)", "date": "('medium', 'Europe/Berlin', 'de')",
  ]

  /// Operators, and filters whose arguments may be hostile too.
  static let others = [
    "v == w", "v != w", "v < w", "v in w", "'none' in v", "'y' in v", "v + 'x'", "v[-1]", "v['none']", "v[a[0]]",
    "has(v.none)", "!v", "v ?? w", "v ? v : w", "[v, v]", "v | sort", "v | unique", "v | min", "v | join",
    "v | replace(v, 'x')",
    "'x' | replace('x', v)", "v | split(v)", "v | split(',')", "v | contains(v)", "v | sort($item, 'descending')",
    "v | map(v)",
    "v | map(v | length)", "v | map(v == w)", "v | where($item in v)", "v | sort(v)", "v | map($item | hash)",
    "v | map($item | date)", "v | map($item | date('yyyy-MM-dd', 'Europe/Berlin', 'de'))",
    "v | map('2024-05-01' | date($item))",
    "v | map(1 | date('iso', $item))", "v | map($item | number)", "v | map(1 | number($item))",
    "v | map(5 | currency($item))",
    "v | map($item | plural('a', 'b', null, null, 'pl'))", "v | map($item | split('') | length)",
    "v | map($item | host)",
    "v | truncate(10, v)", "v | map($index | string)", "(v | json) + (v | json)", "v | map($item * 2.5 % 7)",
  ]
}
