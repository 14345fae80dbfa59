import Definitions
import Foundation
import Testing

@testable import Configuration

/// By what replicas know that they have the same configuration.
@Suite struct ContentDigestsTests {
  private static let plain = """
    locales: [en, de]
    sources:
      feed: {url: "https://example.com/${env.PATH_OF_FEED}", every: 30s, headers: {Authorization: "Bearer ${env.TOKEN}"}}
      pool: {local: {items: [{title: A}]}}
    cells: {Label: {fields: {title: string, detail: optional string}}}
    tables:
      one: {source: feed, row: {id: "${id}"}, cell: Label, payload: {title: "${title}", detail: "${env.HOUSE}"}}
      two: {source: pool, cell: Label, payload: {title: "${title}"}}
      three: {source: {url: https://example.com/own, webhook: {secret: hidden}}, row: {id: "${id}"}, cell: Label, payload: {title: "${title}"}}
    """

  private static let variables = ["PATH_OF_FEED": "feed", "TOKEN": "t", "HOUSE": "here"]

  private static func digests(_ text: String, _ variables: [String: String] = variables) throws -> ContentDigests {
    let (definition, diagnostics) = ConfigurationReader.read(text: text, file: "t", environment: variables)
    return try #require(definition, "\(diagnostics)").contents
  }

  private static func replaced(_ old: String, _ new: String) -> String {
    plain.replacingOccurrences(of: old, with: new)
  }

  /// What says the same is the same.
  @Test(arguments: [
    "# a comment\n\(plain)\n# another\n",
    replaced("every: 30s, ", "").replacingOccurrences(of: "feed: {url:", with: "feed: {every: 30s, url:"),
    replaced("[en, de]", "[\"en\", 'de']"),
    replaced(
      "cells: {Label: {fields: {title: string, detail: optional string}}}",
      "cells:\n  Label:\n    fields:\n      title: string\n      detail: optional string"
    ),
    replaced("sources:\n", "sources:\n  pool: {local: {items: [{title: A}]}}\n")
      .replacingOccurrences(of: "[{title: A}]}}\ncells", with: "[{title: A}]}}\ncells")
      .replacingOccurrences(of: "\"}}\n  pool: {local: {items: [{title: A}]}}", with: "\"}}"),
    replaced("cell: Label, payload: {title: \"${title}\"}", "payload: {title: \"${title}\"}, cell: Label"),
    replaced("locales: [en, de]\n", "") + "\nlocales: [en, de]\n",
    "listen: 127.0.0.1:9\nlimits: {waiters: 9}\nstore: memory\nproblems: full\n" + plain,
    replaced("secret: hidden", "secret: another"),
  ])
  func theSameIsTheSame(text: String) throws { #expect(try Self.digests(text) == Self.digests(Self.plain)) }

  @Test(arguments: [
    replaced("[en, de]", "[de, en]"), replaced("every: 30s", "every: 31s"), replaced("example.com/$", "example.org/$"),
    replaced("Bearer ", "Basic "), replaced("title: A", "title: B"),
    // Their order is that of rows' members, and of the tables.
    replaced("title: string, detail: optional string", "detail: optional string, title: string"),
    replaced(
      "payload: {title: \"${title}\", detail: \"${env.HOUSE}\"}",
      "payload: {detail: \"${env.HOUSE}\", title: \"${title}\"}"
    ),
    replaced("  two: {source: pool, cell: Label, payload: {title: \"${title}\"}}\n", "")
      + "\n  two: {source: pool, cell: Label, payload: {title: \"${title}\"}}",
    replaced("com/own", "com/other"),
    // Defaults that are written are something that is written.
    replaced("every: 30s", "every: 30s, maxRedirects: 5"),
  ])
  func anotherIsAnother(text: String) throws {
    #expect(text != Self.plain)
    #expect(try Self.digests(text).tables != Self.digests(Self.plain).tables)
  }

  /// Credentials may be replaced on one replica after the other; what a 304 means depends on them all the same.
  @Test func whatTheEnvironmentSaysCounts() throws {
    let plain = try Self.digests(Self.plain)
    for (name, isOfTables) in [("PATH_OF_FEED", true), ("HOUSE", true), ("TOKEN", false)] {
      let other = try Self.digests(Self.plain, Self.variables.merging([name: "another"]) { $1 })
      #expect((other.tables != plain.tables) == isOfTables, "\(name)")
      #expect(other.everything != plain.everything && other.sources == plain.sources, "\(name)")
    }
    let other = try Self.digests(Self.replaced("com/own", "com/other"))
    #expect(other.sources["$three"] != plain.sources["$three"] && other.sources["feed"] == plain.sources["feed"])
    #expect(plain.sources.keys.sorted() == ["$three", "feed", "pool"])
  }

  /// However an expression names a variable, and whatever the names are of others.
  @Test(
    arguments: [
      ("${env.BRAND}", true), ("${env['BRAND']}", true), ("${title + env[\"BRAND\"]}", true),
      ("${env.BRAND_OF_CARS}", false), ("$${env.BRAND} ${title}", false),
    ]
  )
  func aVariableCountsWhereItIsRead(_ title: String, _ counts: Bool) throws {
    // In header fields alone it does not.
    let text = Self.replaced("Bearer ${env.TOKEN}", "${env.BRAND}")
      .replacingOccurrences(of: "payload: {title: \"${title}\", detail", with: "payload: {title: TITLE, detail")
      .replacingOccurrences(of: "TITLE", with: "'\(title.replacingOccurrences(of: "'", with: "''"))'")
    let variables = Self.variables.merging(["BRAND": "one", "BRAND_OF_CARS": "cars"]) { $1 }
    let (one, other) = (
      try Self.digests(text, variables), try Self.digests(text, variables.merging(["BRAND": "two"]) { $1 })
    )
    #expect((one.tables != other.tables) == counts)
    #expect(one.everything != other.everything)
  }

  /// Another release computes these for the same file: whoever changes them changes `ConfigurationDigest.method`, too.
  @Test func theyAreTheSameInEveryRelease() throws {
    let digests = try Self.digests(Self.plain)
    #expect(digests.tables.prefix(4) == [151, 96, 11, 214])
    #expect(digests.everything.prefix(4) == [165, 51, 90, 200])
    #expect(digests.sources["feed"]?.prefix(4) == [194, 132, 89, 143])
  }

  /// Whoever knows all but a secret finds too many that might be it: of a digest of the secret itself each would be another.
  @Test(arguments: ["${env.SECRET}", "Bearer ${env.SECRET}", "SECRET"]) func secretsAreNotFoundByTrying(value: String)
    throws
  {
    var (tables, everything, sources): (Set<[UInt8]>, Set<[UInt8]>, Set<[UInt8]>) = ([], [], [])
    let (count, text) = (
      1_500,
      "sources: {s: {url: https://example.com, KEY: {K: \"VALUE\"}}}\ntables: {t: {source: s, row: {id: \"${id}\"}}}"
    )
    for key in ["headers", "query"] {
      (tables, everything, sources) = ([], [], [])
      for number in 0..<count {
        let secret = "secret \(number) of \(value)"
        let literal = text.replacingOccurrences(of: "KEY", with: key).replacingOccurrences(of: "VALUE", with: value)
          .replacingOccurrences(of: value == "SECRET" ? "SECRET" : "\u{0}", with: secret)
        let digests = try Self.digests(literal, ["SECRET": secret])
        tables.insert(digests.tables)
        everything.insert(digests.everything)
        sources.insert(digests.sources["s"] ?? [])
      }
      // Of 1,500 checks of 16 bits 17 pairs are the same, as a rule.
      #expect(tables.count < count && everything.count < count && sources.count < count, "\(key)")
      #expect(everything.count > count / 2, "\(key): a difference is noticed")
    }
  }
}
