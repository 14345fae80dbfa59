import Foundation
import GRDB
import TableModel

/// The records of a table's versions, oldest first.
struct VersionRecords: Sendable {
  private(set) var records: [(number: UInt64, isKeyFrame: Bool, bytes: [UInt8])] = []

  init(of table: SQLiteTable, in db: Database) throws {
    let stored = try GRDB.Row.fetchCursor(
      db,
      sql: "SELECT number, key_frame, record FROM version WHERE feed = ? ORDER BY number",
      arguments: [table.id]
    )
    while let row = try stored.next() {
      let number: Int64 = try row.decode(forColumn: "number")
      let record: Data = try row.decode(forColumn: "record")
      guard number > 0, number < .max else { throw RecordError(description: "a version has the number \(number)") }
      records.append((UInt64(number), try row.decode(forColumn: "key_frame"), Array(record)))
    }
  }
}

/// The content of the records of a table's versions.
struct VersionHistory: Sendable {
  /// Oldest first.
  private(set) var tables: [(number: UInt64, table: TableModel.Table)] = []
  private(set) var keyFrames: [UInt64] = []
  private(set) var last: (table: TableModel.Table, numbers: [RowNumberList])?
  /// The highest number of a row that a version has; nil where none has rows.
  private(set) var highestRow: UInt64?
  /// Before these: versions that an earlier run was about to forget.
  private(set) var forgotten: Range<UInt64>?

  /// - Throws: ``RecordError`` where a version or a row is missing, or a record can't be read.
  init(_ records: VersionRecords, name: String, rows: NumberedRows) throws(RecordError) {
    var reading = VersionReading(name: name, rows: rows, names: NameTable())
    // Versions before the first key frame are being forgotten (``StoreWriter/Forgetting``).
    let first = records.records.firstIndex(where: \.isKeyFrame) ?? records.records.endIndex
    if first > 0 {
      guard first < records.records.endIndex else {
        throw RecordError(description: "no version of table \(name) can be read by itself")
      }
      forgotten = records.records[0].number..<records.records[first].number
    }
    for (number, isKeyFrame, bytes) in records.records[first...] {
      if let last = tables.last, last.number &+ 1 != number {
        throw RecordError(description: "version \(last.number &+ 1) of table \(name) is missing")
      }
      if isKeyFrame { keyFrames.append(number) }
      tables.append((number, try reading.read(bytes)))
    }
    (last, highestRow) = (reading.last, reading.highest)
  }
}
