import TableModel

/// A version as it is written: by what is different from the version before, or whole (a *key frame*).
///
/// Rows are written once, under a number, and versions name them. A section that did not change is a reference
/// to the one before; in one that did, whatever stands in the old order is given by runs of old positions, so
/// a row added, changed, moved or removed costs a few bytes however long its section is.
struct VersionRecord {
  /// The record; its rows are in `added`, or were written before.
  var bytes: [UInt8]
  /// Rows that are not written yet, with the numbers they get.
  var added: [(number: UInt64, row: Row)] = []
  /// Rows of the version before that this one does not have.
  var gone: [(number: UInt64, row: Row)] = []
  /// The numbers of this version's rows, by section.
  var numbers: [RowNumberList] = []
  /// The next free row number.
  var nextRow: UInt64

  /// The first byte of a section.
  enum SectionKind: UInt8 {
    /// As in the version before: its index there.
    case unchanged
    /// Built on one of the version before: its index there.
    case changed
    case new
  }

  /// How a header or footer is given.
  enum ModelKind: UInt8 {
    case none, unchanged, written
  }

  /// The kind of a run of a section's rows.
  enum RunKind: UInt8 {
    /// Consecutive positions of the section that this one is built on.
    case positions
    /// Consecutive row numbers.
    case numbers
  }

  static let format: UInt8 = 1

  // Flags of a version.
  static let hasProblem: UInt8 = 1
  static let isTruncated: UInt8 = 2
  static let isForEdges: UInt8 = 4

  /// - Parameters:
  ///   - previous: The version before, with its rows' numbers; nil for a key frame written first of all.
  ///   - isKeyFrame: Whether the record has to be read without the one before. Rows are shared all the same.
  /// - Complexity: O(sections + rows of the sections that changed, without what they share). Only what does not stand as it stood in
  ///   the version before is hashed, and has its number written down; the numbers of the others are shared (``RowNumberList``).
  init(
    of table: Table,
    after previous: (table: Table, numbers: [RowNumberList])?,
    isKeyFrame: Bool,
    nextRow: UInt64
  ) {
    self.bytes = []
    self.nextRow = nextRow
    let matching = SectionContinuity(table, previous?.table)
    var pool = DisplacedRows()
    if let previous { pool.collect(from: previous.table, numbers: previous.numbers, matching: matching) }
    var writer = RecordWriter()
    writer.write(byte: Self.format)
    writer.writeAttributes(of: table)
    writer.write(count: table.sections.count)
    numbers.reserveCapacity(table.sections.count)
    for (index, section) in table.sections.enumerated() {
      let match = matching.matches[index]
      let old = match.flatMap { match in
        previous.map { (section: $0.table.sections[match.old], numbers: $0.numbers[match.old]) }
      }
      let placed = place(section, match: match, oldNumbers: old?.numbers ?? RowNumberList(), pool: &pool)
      numbers.append(placed.numbers)
      if let match, match.isUnchanged, !isKeyFrame {
        writer.write(byte: SectionKind.unchanged.rawValue)
        writer.write(count: match.old)
        continue
      }
      let base = isKeyFrame ? nil : old?.section
      writer.write(byte: (base == nil ? SectionKind.new : .changed).rawValue)
      if let match, base != nil { writer.write(count: match.old) }
      writer.write(section.id)
      writer.write(section.header, before: base.map { .some($0.header) } ?? nil)
      writer.write(section.footer, before: base.map { .some($0.footer) } ?? nil)
      writer.writeRuns(placed, byPosition: base != nil)
    }
    gone = pool.rest
    bytes = writer.bytes
  }

  /// The rows of a section: their numbers, and where they stood in the section that it is built on.
  struct PlacedRows {
    var numbers = RowNumberList()
    var runs = RunList()
  }

  private mutating func place(
    _ section: Section,
    match: SectionContinuity.Match?,
    oldNumbers: RowNumberList,
    pool: inout DisplacedRows
  ) -> PlacedRows {
    var placed = PlacedRows()
    var next = 0
    for part in match?.kept ?? [] {
      place(section.rows[next..<part.new.lowerBound], in: &placed, onto: match?.old, &pool)
      placed.numbers.append(part.old, of: oldNumbers)
      placed.runs.append(.positions, UInt64(part.old.lowerBound), count: part.old.count)
      next = part.new.upperBound
    }
    place(section.rows[next...], in: &placed, onto: match?.old, &pool)
    return placed
  }

  /// Places rows that don't stand as they stood.
  ///
  /// - Parameter base: the section of the version before that theirs is built on.
  private mutating func place(
    _ rows: some Sequence<Row>,
    in placed: inout PlacedRows,
    onto base: Int?,
    _ pool: inout DisplacedRows
  ) {
    for row in rows {
      let found = pool.take(row)
      let number = found?.number ?? nextRow
      placed.numbers.append(number)
      if let found, found.section == base {
        placed.runs.append(.positions, UInt64(found.position))
      } else {
        placed.runs.append(.numbers, number)
      }
      guard found == nil else { continue }
      added.append((number, row))
      nextRow += 1
    }
  }
}

extension RecordWriter {
  fileprivate mutating func writeAttributes(of table: Table) {
    write(table.title)
    write(table.state.rawValue)
    let flags = [
      (table.problem != nil, VersionRecord.hasProblem),
      (table.isTruncated, VersionRecord.isTruncated),
      (table.isForEdges, VersionRecord.isForEdges),
    ]
    write(byte: flags.reduce(0) { $1.0 ? $0 | $1.1 : $0 })
    if let problem = table.problem {
      write(problem.title)
      write(problem.detail)
      write(problem.since)
    }
    write(table.animation.insert.rawValue)
    write(table.animation.delete.rawValue)
    write(table.animation.reload.rawValue)
    write(count: table.omittedSections)
    write(count: table.skippedItems)
  }

  /// - Parameter before: What the section that this one is built on has; nil where it is built on none.
  fileprivate mutating func write(_ model: CellModel?, before: CellModel??) {
    guard let model else { return write(byte: VersionRecord.ModelKind.none.rawValue) }
    if let before, CellModel.same(before, model) {
      return write(byte: VersionRecord.ModelKind.unchanged.rawValue)
    }
    write(byte: VersionRecord.ModelKind.written.rawValue)
    write(model)
  }

  fileprivate mutating func writeRuns(_ rows: VersionRecord.PlacedRows, byPosition: Bool) {
    var runs = rows.runs
    if !byPosition {
      runs = VersionRecord.RunList()
      for number in rows.numbers { runs.append(.numbers, number) }
    }
    write(count: rows.numbers.count)
    write(count: runs.runs.count)
    for run in runs.runs {
      write(byte: run.kind.rawValue)
      write(run.start)
      write(run.count)
    }
  }
}

extension VersionRecord {
  /// Runs of positions or numbers, each as long as can be.
  struct RunList {
    private(set) var runs: [(kind: RunKind, start: UInt64, count: UInt64)] = []

    mutating func append(_ kind: RunKind, _ start: UInt64, count: Int = 1) {
      guard count > 0 else { return }
      if let last = runs.last, last.kind == kind, last.start + last.count == start {
        runs[runs.count - 1].count += UInt64(count)
      } else {
        runs.append((kind, start, UInt64(count)))
      }
    }
  }
}
