import Definitions
import Expressions

enum SortKeys: ObjectKeys {
  static let name = "Sort"
  static let noun = "a sort"

  static let by = Key(required: "by", .expression, example: "name", "The value to sort by.")
  static let order = Key(
    "order",
    .sortOrder,
    "`ascending` (the default), `descending`, or an expression of `$params` that gives one of them."
  )
  static let locale = Key(
    "locale",
    .locale,
    "The language whose order texts have, such as `de`, or `${$locale}`. Default: texts are ordered by their bytes."
  )
  static let natural = Key(
    "natural",
    .boolean,
    "Numbers in texts count as numbers: `item 9` before `item 10`. Default: false."
  )

  static let keys = [by.description, order.description, locale.description, natural.description]

  static func value(of object: ObjectReader) -> SortDefinition? {
    let (order, locale, natural) = (object[order], object[locale], object[natural])
    return object[by].map {
      SortDefinition(key: $0, order: order ?? .always(.ascending), locale: locale, isNatural: natural ?? false)
    }
  }
}

extension ValueReader where Value == [SortDefinition] {
  private static let one = ValueReader<SortDefinition>.either(
    ValueReader<Expression>.expression.map { SortDefinition(key: $0) },
    when: { $0.entries == nil },
    or: .object(SortKeys.self)
  )
  private static let several = ValueReader.list(of: one, noun: "the sort", atLeast: 1)

  /// `name`, `{by: updated, order: descending}`, or a list of these: the first that differs decides.
  static let sort = ValueReader.either(one.map { [$0] }, when: { $0.elements == nil }, or: several)
}

extension ValueReader where Value == SortOrder {
  /// `ascending`, `descending`, or an expression.
  static let sortOrder = ValueReader.either(
    ValueReader<SortDirection>.word.map(SortOrder.always),
    when: { $0.scalar?.text.contains("$") != true },
    or: ValueReader<Expression>.expression.map(SortOrder.chosen)
  )
}

extension ValueReader where Value == RowLimit {
  /// A number, or an expression.
  static let rowLimit = ValueReader.either(
    ValueReader<Int>.integer(1...100_000_000).map(RowLimit.always),
    when: { $0.scalar?.text.contains("$") != true },
    or: ValueReader<Expression>.expression.map(RowLimit.chosen)
  )
}
