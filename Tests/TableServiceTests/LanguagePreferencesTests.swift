import HTTPServer
import TestSupport
import Testing

@testable import TableService

@Suite struct LanguagePreferencesTests {
  private static let locales = ["en-US", "de-DE", "zh-Hant-TW", "zh-Hans-CN", "de-CH-1996"]

  private static func locale(_ value: String, of locales: [String] = locales) throws -> String? {
    let preferences = LanguagePreferences(try Request(.get, "/", headers: [HeaderField(.acceptLanguage, value)]))
    #expect(preferences.owned.locale(of: locales) == preferences.locale(of: locales), "\(value), kept for a waiter")
    return preferences.locale(of: locales)
  }

  @Test(arguments: [
    ("", "en-US"), ("fr", "en-US"), ("de", "de-DE"), ("DE-ch", "de-CH-1996"), ("de-CH-1901", "de-CH-1996"),
    ("de-AT-1996", "de-DE"), ("d", "en-US"), ("de-", "de-DE"), ("-de", "en-US"), ("zh", "zh-Hant-TW"),
    ("zh-Hans", "zh-Hans-CN"), ("zh-Hans-HK, de", "zh-Hans-CN"), ("zh-CN", "zh-Hant-TW"),
    ("zh-Hant-TW-x-y", "zh-Hant-TW"),
    ("fr, de;q=0.5", "de-DE"), ("en;q=0.2, de;q=0.8", "de-DE"), ("de;q=0.8, zh;q=0.80", "de-DE"),
    ("de;q=0, *", "en-US"),
    ("*, en;q=0", "de-DE"), ("en-US;q=0,de;q=0,*", "zh-Hant-TW"), ("en-U;q=0, *", "en-US"), ("de ; q = 1", "de-DE"),
    ("de;q=0.", "en-US"), ("de;q=.5", "de-DE"), ("de;q=1.1", "en-US"), ("de;q=x", "en-US"), ("de;x=1", "en-US"),
    ("de;q", "en-US"), ("de;;q=0.5", "de-DE"), (";q=1, de", "de-DE"), ("\"de, zh\", de", "de-DE"), ("é, de", "de-DE"),
    ("de, de-DE;q=0", "de-CH-1996"), ("zh, zh-hant;q=0", "zh-Hans-CN"), ("de-CH, de;q=0", "de-CH-1996"),
    ("de-AT, de;q=0, zh;q=0.1", "zh-Hant-TW"), ("de, de-DE;q=0, de-CH;q=0, zh;q=0.1", "zh-Hant-TW"),
    ("en, en-US;q=0", "en-US"), ("de-D;q=0, de", "de-DE"),
  ])
  func cases(value: String, locale: String) throws {
    #expect(try Self.locale(value) == locale, "\(value)")
    #expect(try Self.locale(value, of: ["en-US"]) == "en-US")
    #expect(try Self.locale(value, of: []) == nil)
  }

  /// Requests that ask for the same languages in other words wait as one.
  @Test(arguments: [
    ("de, en;q=0.5", "DE;q=0.9,en;q=0.1", true), ("de, en;q=0.5", "en, de;q=0.5", false), ("de", "de, fr;q=0", false),
  ])
  func areTheSame(one: String, other: String, areSame: Bool) throws {
    let owned = try [one, other].map { value in
      LanguagePreferences(try Request(.get, "/", headers: [HeaderField(.acceptLanguage, value)])).owned
    }
    #expect((owned[0] == owned[1]) == areSame, "\(one) and \(other)")
  }

  /// RFC 4647 lookup as it stands there: each range is shortened until it filters a locale.
  private static func reference(_ ranges: [String], _ locales: [String]) -> String? {
    for range in ranges {
      var subtags = range.lowercased().split(separator: "-")
      while !subtags.isEmpty {
        let shortened = subtags.joined(separator: "-")
        let found = locales.map { ($0, $0.lowercased()) }.first { $1 == shortened || $1.hasPrefix(shortened + "-") }
        if let found { return found.0 }
        subtags.removeLast()
      }
    }
    return locales.first
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func isLookup(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    func tag() -> String {
      let subtags = ["de", "De", "d", "en", "CH", "at", "x", "1996"]
      return (0..<Int.random(in: 1...5, using: &generator)).map { _ in subtags.randomElement(using: &generator) ?? "" }
        .joined(separator: "-")
    }
    for _ in 0..<200 {
      let locales = (0..<Int.random(in: 2...6, using: &generator)).map { _ in tag() }
      let ranges = (0..<Int.random(in: 1...4, using: &generator)).map { _ in tag() }
      let value = ranges.joined(separator: ", ")
      #expect(
        try Self.locale(value, of: locales) == Self.reference(ranges, locales),
        "seed \(seed): \(value) of \(locales)"
      )
    }
  }

  /// Of a head's size: what stands behind it counts, and so much of it as a list may have.
  @Test func longRangesAndManyOfThem() throws {
    let long = String(repeating: "a1-", count: 10_000)
    #expect(try Self.locale(long + "a1, de") == "de-DE")
    #expect(try Self.locale("de-" + long) == "de-DE")
    #expect(try Self.locale("fr;q=0." + String(repeating: "0", count: 30_000) + "1, de") == "de-DE")
    for (others, locale) in [(LanguagePreferences.maximum - 1, "de-DE"), (LanguagePreferences.maximum, "en-US")] {
      #expect(try Self.locale(String(repeating: "fr,", count: others) + "de") == locale)
    }
  }
}
