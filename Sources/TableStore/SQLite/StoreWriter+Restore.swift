import Dispatch
import FieldValues
import Foundation
import GRDB
import Synchronization
import TableModel

extension StoreWriter {
  /// Reads all that is stored of a table, and remembers what writing its next version needs. The writer is kept for all of it,
  /// also while other connections read and other threads make the versions: nothing is committed to any table meanwhile.
  mutating func restore(_ name: String, in db: Database, _ readers: StoreReaders?) throws -> StoredTable {
    var result = StoredTable()
    let exists = try Bool.fetchOne(db, sql: "SELECT 1 FROM feed WHERE name = ?", arguments: [name]) ?? false
    guard exists else {
      result.revision = revision(of: name)
      return result
    }
    var table = try open(name, in: db)
    let reading = try RecordReading(of: table, in: db)
    try reading.read(with: readers, in: db)
    let records = table.epoch == nil ? nil : try VersionRecords(of: table, in: db)
    // None needs the others, and each takes a while where there are many rows; the connection is this thread's.
    let nextItem = table.nextItem
    let made = Mutex<(history: Result<VersionHistory?, any Error>, items: LocalItems?)>((.success(nil), nil))
    let group = DispatchGroup()
    let beside: (@escaping @Sendable () -> Void) -> Void = { body in
      if readers == nil { body() } else { DispatchQueue.global().async(group: group, execute: body) }
    }
    beside {
      let history = Result { try records.map { try VersionHistory($0, name: name, rows: reading.rows) } }
      made.withLock { $0.history = history }
    }
    if let nextItem {
      beside {
        let items = LocalItems(stored: reading.items, nextID: nextItem)
        made.withLock { $0.items = items }
      }
    }
    let objects = Result { try NumberedObjects(of: table, in: db) }
    group.wait()
    let (history, items) = made.withLock { $0 }
    result.versions = try takeOver(try history.get(), highest: reading.highestRow, of: &table, in: db)
    result.items = items
    result.objects = try namedObjects(of: table, in: db)
    let ofRows = try objects.get().named(by: table.last)
    result.objects.reserveCapacity(result.objects.count + ofRows.count)
    for (row, bytes) in ofRows { result.objects[ByteText(row)] = bytes }
    let inputs = InputRevisions(takingFrom: &result.objects)
    table.inputs = tables[name]?.inputs
    result.inputs = table.inputs ?? inputs
    let toggled = try String.fetchAll(db, sql: "SELECT row FROM toggle WHERE feed = ?", arguments: [table.id])
    result.toggled = Set(toggled.map { ByteText($0) })
    result.layout = table.layout
    tables[name] = table
    result.revision = revision(of: name)
    return result
  }

  /// The versions alone, within a transaction too.
  func restoreVersions(of table: inout SQLiteTable, name: String, in db: Database) throws {
    guard table.epoch != nil else { return }
    let reading = try RecordReading(of: table, withItems: false, in: db)
    try reading.read(with: nil, in: db)
    let history = try VersionHistory(try VersionRecords(of: table, in: db), name: name, rows: reading.rows)
    _ = try takeOver(history, highest: reading.highestRow, of: &table, in: db)
  }

  /// Goes on from the versions that are stored.
  private func takeOver(
    _ history: VersionHistory?,
    highest stored: UInt64?,
    of table: inout SQLiteTable,
    in db: Database
  ) throws -> StoredVersions? {
    if let stored { table.nextRow = max(table.nextRow, stored + 1) }
    guard let epoch = table.epoch, let history, let last = history.last else { return nil }
    table.keyFrames += history.keyFrames
    var highest = history.highestRow
    if let forgotten = history.forgotten {
      table.forgetting = Forgetting(forgotten)
      // Numbers of rows that are to be forgotten, or are gone by now, are not given again as long as a record has them.
      highest = [highest, try highestRow(onlyIn: forgotten, of: table.id, in: db)].compactMap(\.self).max()
    }
    let next = highest.map { $0 + 1 } ?? 0
    // Rows written ahead of a version that was never committed.
    if table.nextRow > next { try removeRows(from: next, of: table.id, in: db) }
    table.nextRow = next
    let versions = history.tables.map { number, content in
      Version(cursor: Cursor(epoch: epoch, version: number), table: content)
    }
    guard let newest = versions.last else { return nil }
    table.last = (newest, last.numbers)
    return StoredVersions(epoch: epoch, versions: versions.suffix(self.history))
  }
}

/// Versions that nobody can ask for any more are forgotten together, whenever a key frame is written, with the rows that no
/// later version has. Where these are many, it is done in slices, so that the commits of other tables come in between: the
/// versions stop being key frames first, by which whoever restores the table knows that they are no more; then their rows
/// go, and they themselves last, as their records say which rows these are. A run that finds some unfinished goes on with them
/// in slices, too.
extension StoreWriter {
  /// The rest of forgetting a table's old versions.
  struct Forgetting {
    /// The range of versions, without the last one.
    let versions: Range<UInt64>
    /// The version whose record names the rows that are being deleted: those that the one before it had.
    var version: UInt64
    /// What is left of these rows, ascending, so that a page's are deleted together.
    var rows: ArraySlice<UInt64> = []

    init(_ versions: Range<UInt64>) {
      self.versions = versions
      // Rows that the first one's record names were deleted when it became the first.
      version = versions.lowerBound
    }
  }

  /// So many rows are deleted at once: some milliseconds, as they lie on as many pages.
  private static let slice = 256

  /// Begins to forget versions that are no longer held, up to a key frame from which the oldest held one can be read. Within
  /// the transaction that has brought a key frame.
  func prune(_ table: inout SQLiteTable, upTo current: UInt64, in db: Database) throws {
    let oldestHeld = current >= UInt64(history) ? current - UInt64(history) + 1 : 1
    guard let oldest = table.keyFrames.first, let base = table.keyFrames.last(where: { $0 <= oldestHeld }),
      base > oldest
    else { return }
    // An unfinished range is begun anew, with the versions that have come.
    var forgetting = Forgetting((table.forgetting?.versions.lowerBound ?? oldest)..<base)
    table.keyFrames.removeAll { $0 < base }
    if try isShort(forgetting, of: table.id, in: db) {
      table.forgetting = nil
      while try forget(&forgetting, of: table, in: db) {}
      return
    }
    try db.execute(
      sql: "UPDATE version SET key_frame = 0 WHERE feed = ? AND number < ? AND key_frame",
      arguments: [table.id, Int64(bitPattern: base)]
    )
    table.forgetting = forgetting
  }

  /// True if there are versions left to be forgotten.
  var isForgetting: Bool { tables.values.contains { $0.forgetting != nil } }

  /// Deletes a slice of what is to be forgotten, in a transaction of its own that waits for no disk.
  ///
  /// - Returns: whether there is more.
  mutating func forgetSome(in db: Database) throws -> Bool {
    guard canWrite, let (name, table) = tables.first(where: { $0.value.forgetting != nil }),
      var forgetting = table.forgetting
    else { return false }
    try setLevel(.process, in: db)
    var goesOn = false
    try db.inTransaction(.immediate) {
      goesOn = try forget(&forgetting, of: table, in: db)
      return .commit
    }
    tables[name]?.forgetting = goesOn ? forgetting : nil
    return isForgetting
  }

  /// Deletes a slice of rows; the records of the versions once there are none.
  ///
  /// - Returns: whether there is more.
  private func forget(_ forgetting: inout Forgetting, of table: SQLiteTable, in db: Database) throws -> Bool {
    let last = forgetting.versions.upperBound
    while forgetting.rows.isEmpty,
      let next = try rowsGone(after: forgetting.version, upTo: last, of: table.id, in: db)
    {
      forgetting.version = next.version
      forgetting.rows = next.rows.sorted()[...]
    }
    guard !forgetting.rows.isEmpty else {
      try db.cachedStatement(sql: "DELETE FROM version WHERE feed = ? AND number >= ? AND number < ?")
        .execute(arguments: [table.id, Int64(bitPattern: forgetting.versions.lowerBound), Int64(bitPattern: last)])
      return false
    }
    let rows = forgetting.rows.prefix(Self.slice)
    let deletions = [
      try RecordStatement("DELETE FROM row WHERE key = ?", in: db),
      table.hasRowObjects ? try RecordStatement("DELETE FROM row_object WHERE key = ?", in: db) : nil,
    ]
    for deletion in deletions.compactMap(\.self) {
      for number in rows { try deletion.execute(StoreSchema.key(of: table.id, number: number)) }
    }
    forgetting.rows = forgetting.rows.dropFirst(rows.count)
    return true
  }

  /// True if there are few rows, which are forgotten at once. Not told by reading their numbers, of which there may be very
  /// many: each takes two bytes or more, but for the first 128.
  private func isShort(_ forgetting: Forgetting, of id: Int64, in db: Database) throws -> Bool {
    let sql = "SELECT coalesce(sum(length(gone)), 0) FROM version WHERE feed = ? AND number > ? AND number <= ?"
    let range = forgetting.versions
    let bytes = try Int.fetchOne(
      db.cachedStatement(sql: sql),
      arguments: [id, Int64(bitPattern: range.lowerBound), Int64(bitPattern: range.upperBound)]
    )
    return bytes ?? 0 <= 2 * Self.slice
  }

  /// The highest number of a row that versions have, and the one after them has not; nil where there is none.
  private func highestRow(onlyIn versions: Range<UInt64>, of id: Int64, in db: Database) throws -> UInt64? {
    var (version, highest): (UInt64, UInt64?) = (versions.lowerBound, nil)
    while let next = try rowsGone(after: version, upTo: versions.upperBound, of: id, in: db) {
      version = next.version
      highest = [highest, next.rows.max()].compactMap(\.self).max()
    }
    return highest
  }

  /// The numbers of the rows that the next version after one has no more. Asked for each version that is forgotten, so that of
  /// many edits each has it asked once.
  private func rowsGone(
    after version: UInt64,
    upTo last: UInt64,
    of id: Int64,
    in db: Database
  ) throws -> (version: UInt64, rows: [UInt64])? {
    let sql = "SELECT number, gone FROM version WHERE feed = ? AND number > ? AND number <= ? ORDER BY number LIMIT 1"
    let found = try GRDB.Row.fetchOne(
      db.cachedStatement(sql: sql),
      arguments: [id, Int64(bitPattern: version), Int64(bitPattern: last)]
    )
    guard let found else { return nil }
    let number: Int64 = try found.decode(forColumn: "number")
    let list: Data = try found.decode(forColumn: "gone")
    var reader = RecordReader(Array(list))
    var rows: [UInt64] = []
    while !reader.isAtEnd {
      let row = try reader.number()
      guard row < StoreSchema.numberLimit else { throw RecordError(description: "a row's number is too large") }
      rows.append(row)
    }
    return (UInt64(bitPattern: number), rows)
  }
}
