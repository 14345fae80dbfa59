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
    table.forgetting = try history.forgotten.map { versions in
      Forgetting(versions: versions, rows: try rows(onlyIn: versions, of: table.id, in: db))
    }
    // Numbers of rows that are to be forgotten are not given again as long as a record has them.
    let highest = [history.highestRow, table.forgetting?.rows.last].compactMap(\.self).max()
    let next = highest.map { $0 + 1 } ?? 0
    // Rows written ahead of a version that was never committed.
    if table.nextRow > next {
      try removeRows(from: next, of: table.id, in: db)
      table.nextRow = next
    }
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
    /// Ascending, so that a page's rows are deleted together.
    let rows: [UInt64]
    /// How many of them are deleted.
    var done = 0
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
    let first = table.forgetting?.versions.lowerBound ?? oldest
    var forgetting = Forgetting(versions: first..<base, rows: try rows(onlyIn: first..<base, of: table.id, in: db))
    table.keyFrames.removeAll { $0 < base }
    if forgetting.rows.count <= Self.slice {
      table.forgetting = nil
      try forget(&forgetting, of: table, atOnce: forgetting.rows.count, in: db)
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
    try db.inTransaction(.immediate) {
      try forget(&forgetting, of: table, atOnce: Self.slice, in: db)
      return .commit
    }
    tables[name]?.forgetting = forgetting.done < forgetting.rows.count ? forgetting : nil
    return isForgetting
  }

  private func forget(
    _ forgetting: inout Forgetting,
    of table: SQLiteTable,
    atOnce count: Int,
    in db: Database
  ) throws {
    let rows = forgetting.rows.dropFirst(forgetting.done).prefix(count)
    let deletions = [
      try RecordStatement("DELETE FROM row WHERE key = ?", in: db),
      table.hasRowObjects ? try RecordStatement("DELETE FROM row_object WHERE key = ?", in: db) : nil,
    ]
    for deletion in deletions.compactMap(\.self) {
      for number in rows { try deletion.execute(StoreSchema.key(of: table.id, number: number)) }
    }
    forgetting.done += rows.count
    guard forgetting.done == forgetting.rows.count else { return }
    try db.execute(
      sql: "DELETE FROM version WHERE feed = ? AND number >= ? AND number < ?",
      arguments: [
        table.id, Int64(bitPattern: forgetting.versions.lowerBound), Int64(bitPattern: forgetting.versions.upperBound),
      ]
    )
  }

  /// The numbers of the rows that versions have, and the one after them has not.
  private func rows(onlyIn versions: Range<UInt64>, of id: Int64, in db: Database) throws -> [UInt64] {
    // Rows that the first one's record says are gone were deleted when it became the first.
    let lists = try Data.fetchAll(
      db,
      sql: "SELECT gone FROM version WHERE feed = ? AND number > ? AND number <= ?",
      arguments: [id, Int64(bitPattern: versions.lowerBound), Int64(bitPattern: versions.upperBound)]
    )
    var numbers: [UInt64] = []
    for list in lists {
      var reader = RecordReader(Array(list))
      while !reader.isAtEnd {
        let number = try reader.number()
        guard number < StoreSchema.numberLimit else { throw RecordError(description: "a row's number is too large") }
        numbers.append(number)
      }
    }
    return numbers.sorted()
  }
}
