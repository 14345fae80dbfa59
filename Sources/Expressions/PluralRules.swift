internal import Synchronization
internal import _FoundationICU

/// The word that a number takes in a language (CLDR's plural rules, by the ICU that Foundation brings).
enum PluralRules {
  enum Category: String, CaseIterable { case zero, one, two, few, many, other }

  /// - Parameter locale: a language tag; for what is none, the rules of no language hold: `other` alone.
  static func category(of number: Double, locale: String) -> Category {
    let number = abs(number)
    // As most numbers are put.
    if locale == "en" || locale.hasPrefix("en-") || locale.hasPrefix("en_") { return number == 1 ? .one : .other }
    guard let rules = rules(of: locale) else { return .other }
    defer { if !rules.areKept { swift_uplrules_close(rules.opened) } }
    var status = U_ZERO_ERROR
    var keyword = [UChar](repeating: 0, count: 16)
    let count = swift_uplrules_select(rules.opened, number, &keyword, Int32(keyword.count), &status)
    guard status.rawValue <= U_ZERO_ERROR.rawValue, (0...keyword.count).contains(Int(count)) else { return .other }
    return Category(rawValue: String(decoding: keyword[..<Int(count)], as: UTF16.self)) ?? .other
  }

  /// `@unchecked Sendable`: ICU's plural rules are constant once they are opened. Those that are kept are never closed,
  /// others by whoever opened them.
  private struct Rules: @unchecked Sendable {
    let opened: OpaquePointer
    let areKept: Bool
  }

  private static let known = Mutex<[String: Rules]>([:])

  private static func rules(of locale: String) -> Rules? {
    if let rules = known.withLock({ $0[locale] }) { return rules }
    var status = U_ZERO_ERROR
    guard let opened = swift_uplrules_open(locale, &status), status.rawValue <= U_ZERO_ERROR.rawValue else {
      return nil
    }
    // Locales of a configuration are few, those of items may be any. Somebody else may have kept the same meanwhile.
    let isKept = known.withLock { known in
      guard known.count < 256, known[locale] == nil else { return false }
      known[locale] = Rules(opened: opened, areKept: true)
      return true
    }
    return Rules(opened: opened, areKept: isKept)
  }
}
