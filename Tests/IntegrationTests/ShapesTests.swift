import Foundation
import JSON
import TestSupport
import Testing

/// The shapes that upstreams come in, from the configuration to the rows.
@Suite struct ShapesTests {
  @Test func pagesAndEnvelopes() throws {
    let upstream = try MisbehavingUpstream()
    let url = "http://127.0.0.1:\(upstream.port)"
    let shapes = [
      "link: {url: \"\(url)/pages/link\", items: \"${data}\", paging: {link: true}}",
      "next: {url: \"\(url)/pages/next\", items: \"${data}\", paging: {nextUrl: \"${next}\"}}",
      "cursor: {url: \"\(url)/pages/cursor\", items: \"${data}\", paging: {cursor: \"${meta.cursor}\", parameter: cursor}}",
      "page: {url: \"\(url)/pages/page\", items: \"${data}\", paging: {page: {parameter: page}}}",
      "sized: {url: \"\(url)/pages/page?total=3\", items: \"${data}\", paging: {page: {parameter: page, size: 3}}}",
      "offset: {url: \"\(url)/pages/offset\", items: \"${data}\", paging: {offset: {parameter: offset, size: 3}}}",
      "some: {url: \"\(url)/pages/link\", items: \"${data}\", paging: {link: true, maxPages: 2}}",
      "few: {url: \"\(url)/pages/link\", items: \"${data}\", paging: {link: true, maxItems: 6}}",
      "circle: {url: \"\(url)/pages/link?loop=3\", items: \"${data}\", paging: {link: true}, retries: 0}",
      "foreign: {url: \"\(url)/pages/foreign\", items: \"${data}\", paging: {nextUrl: \"${next}\"}, retries: 0}",
      "same: {url: \"\(url)/pages/same\", items: \"${data}\", paging: {page: {parameter: page}}, retries: 0}",
      "heavy: {url: \"\(url)/pages/link?total=40\", items: \"${data}\", paging: {link: true, maxBytes: 1KB}, retries: 0}",
    ]
    let names = shapes.map { $0.prefix { $0 != ":" } }
    let service = try ServiceProcess(
      "store: memory\nproblems: full\nsources:\n" + shapes.map { "  \($0)\n" }.joined() + "tables:\n"
        + names.map { "  \($0): {source: \($0), row: {id: \"${id}\"}}\n" }.joined()
    )
    let expectations = [
      "link": 12, "next": 12, "cursor": 12, "page": 12, "sized": 9, "offset": 12, "some": 6, "few": 6,
    ]
    for (name, count) in expectations {
      let mirror = try service.follow(name, until: "is settled") { $0.state != "loading" }
      #expect(mirror.state == "ready" && mirror.rows.count == count, "\(name): \(mirror.attributes)")
      #expect(mirror.rows == (3..<(3 + count)).map(String.init), "\(name): in order")
    }
    for (name, says) in [
      ("circle", "leads back"), ("foreign", "at another host"), ("same", "are the same"),
      ("heavy", "more than 1024 bytes"),
    ] {
      let mirror = try service.follow(name, until: "is settled") { $0.state != "loading" }
      let detail = mirror.attributes["problem"]?["detail"]?.text ?? ""
      #expect(mirror.state == "failed" && detail.contains(says), "\(name): \(mirror.attributes)")
    }
  }

  /// A list of ids, then one request each: four at once, each by its validator the next time.
  @Test func oneRequestForEachItem() throws {
    let upstream = try MisbehavingUpstream()
    let url = "http://127.0.0.1:\(upstream.port)"
    let service = try ServiceProcess(
      """
      store: memory
      problems: full
      sources:
        each:
          url: \(url)/ids?n=25
          every: 0s
          each: {url: "\(url)/each/${$item}?ms=10&gone=7", concurrency: 4, limit: 20}
      tables:
        each: {source: each, row: {id: "${id}"}}
      """
    )
    let mirror = try service.follow("each", until: "is ready") { $0.state == "ready" }
    #expect(
      mirror.rows == (1...20).filter { $0 != 7 }.map(String.init),
      "in the list's order, without the one that is gone"
    )
    #expect(try service.request("POST", "/v1/tables/each/refresh").status == 200)
    try mirror.check(equals: service.snapshot("each"))
    let log = try HTTPClient(port: upstream.port).request("GET", "/log").json
    #expect(log["peak"] == 4)
    let requests = (log["log"] ?? .null).elements
    #expect(requests.count == 42)
    let conditional = requests.filter { $0["headers"]?["if-none-match"] != nil }
    #expect(conditional.count == 19 && requests.prefix(21).allSatisfy { !conditional.contains($0) })
  }

  /// POST with a body and headers of expressions, as GraphQL-like APIs want it.
  @Test func aBodyOfExpressions() throws {
    let upstream = try MisbehavingUpstream()
    let service = try ServiceProcess(
      """
      store: memory
      problems: full
      sources:
        graph:
          url: http://127.0.0.1:\(upstream.port)/echo
          query: {first: 5, none: "${$params.kind == 'none' ? 'x' : null}"}
          headers: {X-Kind: "kind ${$params.kind}"}
          body: {query: "query($kind: String) { items }", variables: {kind: "${$params.kind}", count: 3}}
      cells: {Echo: {fields: {text: string}}}
      tables:
        graph:
          source: graph
          row: {id: "${id}"}
          parameters: {kind: {pattern: ".*"}}
          cell: Echo
          payload: {text: "${method} ${target} ${headers['x-kind']} ${headers['content-type']} ${body}"}
      """
    )
    let mirror = try service.mirror("graph;kind=a%22%26b")
    #expect(
      mirror.row("1")?["payload"]?["text"]?.text
        == #"POST /echo?first=5 kind a"&b application/json {"query":"query($kind: String) { items }","variables":{"kind":"a\"&b","count":3}}"#
    )
  }
}
