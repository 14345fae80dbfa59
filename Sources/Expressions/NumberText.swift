import Foundation
import Synchronization

/// Numbers and their texts.
enum NumberText {
  /// The input as a number, also of a text that is one, with all digits of an integer; null stays null.
  static func value(_ call: FilterCall, for filter: String) throws(EvaluationError) -> Value {
    let value = call.input.countedAsNumber
    switch value.kind {
    case .null, .number: return value
    case .string: throw EvaluationError("\(filter) takes a number, not the string", showing: value.string ?? "")
    case .boolean, .array, .object: throw call.unfit(filter, "a number")
    }
  }

  static func decimals(_ call: FilterCall, _ position: Int, for filter: String) throws(EvaluationError) -> Int? {
    guard let decimals = try call.integer(position, of: filter) else { return nil }
    guard (0...20).contains(decimals) else {
      throw EvaluationError("\(filter) takes 0 to 20 decimals, not \(decimals)")
    }
    return decimals
  }

  /// An integer where it is one.
  static func simplest(_ number: Double) -> Value { Int64(exactly: number).map { .integer($0) } ?? .number(number) }

  /// The nearest number with so many decimals; halves go away from zero. The digits that count are those that the
  /// number is written with: 1.005 is a half, though the double lies below it. O(digits).
  static func rounded(_ number: Double, decimals: Int) -> Double {
    let parts = Value.text(of: number.magnitude).split(separator: ".")
    guard parts.count == 2, let next = parts[1].dropFirst(decimals).first,
      let kept = UInt64("\(parts[0])\(parts[1].prefix(decimals))")
    else { return number + 0.0 }
    let digits = next < "5" ? kept : kept + 1
    let rounded = Double("\(digits)e-\(decimals)") ?? number.magnitude
    // Zero has no sign: JSON would show it.
    return number < 0 ? 0.0 - rounded : rounded
  }

  /// Integers that no double is.
  private static func integerBeyondDoubles(_ value: Value) -> Int64? {
    value.integerValue.flatMap { Int64(exactly: Double($0)) == $0 && $0.magnitude <= 1 << 53 ? nil : $0 }
  }

  /// A number, of which `value` is the exact one.
  static func decimal(_ value: Value, _ number: Double, decimals: Int?, locale: String) -> String {
    if case .unsigned(let integer) = value { return decimal(integer, decimals: decimals, locale: locale) }
    guard let integer = integerBeyondDoubles(value) else { return decimal(number, decimals: decimals, locale: locale) }
    return decimal(integer, decimals: decimals, locale: locale)
  }

  /// An amount, of which `value` is the exact one.
  static func currency(_ value: Value, _ number: Double, code: String, locale: String) -> String {
    if case .unsigned(let integer) = value { return currency(integer, code: code, locale: locale) }
    guard let integer = integerBeyondDoubles(value) else { return currency(number, code: code, locale: locale) }
    return currency(integer, code: code, locale: locale)
  }

  private static func decimal<Integer: BinaryInteger>(_ integer: Integer, decimals: Int?, locale: String) -> String {
    IntegerFormatStyle<Integer>(locale: Locale(identifier: locale))
      .precision(.fractionLength(decimals ?? 0)).format(integer)
  }

  private static func currency<Integer: BinaryInteger>(_ integer: Integer, code: String, locale: String) -> String {
    IntegerFormatStyle<Integer>.Currency(code: code, locale: Locale(identifier: locale)).format(integer)
  }

  private static func decimal(_ number: Double, decimals: Int?, locale: String) -> String {
    let style = decimalStyles.style(.init(locale: locale, decimals: decimals)) { key in
      let precision: NumberFormatStyleConfiguration.Precision =
        key.decimals.map { .fractionLength($0) } ?? .fractionLength(0...3)
      return FloatingPointFormatStyle<Double>(locale: Locale(identifier: key.locale)).precision(precision)
        .rounded(rule: .toNearestOrAwayFromZero)
    }
    return style.format(number)
  }

  private static func currency(_ number: Double, code: String, locale: String) -> String {
    let style = currencyStyles.style(.init(locale: locale, code: code)) { key in
      FloatingPointFormatStyle<Double>.Currency(code: key.code, locale: Locale(identifier: key.locale))
        .rounded(rule: .toNearestOrAwayFromZero)
    }
    return style.format(number)
  }

  private struct DecimalKey: Hashable {
    var locale: String
    var decimals: Int?
  }

  private struct CurrencyKey: Hashable {
    var locale: String
    var code: String
  }

  private static let decimalStyles = StyleCache<DecimalKey, FloatingPointFormatStyle<Double>>()
  private static let currencyStyles = StyleCache<CurrencyKey, FloatingPointFormatStyle<Double>.Currency>()

  /// The element (or what an argument gives for it) that comes before all others.
  static func extreme(
    _ call: FilterCall,
    _ filter: String,
    _ better: Value.Order
  ) throws(EvaluationError) -> Value {
    guard let elements = try call.inputElements(for: filter) else { return .null }
    let values = call.arguments.isEmpty ? elements : try call.evaluateForEach(elements)
    let comparison = Comparison(call.scope.budget)
    var best: (value: Value, key: Value)?
    for value in values where !value.isNull {
      let key = value.countedAsNumber
      if let known = best, comparison.order(key, known.key) != better { continue }
      best = (value, key)
    }
    try call.scope.budget?.check()
    return best?.value ?? .null
  }
}

/// Styles of writing, made once: with their locales they cost more than a number's text.
private final class StyleCache<Key: Hashable & Sendable, Style: Sendable>: Sendable {
  private let styles = Mutex<[Key: Style]>([:])

  func style(_ key: Key, make: (Key) -> Style) -> Style {
    styles.withLock { styles in
      if let style = styles[key] { return style }
      // Formats come from a configuration, so that they are few; whoever computes them pays for it.
      if styles.count >= 256 { styles.removeAll() }
      let style = make(key)
      styles[key] = style
      return style
    }
  }
}

extension NumberText {
  /// Returns whether the text has the form of ISO 4217's codes.
  static func isCurrency(_ code: String) -> Bool {
    code.utf8.count == 3 && code.utf8.allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
  }
}
