public import TableModel

extension MappingResult {
  /// Keeps the first rows in display order: sections behind them are left out, headers and footers stay as they are.
  /// - Precondition: `count` is at least 1. O(sections).
  public mutating func keepFirst(_ count: Int) {
    var left = count
    var kept: [Section] = []
    for section in sections where left > 0 {
      kept.append(section.cut(after: left))
      left -= section.rows.count
    }
    sections = kept
  }

  /// Shows what was found of it instead.
  public mutating func keep(_ sections: [Section]) { self.sections = sections }
}
