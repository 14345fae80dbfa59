extension DiagnosticsTests {
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
      "2:47: the text 'get' is no method to ask for items by"
    ),
    Case(
      "a method that changes something",
      upstream + "sources: {s: {url: https://x.example, method: DELETE}}",
      "2:47: the text 'DELETE' is no method to ask for items by, write GET or POST, in capitals"
    ),
    Case(
      "a port that there isn't",
      upstream + "sources: {s: {url: \"https://x.example:99999/a\"}}",
      "2:20: 'https://x.example:99999/a' is no URL of an upstream"
    ),
    Case(
      "a URL with a blank",
      upstream + "sources: {s: {url: \"https://x.example/a b?c=${env.C ?? 'd e'}\"}}",
      "2:20: the URL has a blank or a line break, write a blank as `%20`"
    ),
    Case(
      "a header of two lines",
      upstream + #"sources: {s: {url: https://x.example, headers: {X-A: "a\nb", X-B: "c\td ${env.E ?? 'f\ng'}"}}}"#,
      "2:54: a header field's value stands on one line, and this one has a line break or another control character"
    ),
    Case(
      "a token endpoint that is none, and no secret",
      upstream + "sources: {s: {url: https://x.example, auth: {oauth2: {token: x, client: c}}}}",
      "2:54: 'secret' is missing",
      "2:55: this is no URL of a token endpoint"
    ),
    Case(
      "changes that nobody asks for",
      upstream + "sources: {s: {url: https://x.example, since: {next: meta.now}}}",
      "2:39: nothing asks for changes, write for example `query: {updated_since: \"${$since}\"}`"
    ),
    Case(
      "$since without a since",
      upstream + "sources: {s: {url: \"https://x.example/?a=${$since}\"}}",
      "2:14: `$since` without a 'since'"
    ),
    Case(
      "changes of a fan-out",
      upstream
        + "sources: {s: {url: https://x.example, since: {query: {a: \"${$since}\"}}, each: {url: \"https://x.example/${$item}\"}}}",
      "2:39: a source has 'since' or 'each', not both"
    ),
    Case(
      "a format that is none",
      upstream + "sources: {s: {url: https://x.example, format: xml}}",
      "2:47: the text 'xml' is none of json, ndjson, csv or feed"
    ),
    Case(
      "a way to log in that is none",
      upstream + "sources: {s: {url: https://x.example, auth: {}}}",
      "2:45: 'auth' does not say how, write `oauth2: {token: https://id.example.com/token, client: …, secret: …}`"
    ),
    Case(
      "two ways to log in",
      upstream + "sources: {s: {url: https://x.example, auth: {bearer: x, basic: {user: a, password: b}}}}",
      "2:45: 'auth' has basic and bearer at once"
    ),
    Case(
      "a client without a secret",
      upstream + "sources: {s: {url: https://x.example, auth: {oauth2: {token: https://id.example/t, client: x}}}}",
      "2:54: 'secret' is missing"
    ),
    Case(
      "a token endpoint that is none",
      upstream + "sources: {s: {url: https://x.example, auth: {oauth2: {token: /t, client: x, secret: y}}}}",
      "2:55: this is no URL of a token endpoint"
    ),
    Case(
      "two Authorizations",
      upstream + "sources: {s: {url: https://x.example, headers: {authorization: x}, auth: {bearer: y}}}",
      "2:49: the requests of this source have an `Authorization` here, and another by 'auth'"
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
      "2:47: the paging does not say how, write one of link, header, nextUrl, cursor, page or offset"
    ),
    Case(
      "two styles",
      upstream + "sources: {s: {url: https://x.example, paging: {link: true, nextUrl: next}}}",
      "2:47: the paging has link and nextUrl at once"
    ),
    Case(
      "a cursor that goes nowhere",
      upstream + "sources: {s: {url: https://x.example, paging: {cursor: next}}}",
      "2:39: the paging's cursor goes nowhere, write `parameter: after`, or `${$cursor}`"
    ),
    Case(
      "a cursor from nowhere",
      upstream + "sources: {s: {url: \"https://x.example/${$cursor}\"}}",
      "2:14: `$cursor` without a paging that reads one"
    ),
    Case(
      "most items twice",
      upstream + "sources: {s: {url: https://x.example, maxItems: 5, paging: {link: true, maxItems: 6}}}",
      "2:39: 'maxItems' stands here and in 'paging', keep one of them"
    ),
    Case(
      "what comes of more, twice",
      upstream + "sources: {s: {url: https://x.example, whenMore: fail, paging: {link: true, whenMore: fail}}}",
      "2:39: 'whenMore' stands here and in 'paging', keep one of them"
    ),
    Case(
      "no such word",
      upstream + "sources: {s: {url: https://x.example, whenMore: cut}}",
      "2:49: the text 'cut' is none of truncate or fail"
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
      "items that tables share",
      "sources: {s: {local: {items: []}}}\ntables: {t: {source: s}, u: {source: s}, v: {source: s}}"
    ),
    Case(
      "items that a family shows",
      "sources: {s: {local: {items: []}}}\ntables: {t: {source: s}, u: {source: s, parameters: {q: {default: a}}}}"
    ),
    Case(
      "items of the service where callers see their own rows",
      "sources: {s: {local: {items: []}}, u: {url: https://x.example, forward: [Authorization]}}\n"
        + "tables: {t: {source: s, sections: [{id: a}, {id: b, source: u, row: {id: \"${id}\"}}]}}",
      "2:22: warning: the items of 's' can only be read in 't', which is another table for each caller"
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
}
