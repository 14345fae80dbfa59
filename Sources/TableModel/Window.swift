/// What a client sees of a table that is cut: its first rows in display order.
public struct Window: Hashable, Sendable {
  /// After how many rows the table is cut; there may be fewer.
  public var rows: WindowSize
  /// How many rows the table has in all.
  public var of: Int

  public init(rows: WindowSize, of: Int) { (self.rows, self.of) = (rows, of) }
}

extension Table {
  /// The table cut after its first rows in display order; its ``window`` says so.
  ///
  /// A section is in the window if fewer rows than its size stand before it, with its header and footer as they are:
  /// so one without rows is in it before the cut, and out of it right behind. ``counts`` are of what is in the window,
  /// but for what was left out of the whole table.
  ///
  /// Of a cut table, what is left of it in a smaller window; rows that it lacks don't come back.
  ///
  /// - Complexity: O(size), whatever the table's, for a table that knows its ``rowCount``. Sections that are whole are
  ///   shared.
  public func cut(after size: WindowSize) -> Table {
    var left = size.rows
    var shown: [Section] = []
    for section in sections {
      guard left > 0 else { break }
      shown.append(section.cut(after: left))
      left -= section.rows.count
    }
    var table = self
    table.sections = shown
    table.window = Window(rows: size, of: window?.of ?? rowCount)
    return table
  }
}

extension Section {
  /// The section with its first rows alone; itself where it has no more. As fast as ``RowList/first(_:)``.
  public func cut(after count: Int) -> Section {
    guard count < rows.count else { return self }
    return Section(id: id, header: header, footer: footer, rows: rows.first(count))
  }
}
