/// The part of a cut table that a client sees.
public struct Window: Hashable, Sendable {
  /// The rows that were asked for.
  public var range: WindowRange
  /// How many rows the table has in all.
  public var of: Int

  public init(_ range: WindowRange, of: Int) { (self.range, self.of) = (range, of) }
}

extension Table {
  /// The table cut out of this one, which is whole; its ``window`` says so.
  ///
  /// A section is in the window if one of its rows is, or, where it has none, if at least as many rows as stand before
  /// the window stand before it, and fewer than up to its end. Header and footer are as they are; ``Section/skipped``
  /// tells how many of its rows stand before the cut. ``counts`` are of what is in the window, but for what was left out
  /// of the whole table.
  ///
  /// - Complexity: O(window), wherever it stands in the table, for a table that knows its ``rowCount``, and O(sections)
  ///   for the first window of it that does not begin at its beginning. Sections that are whole are shared.
  public func cut(to range: WindowRange) -> Table {
    var table = self
    table.sections = parts(in: range).map { sections[$0.section].cut(to: $0.rows) }
    table.countRows()
    table.window = Window(range, of: rowCount)
    return table
  }

  /// The sections that a window shows, and which of their rows.
  ///
  /// - Complexity: O(window + log sections) for a table that knows its ``rowCount``, once that has been asked before.
  public func parts(in range: WindowRange) -> [(section: Int, rows: Range<Int>)] {
    var parts: [(section: Int, rows: Range<Int>)] = []
    var (section, start) = firstSection(reaching: range.from)
    while section < sections.count, start < range.end {
      let count = sections[section].rows.count
      // One that ends where the window begins is not in it, unless it has no rows.
      if start >= range.from || start + count > range.from {
        parts.append((section, max(0, range.from - start)..<min(count, range.end - start)))
      }
      start += count
      section += 1
    }
    return parts
  }
}

extension Section {
  /// The section with some of its rows alone; itself where these are all. As fast as ``RowList/part(_:)``.
  public func cut(to range: Range<Int>) -> Section {
    guard range.count < rows.count else { return self }
    let skipped = skipped + range.lowerBound
    return Section(id: id, header: header, footer: footer, rows: rows.part(range), skipped: skipped)
  }

  /// The section with its first rows alone; itself where it has no more. As fast as ``RowList/first(_:)``.
  public func cut(after count: Int) -> Section { cut(to: 0..<min(count, rows.count)) }
}
