internal import TableModel

extension MappingResult {
  /// Keeps the first rows in display order: sections behind them are left out, headers and footers stay as they are.
  /// - Precondition: `count` is at least 1. O(sections).
  public mutating func keepFirst(_ count: Int) {
    var left = count
    var kept: [Section] = []
    for section in sections where left > 0 {
      let rows = Array(section.rows.prefix(left))
      left -= rows.count
      kept.append(Section(id: section.id, header: section.header, footer: section.footer, rows: rows))
    }
    sections = kept
  }
}
