import FieldValues
import TableModel

extension PostgresTable {
  /// Returns the queries that read a table whole, in the order in which ``restored(id:name:from:history:)`` reads the
  /// answers.
  static func whole(_ id: Int64, _ name: String) -> [PostgresStatement] {
    [
      // Under another name it is another record.
      PostgresStatement(
        "SELECT revision, stamp, epoch, next_item, next_row FROM tablecast.feed WHERE id = $1 AND name = $2::bytea",
        .int(id),
        .name(name)
      ),
      PostgresStatement(
        """
        SELECT revision, number, key_frame, record FROM tablecast.change
        WHERE feed = $1 AND record IS NOT NULL ORDER BY revision
        """,
        .int(id)
      ),
      PostgresStatement("SELECT number, record FROM tablecast.row WHERE feed = $1", .int(id)),
      PostgresStatement("SELECT id, rank, body, name FROM tablecast.item WHERE feed = $1", .int(id)),
      PostgresStatement("SELECT row, body FROM tablecast.object WHERE feed = $1", .int(id)),
      PostgresStatement("SELECT row FROM tablecast.toggle WHERE feed = $1", .int(id)),
    ]
  }

  /// The table as it is stored; nil where it was removed meanwhile.
  static func restored(
    id: Int64,
    name: String,
    from answers: [PostgresRows],
    history: Int
  ) throws(RecordError) -> (table: PostgresTable, stored: StoredTable)? {
    guard answers.count == 6, answers[0].count == 1 else { return nil }
    let (state, changes) = (answers[0], answers[1])
    let revision = Revision(number: try state.count(0, 0), stamp: state.unsigned(0, 1))
    var table = PostgresTable(id: id, name: name, revision: revision, history: history)
    var stored = StoredTable()
    stored.revision = revision
    table.epoch = state.isNull(0, 2) ? nil : Epoch(rawValue: state.unsigned(0, 2))
    table.nextRow = try state.count(0, 4)
    if let epoch = table.epoch {
      var names = NameTable()
      let rows = try Self.rows(of: answers[2], names: &names)
      var reading = VersionReading(name: name, rows: NumberedRows(rows), names: names)
      var versions: [Version] = []
      for row in 0..<changes.count {
        let number = try changes.count(row, 1)
        if let last = versions.last, last.number &+ 1 != number {
          throw RecordError(description: "version \(last.number &+ 1) of table \(name) is missing")
        }
        if changes.int(row, 2) == 1 { table.keyFrames.append((number, changes.unsigned(row, 0))) }
        let content = try reading.read(changes.bytes(row, 3) ?? [])
        versions.append(Version(cursor: Cursor(epoch: epoch, version: number), table: content))
      }
      if let last = versions.last, let numbers = reading.last?.numbers { table.last = (last, numbers) }
      stored.versions = StoredVersions(epoch: epoch, versions: versions.suffix(history))
    }
    if !state.isNull(0, 3) {
      var items: [StoredItem] = []
      items.reserveCapacity(answers[3].count)
      for row in 0..<answers[3].count {
        let item = Item(
          id: ItemID(rawValue: try answers[3].count(row, 0)),
          name: answers[3].bytes(row, 3).map { String(decoding: $0, as: UTF8.self) },
          body: answers[3].bytes(row, 2) ?? []
        )
        items.append(StoredItem(item: item, rank: answers[3].int(row, 1)))
      }
      stored.items = LocalItems(stored: items, nextID: try state.count(0, 3))
    }
    for row in 0..<answers[4].count {
      stored.objects[ByteText(answers[4].text(row, 0))] = answers[4].bytes(row, 1) ?? []
    }
    stored.inputs = InputRevisions(takingFrom: &stored.objects)
    table.inputs = stored.inputs
    for row in 0..<answers[5].count { stored.toggled.insert(ByteText(answers[5].text(row, 0))) }
    return (table, stored)
  }

  private static func rows(
    of answer: PostgresRows,
    names: inout NameTable
  ) throws(RecordError) -> [UInt64: Row] {
    var rows: [UInt64: Row] = [:]
    rows.reserveCapacity(answer.count)
    for row in 0..<answer.count {
      var reader = RecordReader(answer.bytes(row, 1) ?? [])
      rows[answer.unsigned(row, 0)] = try reader.row(names: &names)
    }
    return rows
  }

  /// The queries that read commits of others since, in the order in which ``follow(_:)`` reads the answers.
  var news: [PostgresStatement] {
    [
      // Under another name it is another record.
      PostgresStatement(
        "SELECT revision, stamp, epoch FROM tablecast.feed WHERE id = $1 AND name = $2::bytea",
        .int(id),
        .name(name)
      ),
      PostgresStatement(
        """
        SELECT revision, stamp, number, key_frame, next_row, record, edits FROM tablecast.change
        WHERE feed = $1 AND revision >= $2 ORDER BY revision
        """,
        .int(id),
        .int(revision.number)
      ),
      PostgresStatement(
        "SELECT number, record FROM tablecast.row WHERE feed = $1 AND number >= $2",
        .int(id),
        .int(nextRow)
      ),
    ]
  }

  /// The result of following.
  enum Following {
    /// The table stands where the database does.
    case current
    /// The database can't be reached by changes from here: it is to be read whole.
    case apart
    /// The database has lost what it had when this process read it last: numbers that clients hold would be given to
    /// other contents.
    case setBack(Revision)
  }

  /// Takes over what others have committed. Where that fails the table is as before.
  mutating func follow(_ answers: [PostgresRows]) throws(RecordError) -> Following {
    guard answers.count == 3, answers[0].count == 1 else { return .apart }
    let (state, changes) = (answers[0], answers[1])
    let found = Revision(number: try state.count(0, 0), stamp: state.unsigned(0, 1))
    if found == revision { return .current }
    let isSameEpoch = epoch != nil && !state.isNull(0, 2) && Epoch(rawValue: state.unsigned(0, 2)) == epoch
    guard found.number > revision.number else { return isSameEpoch ? .setBack(found) : .apart }
    var first = 0
    if changes.count > 0, changes.unsigned(0, 0) == revision.number {
      guard changes.unsigned(0, 1) == revision.stamp else { return isSameEpoch ? .setBack(found) : .apart }
      first = 1
    } else if revision != .none {
      return .apart
    }
    // One by one, each after the one before, up to where the table stands.
    guard UInt64(changes.count - first) == found.number - revision.number else { return .apart }
    guard revision == .none || isSameEpoch || epoch == nil else { return .apart }
    epoch = state.isNull(0, 2) ? nil : Epoch(rawValue: state.unsigned(0, 2))
    var names = NameTable()
    let rows = NumberedRows(try Self.rows(of: answers[2], names: &names))
    var reading = VersionReading(name: name, rows: rows, names: names)
    if let last { reading.goOn(from: last.version.table, numbers: last.numbers) }
    for row in first..<changes.count { try take(changes, row, &reading) }
    return .current
  }

  private mutating func take(
    _ changes: PostgresRows,
    _ row: Int,
    _ reading: inout VersionReading
  ) throws(RecordError) {
    var entry = RecentCommits.Entry(stamp: changes.unsigned(row, 1))
    if let record = changes.bytes(row, 5), let epoch {
      let number = try changes.count(row, 2)
      let version = Version(cursor: Cursor(epoch: epoch, version: number), table: try reading.read(record))
      entry.version = version
      if let numbers = reading.last?.numbers { last = (version, numbers) }
      if changes.int(row, 3) == 1 { keyFrames.append((number, changes.unsigned(row, 0))) }
    }
    if let bytes = changes.bytes(row, 6) {
      let edit = try EditRecord(bytes)
      entry.items = edit.items
      entry.objects = edit.objects
      entry.inputs = InputRevisions.taken(from: &entry.objects)
      inputs = entry.inputs ?? inputs
      entry.toggles = edit.toggles
    }
    nextRow = try changes.count(row, 4)
    recent.append(entry)
  }
}
