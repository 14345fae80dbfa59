public import Expressions

/// One of the criteria that rows are sorted by: the first in which two differ decides.
public struct SortDefinition: Sendable {
  public var key: Expression
  public var order: SortOrder
  /// The language whose order texts have: a BCP 47 tag, or what makes one of `$locale` and `$params`. Nil: texts are
  /// ordered by their bytes.
  public var locale: Template?
  /// Numbers in texts count as numbers: `item 9` before `item 10`.
  public var isNatural: Bool

  public init(
    key: Expression,
    order: SortOrder = .always(.ascending),
    locale: Template? = nil,
    isNatural: Bool = false
  ) {
    (self.key, self.order, self.locale, self.isNatural) = (key, order, locale, isNatural)
  }
}

public enum SortDirection: String, Sendable, CaseIterable { case ascending, descending }

/// The direction of a sort: always the same, or chosen by an expression of `$params`.
public enum SortOrder: Sendable {
  case always(SortDirection)
  case chosen(Expression)

  /// The direction for what is in scope.
  ///
  /// - Throws: where the expression fails, or gives something else than `ascending` and `descending`. Null is
  ///   `ascending`.
  public func direction(in scope: Scope) throws(EvaluationError) -> SortDirection {
    switch self {
    case .always(let direction): return direction
    case .chosen(let expression):
      let value = try expression.evaluate(in: scope)
      if value.isNull { return .ascending }
      guard let direction = value.text.flatMap(SortDirection.init(rawValue:)) else {
        throw expression.misfit("a sort's order is 'ascending' or 'descending'", value)
      }
      return direction
    }
  }
}

/// How many rows a section has at most: a number, or an expression of `$params`.
public enum RowLimit: Sendable {
  case always(Int)
  case chosen(Expression)

  /// The number of rows for what is in scope; nil where the expression gives null: no limit.
  ///
  /// - Throws: where the expression fails, or gives anything but a whole number that is not negative, or its text.
  public func rows(in scope: Scope) throws(EvaluationError) -> Int? {
    switch self {
    case .always(let count): return count
    case .chosen(let expression):
      let value = try expression.evaluate(in: scope)
      if value.isNull { return nil }
      guard let count = value.text.flatMap({ Int($0) }), count >= 0 else {
        throw expression.misfit("a section's limit is a number of rows", value)
      }
      return count
    }
  }
}
