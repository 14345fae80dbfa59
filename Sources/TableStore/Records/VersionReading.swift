import TableModel

/// Makes tables of version records again, oldest first: sections that did not change are shared.
struct VersionReading {
  let rows: NumberedRows
  let name: String
  /// Shared with the rows'.
  var names: NameTable
  /// The version read last, with its rows' numbers.
  private(set) var last: (table: Table, numbers: [RowNumberList])?
  /// The highest number of a row that a version has; nil where none has rows.
  private(set) var highest: UInt64?
  /// The version that is gone on from, whose rows are not among `rows`; asked for few of them, seldom for any.
  private var base: (table: Table, numbers: [RowNumberList])?
  private var baseRows: [UInt64: Row]?

  /// - Parameter name: What the table is kept under.
  init(name: String, rows: NumberedRows, names: NameTable) {
    self.name = StoredName.shown(of: name)
    self.rows = rows
    self.names = names
  }

  /// Begins with a version that is known: the records are of those after it.
  mutating func goOn(from table: Table, numbers: [RowNumberList]) {
    last = (table, numbers)
    base = last
  }

  /// A row by its number. O(rows of the base) the first time that one of them is asked for.
  private mutating func row(_ number: UInt64) -> Row? {
    if let row = rows[number] { return row }
    guard let base else { return nil }
    let found = baseRows ?? Self.rowsByNumber(base.table, base.numbers)
    baseRows = found
    return found[number]
  }

  /// Rows with numbers one after the other.
  private mutating func rows(_ run: Range<UInt64>) throws(RecordError) -> ArraySlice<Row> {
    if let rows = rows[run] { return rows }
    var found: [Row] = []
    for number in run {
      guard let row = row(number) else { throw RecordError(description: "row \(number) is missing") }
      found.append(row)
    }
    return found[...]
  }

  private static func rowsByNumber(_ table: Table, _ numbers: [RowNumberList]) -> [UInt64: Row] {
    var found: [UInt64: Row] = [:]
    for (section, numbers) in zip(table.sections, numbers) {
      for (row, number) in zip(section.rows, numbers) { found[number] = row }
    }
    return found
  }

  /// The table of the next record.
  mutating func read(_ record: [UInt8]) throws(RecordError) -> Table {
    var reader = RecordReader(record)
    guard try reader.byte() == VersionRecord.format else {
      throw RecordError(description: "a version's record is of an unknown format")
    }
    var table = try reader.attributes(name: name)
    // Set once: a table copies its sections where they are changed.
    var sections: [Section] = []
    var numbers: [RowNumberList] = []
    // A row stands in a version once, and a section is gone on from once: else a short record could ask for any amount.
    var room = rows.count + (last?.table.rowCount ?? 0)
    var bases: Set<Int> = []
    for _ in 0..<(try reader.count(of: 2)) {
      guard let kind = VersionRecord.SectionKind(rawValue: try reader.byte()) else {
        throw RecordError(description: "a section's record is of an unknown kind")
      }
      switch kind {
      case .unchanged:
        let base = try base(of: &reader, &bases)
        sections.append(base.section)
        numbers.append(base.numbers)
      case .changed:
        let base = try base(of: &reader, &bases)
        try readSection(&reader, base: base, into: &sections, &numbers, &room)
      case .new:
        try readSection(&reader, base: nil, into: &sections, &numbers, &room)
      }
    }
    table.sections = sections
    last = (table, numbers)
    return table
  }

  private func base(
    of reader: inout RecordReader,
    _ bases: inout Set<Int>
  ) throws(RecordError) -> (section: Section, numbers: RowNumberList) {
    let index = try reader.count(of: 0)
    guard bases.insert(index).inserted else {
      throw RecordError(description: "a version's record goes on twice from one section")
    }
    guard let last, index < last.table.sections.count else {
      throw RecordError(description: "a version's record refers to a section that the one before has not")
    }
    return (last.table.sections[index], last.numbers[index])
  }

  private mutating func readSection(
    _ reader: inout RecordReader,
    base: (section: Section, numbers: RowNumberList)?,
    into sections: inout [Section],
    _ numbers: inout [RowNumberList],
    _ room: inout Int
  ) throws(RecordError) {
    let id = try reader.string()
    let header = try model(&reader, before: base?.section.header)
    let footer = try model(&reader, before: base?.section.footer)
    let count = try reader.count(of: 0)
    guard count <= room else { throw RecordError(description: "a section has more rows than there are") }
    room -= count
    var rows = RowsBeingRead(onto: base?.section.rows ?? [])
    var sectionNumbers = RowNumberList()
    for _ in 0..<(try reader.count(of: 3)) {
      guard let kind = VersionRecord.RunKind(rawValue: try reader.byte()) else {
        throw RecordError(description: "a run of rows is of an unknown kind")
      }
      let start = try reader.number()
      let length = try reader.count(of: 0)
      guard length <= count - sectionNumbers.count else {
        throw RecordError(description: "a section has more rows than its record says")
      }
      switch kind {
      case .positions:
        guard let base, start <= UInt64(base.numbers.count), length <= base.numbers.count - Int(start) else {
          throw RecordError(description: "a run of rows reaches past its section")
        }
        let positions = Int(start)..<Int(start) + length
        rows.append(positions)
        sectionNumbers.append(positions, of: base.numbers)
      case .numbers:
        guard length > 0 else { continue }
        let (end, overflow) = start.addingReportingOverflow(UInt64(length))
        guard !overflow else { throw RecordError(description: "a row's number is too large") }
        highest = max(highest ?? 0, end - 1)
        rows.append(try self.rows(start..<end))
        sectionNumbers.append(start..<end)
      }
    }
    guard sectionNumbers.count == count else { throw RecordError(description: "a section lacks rows") }
    sections.append(Section(id: id, header: header, footer: footer, rows: rows.list))
    numbers.append(sectionNumbers)
  }

  private mutating func model(
    _ reader: inout RecordReader,
    before: CellModel?
  ) throws(RecordError) -> CellModel? {
    guard let kind = VersionRecord.ModelKind(rawValue: try reader.byte()) else {
      throw RecordError(description: "a header's or footer's record is of an unknown kind")
    }
    switch kind {
    case .none: return nil
    case .unchanged: return before
    case .written: return try reader.cellModel(names: &names)
    }
  }
}

extension RecordReader {
  fileprivate mutating func attributes(name: String) throws(RecordError) -> Table {
    let title = try string()
    let state = try word(TableState.self)
    var problem: Problem?
    let flags = try byte()
    if flags & VersionRecord.hasProblem != 0 {
      problem = Problem(title: try string(), detail: try string(), since: try string())
    }
    let animation = AnimationConfiguration(
      insert: try word(RowAnimation.self),
      delete: try word(RowAnimation.self),
      reload: try word(RowAnimation.self)
    )
    var table = Table(
      name: name,
      title: title,
      state: state,
      problem: problem,
      animation: animation,
      omittedSections: try count(of: 0),
      skippedItems: try count(of: 0)
    )
    table.isTruncated = flags & VersionRecord.isTruncated != 0
    table.isForEdges = flags & VersionRecord.isForEdges != 0
    return table
  }

  private mutating func word<Word: RawRepresentable<String>>(_: Word.Type) throws(RecordError) -> Word {
    let text = try string()
    guard let word = Word(rawValue: text) else {
      throw RecordError(description: "a version's record has the unknown word \(text)")
    }
    return word
  }
}
