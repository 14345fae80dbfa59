import Testing

@testable import Configuration

/// One mistake each: where it is said to be, what is said, what would be right.
@Suite struct DiagnosticsTests {
  struct Case: CustomTestStringConvertible {
    var name: String
    var text: String
    /// `line:column: text`; what stands here must begin a diagnostic, and there are no others.
    var expected: [String]

    init(_ name: String, _ text: String, _ expected: String...) {
      (self.name, self.text, self.expected) = (name, text, expected)
    }

    var testDescription: String { name }
  }

  /// A configuration with nothing wrong in it, in one line, to which a case adds its own.
  static let base = #"tables: {t: {source: {local: {}}, cell: C, payload: {title: "${title}"}}}"# + "\n"
  static let cell = "cells: {C: {fields: {title: string}}}\n"

  static let settings = [
    Case(
      "unknown key",
      base + cell + "listne: 8080",
      "3:1: unknown key 'listne' in the configuration, did you mean 'listen'?"
    ),
    Case(
      "unknown key far from any",
      base + cell + "zzz: 1",
      "3:1: unknown key 'zzz' in the configuration, it has listen, "
    ),
    Case(
      "address",
      base + cell + "listen: nowhere",
      "3:9: the text 'nowhere' is no address and port, write it as `127.0.0.1:8080`"
    ),
    Case(
      "port out of range",
      base + cell + "listen: 127.0.0.1:65536",
      "3:9: the text '127.0.0.1:65536' is no address and port"
    ),
    Case(
      "store",
      base + cell + "store: disk.sqlite",
      "3:8: the store is `memory` or a mapping, and this is the text 'disk.sqlite', write `store: {path: disk.sqlite}`"
    ),
    Case(
      "number in words",
      base + cell + "history: many",
      "3:10: a whole number is expected here, and this is the text 'many'"
    ),
    Case(
      "number out of range",
      base + cell + "history: 0",
      "3:10: the number 0 is out of range, it is from 1 to 100000"
    ),
    Case(
      "duration",
      base + cell + "views: {idle: 5 minutes}",
      "3:15: a duration is expected here, and this is the text '5 minutes', write it as `250ms`, `30s`, `5m` or `2h`"
    ),
    Case(
      "duration without a unit",
      base + cell + "views: {idle: 5}",
      "3:15: a duration is expected here, and this is the number 5"
    ),
    Case(
      "size",
      base + cell + "limits: {requestBody: 1 mega}",
      "3:23: a size is expected here, and this is the text '1 mega', write it as `64KB` or `32MB`"
    ),
    Case(
      "origin with a path",
      base + cell + "cors: {origins: [https://a.example/b]}",
      "3:18: the text 'https://a.example/b' is no origin"
    ),
    Case(
      "digest",
      base + cell + "auth: {tokens: [{name: a, sha256: abc, allow: [read]}]}",
      "3:35: this is no SHA-256 digest"
    ),
    Case(
      "capability",
      base + cell + "auth: {tokens: [{name: a, sha256: \(String(repeating: "0", count: 64)), allow: [red]}]}",
      "3:109: the text 'red' is none of read, edit or admin, did you mean 'read'?"
    ),
    Case("missing key", "history: 3", "1:1: 'tables' is missing, write for example `tables: "),
    Case("a list for a mapping", "- a", "1:1: the configuration is expected here, and this is a list"),
    Case("empty", "", "1:1: the configuration is empty, the smallest one is:"),
    Case("comments only", "# nothing\n", "1:1: the configuration is empty, the smallest one is:"),
  ]

  static let upstream = #"tables: {t: {source: s, row: {id: "${id}"}}}"# + "\n"

  static let sources = [
    Case(
      "scheme",
      upstream + "sources: {s: {url: ftp://x}}",
      "2:20: 'ftp://x' is no URL of an upstream, it begins with `https://` or `http://`"
    ),
    Case(
      "host by an item",
      upstream + #"sources: {s: {url: "https://${host}/x"}}"#,
      "2:20: scheme and host of a URL can't depend on an item or a caller"
    ),
    Case("no url", upstream + "sources: {s: {every: 5m}}", "2:14: 'url' is missing"),
    Case(
      "local and url",
      upstream + "sources: {s: {local: {}, url: https://x.example}}",
      "2:14: a local source has no 'url'"
    ),
    Case(
      "method",
      upstream + "sources: {s: {url: https://x.example, method: get}}",
      "2:47: the text 'get' is no request method"
    ),
    Case(
      "header name",
      upstream + "sources: {s: {url: https://x.example, headers: {a b: c}}}",
      "2:49: 'a b' is no header name"
    ),
    Case(
      "forwarded header",
      upstream + "sources: {s: {url: https://x.example, forward: [Host]}}",
      "2:49: the header 'Host' belongs to one connection"
    ),
    Case(
      "paging without a style",
      upstream + "sources: {s: {url: https://x.example, paging: {maxPages: 3}}}",
      "2:47: the paging does not say how, write one of link, nextUrl, cursor, page or offset"
    ),
    Case(
      "two styles",
      upstream + "sources: {s: {url: https://x.example, paging: {link: true, nextUrl: next}}}",
      "2:47: the paging has link or nextUrl at once"
    ),
    Case(
      "cursor without parameter",
      upstream + "sources: {s: {url: https://x.example, paging: {cursor: next}}}",
      "2:47: 'parameter' is missing"
    ),
    Case(
      "often",
      upstream + "sources: {s: {url: https://x.example, every: 100ms}}",
      "2:39: warning: this asks the upstream more than once a second"
    ),
    Case(
      "plain credentials",
      upstream + "sources: {s: {url: http://x.example, headers: {authorization: a}}}",
      "2:48: warning: 'authorization' is sent without encryption"
    ),
    Case(
      "unused",
      upstream + "sources: {s: {url: http://127.0.0.1, headers: {authorization: a}}, u: {url: https://x.example}}",
      "2:68: warning: no table uses the source 'u'"
    ),
    Case(
      "unknown",
      upstream + "sources: {ss: {url: https://x.example}}",
      "1:22: there is no source 's', did you mean 'ss'?",
      "2:11: warning: no table uses the source 'ss'"
    ),
    Case(
      "name",
      upstream + "sources: {s: {url: https://x.example}, a/b: {url: https://x.example}}",
      "2:40: warning: no table uses the source 'a/b'",
      "2:40: the name 'a/b' can't stand in a URL"
    ),
  ]

  static let cells = [
    Case(
      "type",
      base + "cells: {C: {fields: {title: string, a: optional strin}}}",
      "2:40: 'optional strin' is no type, did you mean 'string'?"
    ),
    Case(
      "nib and class",
      base + "cells: {C: {fields: {title: string}, nib: a, class: b}}",
      "2:38: a cell with 'nib' and 'class'"
    ),
    Case(
      "expands nothing",
      base + "cells: {C: {fields: {title: string}, expands: titl}}",
      "2:47: 'expands' names no field of this cell: 'titl', did you mean 'title'?"
    ),
    Case(
      "expands a text",
      base + "cells: {C: {fields: {title: string}, expands: title}}",
      "2:47: 'expands' names the field 'title', which is a string, it must be a boolean"
    ),
    Case(
      "fallback",
      base + "cells: {C: {fields: {title: string}, fallback: D}}",
      "2:48: there is no cell 'D', did you mean 'C'?"
    ),
    Case(
      "fallbacks in a circle",
      base + "cells: {C: {fields: {title: string}, fallback: D}, D: {fallback: C}}",
      "2:48: fallbacks go round in a circle: C → D → C",
      "2:52: warning: the fallback C needs the field 'title', which D does not have"
    ),
    Case("unused", base + cell.dropLast(2) + ", D: {}}", "2:39: warning: nothing shows the cell 'D'"),
  ]

  static func table(_ rest: String) -> String { cell + "tables: {t: {source: {local: {}}, \(rest)}}" }

  static let representations = [
    Case(
      "cell",
      table("cell: D"),
      "2:41: there is no cell 'D', did you mean 'C'?",
      "1:9: warning: nothing shows the cell 'C'"
    ),
    Case(
      "field",
      table("cell: C, payload: {titel: a, title: b}"),
      "2:54: C has no field 'titel', did you mean 'title'?"
    ),
    Case(
      "unfilled field",
      table("cell: C, payload: {}"),
      "2:44: warning: the field 'title' of C is not filled: no item fits"
    ),
    Case(
      "constant of another type",
      table("cell: C, payload: {title: 3}"),
      "2:61: the field 'title' of C is a string, and this is the number 3"
    ),
    Case(
      "payload without cell",
      table("payload: {title: a}, representations: {$default: {cell: C, payload: {title: a}}}"),
      "2:13: 'payload' without 'cell'"
    ),
    Case(
      "no look",
      table("title: T"),
      "2:13: nothing says how the items of 't' are shown, give it a `cell` and a `payload`",
      "1:9: warning: nothing shows the cell 'C'"
    ),
    Case(
      "use",
      table("representations: {$default: {use: shared}, sharde: {cell: C, payload: {title: a}}}"),
      "2:69: there is no representation 'shared', did you mean 'sharde'?",
      "2:78: warning: no table has items of the type 'sharde'"
    ),
    Case(
      "uses in a circle",
      table("representations: {$default: {use: a}, a: {cases: [{use: $default}]}}"),
      "2:69: representations use each other in a circle: $default → a → $default",
      "1:9: warning: nothing shows the cell 'C'"
    ),
    Case(
      "an own one that uses itself",
      table("representations: {$default: {use: $default}}"),
      "2:69: representations use each other in a circle: $default → $default",
      "1:9: warning: nothing shows the cell 'C'"
    ),
    Case(
      "a fallback on itself",
      base + "cells: {C: {fields: {title: string}, fallback: C}}",
      "2:48: fallbacks go round in a circle: C → C"
    ),
    Case(
      "an own one over the shared one of its name",
      table("representations: {$default: {use: $default}}")
        + "\nrepresentations: {$default: {cell: C, payload: {title: a}}}"
    ),
    Case(
      "both cell and use",
      table("representations: {$default: {cell: C, use: a}}"),
      "2:63: a representation with 'cell' and 'use'",
      "1:9: warning: nothing shows the cell 'C'"
    ),
    Case(
      "type that nothing takes",
      table(
        "row: {type: \"${a ? 'x' : (b ? 'yy' : 'z')}\"}, representations: {x: {cell: C, payload: {title: a}}, yyy: {cell: C, payload: {title: a}}}"
      ),
      "2:47: warning: no representation takes the type 'yy': its items are skipped, did you mean 'yyy'?",
      "2:47: warning: no representation takes the type 'z'",
      "2:134: warning: no table has items of the type 'yyy'"
    ),
  ]

  static let tables = [
    Case(
      "identity",
      cell + "sources: {s: {url: https://x.example}}\ntables: {t: {source: s, cell: C, payload: {title: a}}}",
      "3:13: 'row.id' is missing: rows of an upstream need an identity"
    ),
    Case(
      "constant identity",
      table("row: {id: email}, cell: C, payload: {title: a}"),
      "2:45: every row would have the same identity 'email', write `id: \"${email}\"`"
    ),
    Case("source", cell + "tables: {t: {cell: C, payload: {title: a}}}", "2:13: 'source' is missing"),
    Case(
      "section id",
      table("cell: C, payload: {title: a}, sections: [{where: a}]"),
      "2:76: 'id' is missing, write for example `id: open`"
    ),
    Case(
      "section ids twice",
      table("cell: C, payload: {title: a}, sections: [{id: a}, {id: a}]"),
      "2:90: two sections have the id 'a'; the first is in line 2"
    ),
    Case(
      "groups",
      table("cell: C, payload: {title: a}, sections: {grupBy: a}"),
      "2:75: 'groupBy' is missing",
      "2:76: unknown key 'grupBy' in the groups, did you mean 'groupBy'?"
    ),
    Case(
      "animation",
      table("cell: C, payload: {title: a}, animation: {insert: fad}"),
      "2:85: the text 'fad' is none of fade, right, left, top, bottom, none, middle or automatic, did you mean 'fade'?"
    ),
    Case(
      "yes for true",
      table("cell: C, payload: {title: a}, sharedTaps: yes"),
      "2:77: a boolean is expected here, and this is the text 'yes', write `true`"
    ),
    Case(
      "pattern",
      table("cell: C, payload: {title: a}, parameters: {a: {pattern: \"[\"}}"),
      "2:91: '[' is no regular expression"
    ),
    Case(
      "default outside the pattern",
      table("cell: C, payload: {title: a}, parameters: {a: {pattern: \"[a-z]+\", default: A}}"),
      "2:101: the default 'A' does not match the pattern"
    ),
    Case(
      "unknown parameter",
      table("cell: C, payload: {title: \"${$params.ownr}\"}, parameters: {owner: }"),
      "2:64: the table 't' has no parameter 'ownr', did you mean 'owner'?"
    ),
    Case(
      "edits of a local table",
      table("cell: C, payload: {title: a}, edits: {delete: {url: https://x.example}}"),
      "2:65: edits of a local table are not forwarded"
    ),
    Case(
      "item",
      cell + "tables: {t: {source: {local: {items: [3]}}, cell: C, payload: {title: a}}}",
      "2:39: an item is expected here, and this is the number 3"
    ),
    Case(
      "instances",
      table("cell: C, payload: {title: a}, instances: {freezeAfter: 5m, dropAfter: 1m}"),
      "2:94: 'dropAfter' is shorter than 'freezeAfter'"
    ),
  ]

  @Test(arguments: settings + sources + cells + representations + tables)
  func says(_ test: Case) {
    let found = diagnostics(test.text)
    #expect(found.count == test.expected.count, "\(found)")
    for expected in test.expected {
      #expect(found.contains { $0.hasPrefix(expected) }, "\(expected)\n\(found)")
    }
  }

  @Test func saysEverythingAtOnceInTheOrderOfTheFile() {
    let text = """
      listne: 8080
      history: many
      tables:
        t: {source: {local: {}}, cell: C, payload: {titel: "${(a}", title: 3}, can: {edit: ")"}}
      cells: {C: {fields: {title: string}}}
      """
    #expect(
      diagnostics(text).map { $0.prefix { $0 != " " } } == ["1:1:", "2:10:", "4:47:", "4:57:", "4:70:", "4:87:"],
      "\(diagnostics(text))"
    )
  }
}
