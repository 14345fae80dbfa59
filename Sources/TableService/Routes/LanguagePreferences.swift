import HTTPServer

/// The languages of `Accept-Language` (RFC 9110 section 12.5.4): language ranges by their weight.
struct LanguagePreferences: Hashable, Sendable {
  /// By weight, the first of equal ones first.
  private let ranges: [LanguageRange]
  private let refused: [LanguageRange]

  /// More ranges than that are not read.
  static let maximum = 64

  /// O(bytes of the field).
  init(_ request: Request) {
    // The field has no quoted strings.
    self.init { body in request.forEachMember(of: .acceptLanguage, quoted: false, body) }
  }

  /// - Parameter forEachMember: gives the members of the list, such as `de;q=0.8`, until it is told false. What can't be
  ///   read is passed over.
  init(forEachMember: (_ body: (ArraySlice<UInt8>) -> Bool) -> Void) {
    var weighted: [(range: LanguageRange, weight: Double)] = []
    var count = 0
    forEachMember { member in
      let end = member.place(of: UInt8(ascii: ";")) ?? member.endIndex
      count += 1
      if let range = LanguageRange(member[..<end]), let weight = Self.weight(member[end...]) {
        weighted.append((range, weight))
      }
      return count < Self.maximum
    }
    refused = weighted.filter { $0.weight == 0 }.map(\.range)
    let asked = weighted.enumerated().filter { $0.element.weight > 0 }
    ranges = asked.sorted { ($1.element.weight, $0.offset) < ($0.element.weight, $1.offset) }.map(\.element.range)
  }

  private init(ranges: [LanguageRange], refused: [LanguageRange]) { (self.ranges, self.refused) = (ranges, refused) }

  /// The same preferences in bytes of their own, for who keeps them longer than the request's head, which they share otherwise.
  var owned: LanguagePreferences {
    LanguagePreferences(ranges: ranges.map(\.owned), refused: refused.map(\.owned))
  }

  /// The weight in the first of a range's parameters, 1 without one; nil for anything but a weight from 0 to 1.
  private static func weight(_ parameters: ArraySlice<UInt8>) -> Double? {
    let rest = parameters.drop { $0 == UInt8(ascii: ";") }
    guard !rest.isEmpty else { return 1 }
    let parameter = rest[..<(rest.place(of: UInt8(ascii: ";")) ?? rest.endIndex)]
    guard let equals = parameter.place(of: UInt8(ascii: "=")), Weight.isName(parameter[..<equals]),
      let weight = Weight(parameter[(equals + 1)...]), weight.value <= 1
    else { return nil }
    return weight.value
  }

  /// For each locale the subtags of the longest refused range that filters it: `en` does not ask for `en-US` beside
  /// `en-US;q=0`. Empty where nothing is refused.
  private func refusedSubtags(of locales: [String]) -> [Int] {
    guard !refused.isEmpty else { return [] }
    return locales.map { locale in
      refused.reduce(0) { longest, range in
        range.filters(locale) ? max(longest, range.subtags(sharedWith: locale)) : longest
      }
    }
  }

  /// The locale to answer in: for each range the first one that it filters (RFC 4647 section 3.3.1), the range shortened
  /// until one is; but none that a refused range says as much of. The first of all where no range has one. Nil where there
  /// are none.
  ///
  /// No range is shortened for it: the longest beginning of it that filters a locale is as long as what it shares with the
  /// locale that it shares most with. O(ranges · bytes of the locales), however long the ranges are.
  func locale(of locales: [String]) -> String? {
    guard locales.count > 1 else { return locales.first }
    let bounds = refusedSubtags(of: locales)
    for range in ranges {
      if range.isWildcard {
        if let locale = locales.first(where: { locale in !refused.contains { $0.filters(locale) } }) { return locale }
        continue
      }
      var best: (locale: String, subtags: Int)?
      for (index, locale) in locales.enumerated() {
        let shared = range.subtags(sharedWith: locale)
        guard shared > (bounds.isEmpty ? 0 : bounds[index]) else { continue }
        if shared > best?.subtags ?? 0 { best = (locale, shared) }
      }
      if let best { return best.locale }
    }
    return locales.first
  }
}
