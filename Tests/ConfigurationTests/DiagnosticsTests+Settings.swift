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
      "a name where an address is to listen on",
      base + cell + "listen: name:80",
      "3:9: the text 'name:80' has no address, a numeric IPv4 or IPv6 address is needed"
    ),
    Case(
      "a URL where an address is to listen on",
      base + cell + "listen: http://127.0.0.1:8080",
      "3:9: the text 'http://127.0.0.1:8080' is no address and port, write it without a scheme and a path: `127.0.0.1:8080`"
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
      "a store that is nothing",
      base + cell + "store:",
      "3:7: the store is `memory` or a mapping, and this is nothing, write `store: {path: data/tablecast.sqlite}`"
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
      "number beyond 63 bits",
      base + cell + "history: 9223372036854775808",
      "3:10: the number 9223372036854775808 is out of range, it is from 1 to 100000"
    ),
    Case(
      "number beyond 64 bits",
      base + cell + "history: -99999999999999999999",
      "3:10: the number -99999999999999999999 is out of range"
    ),
    Case("number with a fraction", base + cell + "history: 1.5", "3:10: a whole number is expected here"),
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
      "duration that is too long",
      base + cell + "views: {idle: 400d}",
      "3:15: the duration '400d' is too long, it is at most 366d"
    ),
    Case(
      "duration beyond all numbers",
      base + cell + "views: {idle: 1h99999999999999999999ms}",
      "3:15: the duration '1h99999999999999999999ms' is too long, it is at most 366d"
    ),
    Case(
      "duration that is too short",
      base + cell + "views: {idle: 1ms}",
      "3:15: the duration '1ms' is too short, it is at least 1s"
    ),
    Case(
      "duration without an end",
      base + cell + "views: {idle: 400d3}",
      "3:15: a duration is expected here, and this is the text '400d3'"
    ),
    Case("duration without a number", base + cell + "views: {idle: h}", "3:15: a duration is expected here"),
    Case(
      "size that is too large",
      base + cell + "limits: {requestBody: 1048577GB}",
      "3:23: the size '1048577GB' is too large, it is at most 1048576GB"
    ),
    Case(
      "size beyond all numbers",
      base + cell + "limits: {requestBody: 99999999999999999999B}",
      "3:23: the size '99999999999999999999B' is too large, it is at most 1048576GB"
    ),
    Case("size in bytes", base + cell + "limits: {requestBody: 2000000B}"),
    Case("no locales", base + cell + "locales: []", "3:10: the list of locales is empty, it has at least 1"),
    Case(
      "locales that stand twice",
      base + cell + "locales: [en, de, EN, de]",
      "3:19: 'EN' stands twice in the list of locales, keep one of them",
      "3:23: 'de' stands twice in the list of locales, keep one of them"
    ),
    Case(
      "malformed language tags",
      base + cell + "locales: [en-US-US, de_DE, d, en-, de-x, en-a-b, deutschland, 12]",
      "3:11: 'en-US-US' is no language tag, write for example `en-US` or `de`",
      "3:21: 'de_DE' is no language tag, write `de-DE`",
      "3:28: 'd' is no language tag",
      "3:31: 'en-' is no language tag",
      "3:36: 'de-x' is no language tag",
      "3:42: 'en-a-b' is no language tag",
      "3:50: 'deutschland' is no language tag",
      "3:63: '12' is no language tag"
    ),
    Case(
      "language tags",
      base + cell
        + "locales: [de, en-US, zh-Hant-TW, zh-cmn-Hans-CN, es-419, de-1996, sl-rozaj-biske, de-u-co-phonebk, en-x-a]"
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
