extension DiagnosticsTests {
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
}
