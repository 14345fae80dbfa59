/// A bound on the rows that are looked at for a change that is seen.
package struct RowBudget: Sendable {
  /// Rows that differ, and are drawn on both sides to see whether that shows.
  private var drawn: Int
  /// Rows that are compared.
  private var compared: Int

  /// The most for a table that is compared once for all who ask.
  package static let whole = RowBudget(drawn: 20_000, compared: 200_000)
  /// For event loops, which do nothing long: a fraction of a millisecond.
  package static let few = RowBudget(drawn: 64, compared: 1_024)
  static let unbounded = RowBudget(drawn: .max, compared: .max)

  package init(drawn: Int, compared: Int) { (self.drawn, self.compared) = (drawn, compared) }

  /// - Returns: false where it is used up.
  mutating func compare() -> Bool {
    compared -= 1
    return compared >= 0
  }

  /// - Returns: false where it is used up.
  mutating func draw() -> Bool {
    drawn -= 1
    return drawn >= 0
  }
}
