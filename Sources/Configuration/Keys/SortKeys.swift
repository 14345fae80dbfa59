import Definitions
import Expressions

enum SortKeys: ObjectKeys {
  static let name = "Sort"
  static let noun = "a sort"

  static let by = Key(required: "by", .expression, example: "name", "What the order is made by.")
  static let order = Key("order", ValueReader<SortDirection>.word, "`ascending` (the default) or `descending`.")

  static let keys = [by.description, order.description]

  static func value(of object: ObjectReader) -> SortDefinition? {
    let direction = object[order] ?? .ascending
    return object[by].map { SortDefinition(key: $0, direction: direction) }
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
