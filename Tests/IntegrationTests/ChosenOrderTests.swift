import Foundation
import JSON
import TestSupport
import Testing

/// Order and limit that whoever reads a table chooses by its parameters.
@Suite struct ChosenOrderTests {
  private static func configuration(_ url: String) -> String {
    """
    store: memory
    locales: [en-US, sv-SE]
    sources:
      items: {url: "\(url)/items", every: 50ms, retries: 0}
    cells:
      Label: {nib: Label, fields: {title: string}}
    tables:
      t:
        source: items
        row: {id: "${title}"}
        parameters:
          dir: {pattern: "ascending|descending", default: ascending}
          limit: {pattern: "[0-9]{1,3}", default: "100"}
        cell: Label
        payload: {title: "${title}"}
        sections:
          - id: all
            sort: {by: title, order: "${$params.dir}", locale: "${$locale}", natural: true}
            limit: ${$params.limit}
    """
  }

  private static func items(_ titles: String...) -> JSONValue { .array(titles.map { ["title": .string($0)] }) }

  @Test func parametersChooseThem() throws {
    let upstream = try ScriptedUpstream(Self.items("item 10", "ö", "item 9", "z", "Item 1", "a"))
    let service = try ServiceProcess(Self.configuration(upstream.url))
    let cases: [(String, [String: String], [String])] = [
      ("t", [:], ["a", "Item 1", "item 9", "item 10", "ö", "z"]),
      ("t;dir=descending", [:], ["z", "ö", "item 10", "item 9", "Item 1", "a"]),
      // In Swedish, ö comes behind z.
      ("t", ["Accept-Language": "sv"], ["a", "Item 1", "item 9", "item 10", "z", "ö"]),
      ("t;dir=descending;limit=2", ["Accept-Language": "sv"], ["ö", "z"]),
      ("t;limit=3", [:], ["a", "Item 1", "item 9"]), ("t;limit=0", [:], []),
    ]
    for (address, headers, expected) in cases {
      let mirror = try service.mirror(address, headers)
      #expect(mirror.rows == expected, "\(address) \(headers)")
    }
    for address in ["t;dir=upwards", "t;limit=1000", "t;limit=-1"] {
      #expect(try service.request("GET", "/v1/tables/\(address)").status == 400, "\(address)")
    }
  }

  @Test func aLimitCutsWhatComesLater() throws {
    let upstream = try ScriptedUpstream(Self.items("b", "d", "f"))
    let service = try ServiceProcess(Self.configuration(upstream.url))
    var mirror = try service.mirror("t;limit=2")
    #expect(mirror.rows == ["b", "d"])
    let poll = try service.poll("t;limit=2", after: mirror.cursor)
    try service.awaitPolls(1)
    upstream.answer(Self.items("b", "d", "f", "c"))
    try mirror.apply(poll.value().json)
    #expect(mirror.rows == ["b", "c"])
    try mirror.check(equals: service.snapshot("t;limit=2"))
  }
}
