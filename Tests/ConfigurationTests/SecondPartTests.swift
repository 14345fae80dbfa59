import Definitions
import Expressions
import JSON
import Testing

@testable import Configuration

/// Keys beside those that the first example shows: each as it is written, and what it means.
@Suite struct SecondPartTests {
  private func read(_ text: String) throws -> ServiceDefinition {
    let (definition, diagnostics) = ConfigurationReader.read(
      text: text,
      file: "t.yaml",
      environment: ["DATABASE_URL": "postgres://db"]
    )
    #expect(diagnostics.filter { $0.severity == .error } == [], "\(diagnostics)")
    return try #require(definition)
  }

  private static let rest = """

    cells: {C: {fields: {title: string}}}
    sources:
      issues: {url: "https://x.example/issues"}
      users: {url: "https://x.example/users"}
      alerts: {url: "https://x.example/alerts"}
    """

  @Test func settings() throws {
    let definition = try read(
      """
      store: {postgres: "${env.DATABASE_URL}"}
      locales: [en-US, de-DE]
      hosts: [Tables.example.com]
      trustedProxies: [10.0.0.0/8, "2001:db8::/32", 192.0.2.1]
      problems: full
      cors: {origins: ["*"], writes: [https://app.example.com]}
      generation: 3
      limits: {itemBytes: 1KB, mappingWork: 7, requestsPerMinute: 600, waitersPerCaller: 5}
      tables: {t: {source: {local: {}}}}
      """
    )
    #expect(definition.store == .postgres("postgres://db"))
    #expect(definition.locales == ["en-US", "de-DE"])
    #expect(definition.hosts == ["tables.example.com"])
    #expect(definition.trustedProxies.map(\.prefixLength) == [8, 32, 32])
    #expect(definition.problems == .full)
    #expect(definition.cors.writes == ["https://app.example.com"])
    #expect(definition.generation == 3)
    #expect(definition.limits.itemBytes == 1024)
    #expect(definition.limits.tableBytes == 1 << 30)
    #expect(definition.limits.mappingWork == 7)
    #expect(definition.limits.requestsPerMinute == 600)
    #expect(definition.limits.editsPerMinute == nil)
    #expect(definition.limits.waitersPerCaller == 5)
  }

  /// Rows that are made of lists in a page's items don't tell those items from each other.
  @Test(arguments: [
    (#"a: {source: s, row: {id: "${key}"}, cell: C, payload: {title: x}}"#, "${key}"),
    (#"a: {source: s, items: "${lines}", row: {id: "${number}"}, cell: C, payload: {title: x}}"#, "${id}"),
    (
      #"a: {source: s, items: "${lines}", row: {id: "${number}"}, cell: C, payload: {title: x}}, "#
        + #"b: {source: s, row: {id: "${key}"}, cell: C, payload: {title: x}}"#, "${key}"
    ),
  ])
  func identitiesOfPagedItems(tables: String, expected: String) throws {
    let definition = try read(
      """
      cells: {C: {fields: {title: string}}}
      sources: {s: {url: "https://x.example/", paging: {link: true}}}
      tables: {\(tables)}
      """
    )
    guard case .upstream(let source)? = definition.sources.first?.kind else { return #expect(Bool(false)) }
    #expect(try source.identity == Template(text: expected))
  }

  @Test func standards() throws {
    let definition = try read("tables: {t: {source: {local: {}}}}")
    #expect(definition.problems == .public)
    #expect(definition.generation == 0)
    #expect(definition.limits.itemBytes == 256 << 10)
    #expect(definition.limits.mappingBytes == 1 << 30)
    #expect(definition.limits.mappingWork == 50_000)
    #expect(definition.locales == [])
    #expect(definition.tables[0].edges == false)
  }

  @Test func theTitleOfTheEmptyValue() throws {
    let find = "{filters: {owner: {by: owner, titles: {a: A, \"\": Nobody}}}}"
    let definition = try read(
      "cells: {C: {fields: {title: string}}}\n"
        + "tables: {t: {source: {local: {}}, cell: C, payload: {title: a}, find: \(find)}}"
    )
    #expect(definition.tables[0].find?.filters[0].titles.map(\.value) == ["a", "none"])
  }

  @Test func tables() throws {
    let definition = try read(
      #"""
      tables:
        issues:
          title: "Issues of ${$params.owner}"
          edges: true
          source: issues
          row: {id: "${number}"}
          cell: C
          payload: {title: "${title} ${$user.name}"}
          lookups:
            user: {source: users, key: id, on: assignee_id}
          sections:
            - id: open
              where: state == 'open' && $user != null
              header: {cell: C, payload: {title: "${$count}, ${$items | map(points) | sum}, ${$items[0].label}"}}
              sort: {by: title, order: "${$params.dir}", locale: de, natural: true}
              limit: ${$params.limit}
            - id: alerts
              source: alerts
              row: {id: "${fingerprint}"}
          parameters:
            q: {default: ""}
            owner: {default: apple}
            dir: {pattern: "ascending|descending", default: descending}
            limit: {pattern: "[0-9]{1,3}", default: "100"}
          actions:
            archive:
              title: Archive
              style: destructive
              when: state == 'open'
              request: {method: PUT, url: "https://x.example/${$id}/archive"}
        todo:
          source: {local: {}}
          cell: C
          payload: {title: a}
          actions:
            done: {title: Done, patch: {done: "${!done}"}}
      """# + Self.rest
    )
    let issues = definition.tables[0]
    #expect(issues.edges)
    #expect(issues.title == "Issues of apple")
    #expect(issues.titleTemplate?.dependencies == .parameters)
    #expect(issues.lookups.map(\.name) == ["user"])
    #expect(issues.lookups[0].key.text == "id")
    #expect(issues.lookups[0].on.text == "assignee_id")
    #expect(issues.cell?.payload.lookups == ["user"])
    #expect(issues.parameters[0].defaultValue == "")
    guard case .list(let sections, firstMatch: true) = issues.sections else {
      Issue.record("a list is expected")
      return
    }
    guard case .chosen(let order) = sections[0].sort[0].order, case .chosen(let limit)? = sections[0].limit else {
      Issue.record("an order and a limit that are chosen are expected")
      return
    }
    #expect(order.text == "$params.dir")
    #expect(limit.text == "$params.limit")
    #expect(sections[0].sort[0].locale?.constant == "de")
    #expect(sections[0].sort[0].isNatural)
    #expect(sections[1].rowID != nil)
    guard case .request(let request) = issues.actions[0].effect, case .patch = definition.tables[1].actions[0].effect
    else {
      Issue.record("a request and a patch are expected")
      return
    }
    #expect(request.method == "PUT")
    #expect(issues.actions[0].style == .destructive)
    #expect(issues.actions[0].condition?.text == "state == 'open'")
    #expect(definition.tables[1].actions[0].title.constant == "Done")
  }

  /// Issuers, and what their tokens allow; who asks is known to tables then.
  @Test func issuers() throws {
    let definition = try read(
      """
      auth:
        jwt:
          - issuer: https://id.example.com
            audience: tablecast
            allow: {edit: "'editor' in $caller.claims.roles", anonymous: {read: false, edit: true}}
          - {issuer: other, audience: t, jwks: keys.json, algorithms: [EdDSA], leeway: 5s}
          - {issuer: third, audience: t, jwks: "http://[::1]:8080/keys", allow: {anonymous: {edit: true}}}
      audit: {stderr: true}
      representations: {special: {cell: C, payload: {title: "${$caller.name}"}}}
      tables:
        mine: {source: issues, row: {id: "${id}"}, cell: C, payload: {title: t}, sections: [{id: m, where: a == $caller.claims.sub}]}
        typed: {source: issues, row: {id: "${id}", type: "${type}"}, cell: C, payload: {title: t}}
        all: {source: issues, row: {id: "${id}"}, cell: C, payload: {title: t}, edges: true}
        own: {source: own, row: {id: "${id}"}, cell: C, payload: {title: t}, edges: true}
      """ + Self.rest + "\n  own: {url: \"https://x.example/${$caller.claims.team}\"}"
    )
    let issuers = definition.auth.issuers
    #expect(issuers.map(\.keys) == [.discovered, .file("keys.json"), .url("http://[::1]:8080/keys")])
    #expect(issuers[0].algorithms == JWTDefinition.Algorithm.allCases && issuers[1].algorithms == [.edDSA])
    #expect(issuers[0].leeway == .seconds(30) && issuers[1].leeway == .seconds(5))
    #expect(issuers[0].allows[.read] == .constant(true) && issuers[1].allows[.edit] == nil)
    #expect(definition.auth.reading == .tokens && definition.auth.anonymousMayEdit)
    #expect(definition.audit == AuditDefinition(.standardError))
    #expect(definition.tables.map(\.callerUse.paths) == [[["claims", "sub"]], [["name"]], [], [["claims", "team"]]])
    #expect(definition.tables.map(\.isFamily) == [true, true, false, true])
    // Reading takes a token, for which caches don't ask.
    #expect(definition.tables.map(\.isForEdges) == [false, false, false, false])
  }

  /// The shared `$default` counts for every table, also where a cell takes most items.
  @Test func theSharedDefaultMayReadTheCaller() throws {
    let definition = try read(
      """
      auth: {jwt: {issuer: https://id.example.com, audience: tablecast}}
      representations:
        $default: {cases: [{when: done, cell: C, payload: {title: "${$caller.name}"}}, {use: other}]}
        other: {cell: C, payload: {title: "${$caller.claims.sub}"}}
        special: {cell: C, payload: {title: "${$caller.claims.team}"}}
      tables:
        plain: {source: issues, row: {id: "${id}"}, cell: C, payload: {title: "${title}"}}
        typed: {source: issues, row: {id: "${id}", type: "${type}"}, cell: C, payload: {title: t}}
      """ + Self.rest
    )
    #expect(
      definition.tables.map(\.callerUse.paths) == [
        [["name"], ["claims", "sub"]], [["name"], ["claims", "sub"], ["claims", "team"]],
      ]
    )
  }

  /// What is wrong, with what is said of it.
  @Test(
    arguments: [
      ("auth: {jwt: {issuer: a, jwks: c}}", "'audience' is missing"),
      ("auth: {jwt: {issuer: a, audience: b}}", "'a' is no address at which the issuer's keys could be found"),
      (
        "auth: {jwt: {issuer: a, audience: b, jwks: \"http://a.example/k\"}}",
        "could be anybody's, use https, or a file"
      ),
      ("auth: {jwt: {issuer: a, audience: b, jwks: \"http://127.0.0.1.evil.example/k\"}}", "could be anybody's"),
      ("auth: {jwt: {issuer: \"http://a.example\", audience: b}}", "could be anybody's"),
      ("auth: {jwt: {issuer: a, audience: b, jwks: c, algorithms: [HS256]}}", "is none of RS256, PS256, ES256"),
      ("auth: {jwt: {issuer: a, audience: b, jwks: c, leeway: 1h}}", "a leeway of 1h lets tokens live on"),
      ("auth: {jwt: {issuer: a, audience: b, jwks: c, allow: {read: \"$caller.claims. ==\"}}}", "in the expression"),
      ("auth: {jwt: {issuer: a, audience: b, jwks: c, allow: {read: title}}}", "there is no item here"),
      (
        "auth: {jwt: [{issuer: a, audience: b, jwks: c}, {issuer: a, audience: d, jwks: e}]}",
        "the issuer 'a' stands twice"
      ),
      (
        "auth: {reading: tokens, jwt: {issuer: a, audience: b, jwks: c, allow: {anonymous: {read: true}}}}",
        "who reads without a token is told in two ways"
      ),
      ("audit: {}", "the record of edits goes nowhere"),
      ("audit: {path: a, stderr: true}", "the record of edits goes to two places"),
      ("auth: {reading: open}", "'tokens' is missing"),
      ("trustedProxies: [10.0.0.0/33]", "the text '10.0.0.0/33' is no address and no range of addresses"),
      ("locales: [de_DE]", "'de_DE' is no language tag, write `de-DE`"),
      ("hosts: [\"https://x.example\"]", "the text 'https://x.example' is no host's name"),
      ("store: {}", "the store is neither a file nor a database"),
      ("problems: some", "the text 'some' is none of public or full"),
      ("limits: {itemBytes: 12}", "a size is expected here"),
    ] as [(String, String)]
  )
  func settingsThatAreWrong(_ text: String, _ message: String) {
    let found = diagnostics(text + "\ntables: {t: {source: {local: {}}}}")
    #expect(found.contains { $0.contains(message) }, "\(found)")
  }

  @Test(
    arguments: [
      ("title: \"${$item.a}\"", "`$item` means nothing here, here there is no item"),
      ("title: \"${name}\"", "'name' is a member of an item, and there is no item here"),
      ("can: {edit: \"$items[0].a\"}", "`$items` means nothing here, it is known in headers and footers"),
      ("can: {edit: \"$edit.a\"}", "`$edit` means nothing here, it is known in `edits` and `actions`"),
      ("can: {edit: \"'a' in $caller.claims.roles\"}", "`$caller` is known where callers have tokens of an issuer"),
      ("can: {edit: \"$usr.a\"}, lookups: {user: {source: issues, key: a, on: a}}", "did you mean $user?"),
      ("can: {edit: \"$user.a\"}", "unknown root $user; there are $item"),
      ("sections: [{id: a, sort: {by: a, order: \"${title}\"}}]", "'title' is a member of an item"),
      ("sections: [{id: a, sort: {by: a, order: up}}]", "the text 'up' is none of ascending or descending"),
      ("sections: [{id: a, sort: {by: a, locale: d}}]", "'d' is no language tag"),
      ("sections: [{id: a, limit: 0}]", "the number 0 is out of range"),
      ("sections: [{id: a, row: {id: \"${a}\"}}]", "a section with a 'row' of its own, and the table's source"),
      ("actions: {a: {title: A}}", "an action that does nothing"),
      ("actions: {a: {request: {url: \"https://x.example\"}}}", "a local table has no upstream to send an action to"),
      ("actions: {a: {style: red, patch: {a: 1}}}", "the text 'red' is none of normal or destructive"),
      ("lookups: {user: {source: usrs, key: a, on: a}}", "there is no source 'usrs', did you mean 'users'?"),
      ("parameters: {a: {pattern: \"(?=a)\"}}", "the group `(?=` is not supported: patterns match in linear time"),
      (
        "sections: [{id: a, header: {cell: C, payload: {title: \"${points}\"}}}]",
        "'points' is an item's own member, and a header or footer is of all items: it is null, use `$items`"
      ),
    ] as [(String, String)]
  )
  func tablesThatAreWrong(_ text: String, _ message: String) {
    let found = diagnostics("tables: {t: {source: {local: {}}, cell: C, payload: {title: a}, \(text)}}" + Self.rest)
    #expect(found.contains { $0.contains(message) }, "\(found)")
  }

  /// Edits and actions see what belongs to the row's item; not what is only being added, nor what is read of an answer.
  @Test(
    arguments: [
      ("edits: {patch: {url: \"https://x.example/${$user.a}\", headers: {Item: \"${$user.a}${$edit.a}\"}}}", true),
      ("edits: {delete: {url: \"https://x.example\", body: {a: \"${$user.a}\"}}}", true),
      ("actions: {a: {title: \"${$user.a}\", when: $user.a, request: {url: \"https://x.example/${$user.a}\"}}}", true),
      ("actions: {a: {request: {url: \"https://x.example\", headers: {Title: \"${$edit.a}\"}}}}", true),
      ("edits: {insert: {url: \"https://x.example/${$user.a}\"}}", false),
      ("edits: {patch: {url: \"https://x.example\", refused: \"${$user.a}\"}}", false),
      ("actions: {a: {request: {url: \"https://x.example\", item: \"${$user}\"}}}", false),
    ] as [(String, Bool)]
  )
  func lookupsInEdits(_ text: String, isKnown: Bool) {
    let lookups = "lookups: {user: {source: users, key: a, on: a}}"
    let found = diagnostics(
      "tables: {t: {source: issues, row: {id: \"${a}\"}, cell: C, payload: {title: a}, \(lookups), \(text)}}"
        + Self.rest
    )
    #expect(found.contains { $0.contains("unknown root $user") } != isKnown, "\(found)")
    #expect(!isKnown || !found.contains { $0.contains("means nothing here") }, "\(found)")
  }

  @Test(
    arguments: [
      ("{groupBy: tags}", "'tags' is a list: no section takes such an item, group by one of its elements: `tags[0]`"),
      ("{groupBy: owner}", "'owner' is an object: no section takes such an item"),
      ("{groupBy: \"name | split(' ')\"}", "is a list: no section takes such an item"), ("{groupBy: name}", nil),
      ("{groupBy: \"tags[0]\"}", nil),
    ] as [(String, String?)]
  )
  func groupsThatAreNone(_ sections: String, _ message: String?) {
    let found = diagnostics(
      """
      tables:
        t:
          source: {local: {items: [{name: a}, {name: b, tags: [x], owner: {id: 1}}]}}
          cell: TableViewCellWithLabel
          payload: {title: a}
          sections: \(sections)
      """
    )
    #expect(found.count == (message == nil ? 0 : 1), "\(found)")
    if let message { #expect(found.first?.contains(message) == true, "\(found)") }
  }

  @Test func integersAboveInt64AreKept() throws {
    let definition = try read("tables: {t: {source: {local: {items: [{n: 18446744073709551615}]}}}}")
    guard case .local(let local)? = definition.sources.first?.kind else {
      Issue.record("a local source is expected")
      return
    }
    #expect(local.items == [.object([.init(name: "n", value: .unsigned(.max))])])
  }

  /// A source is fetched once, whoever asks: what is the table's own is not known in it.
  @Test(arguments: ["$locale", "$items", "$edit.a", "$user.a"])
  func rootsThatASourceDoesNotKnow(_ root: String) {
    let found = diagnostics(
      """
      sources: {s: {url: "https://x.example/${\(root)}"}}
      tables: {t: {source: s, row: {id: "${id}"}, lookups: {user: {source: s, key: a, on: a}}}}
      """
    )
    #expect(found.contains { $0.contains("means nothing here") || $0.contains("unknown root") }, "\(found)")
  }
}
