import GRDB
import Synchronization
import TableModel

/// Reads a table's rows and items, each part of their keys by itself, so that several connections can do it at once.
final class RecordReading: Sendable {
  private let tableID: Int64
  private let rowParts: KeyParts
  private let itemParts: KeyParts
  private let read: Mutex<Read>

  /// By part.
  private struct Read {
    var rows: [RowsRead]
    var items: [[StoredItem]]
  }

  init(of table: SQLiteTable, withItems: Bool = true, in db: Database) throws {
    tableID = table.id
    let keys = StoreSchema.keys(of: table.id)
    rowParts = table.epoch == nil ? KeyParts() : try KeyParts(of: "row", among: keys, in: db)
    itemParts = table.nextItem == nil || !withItems ? KeyParts() : try KeyParts(of: "item", among: keys, in: db)
    read = Mutex(
      Read(
        rows: Array(repeating: RowsRead(), count: rowParts.ranges.count),
        items: Array(repeating: [], count: itemParts.ranges.count)
      )
    )
  }

  /// - Parameter readers: nil: all is read on the connection that is given.
  /// - Throws: ``RecordError``, `DatabaseError`.
  func read(with readers: StoreReaders?, in db: Database) throws {
    let count = rowParts.ranges.count + itemParts.ranges.count
    guard let readers else {
      for place in 0..<count { try read(place, in: db) }
      return
    }
    try readers.forEach(count, in: db) { place, db in try self.read(place, in: db) }
  }

  private func read(_ place: Int, in db: Database) throws {
    if place < rowParts.ranges.count {
      let rows = try rows(rowParts.ranges[place], in: db)
      read.withLock { $0.rows[place] = rows }
    } else {
      let items = try items(itemParts.ranges[place - rowParts.ranges.count], in: db)
      read.withLock { $0.items[place - rowParts.ranges.count] = items }
    }
  }

  private func rows(_ keys: ClosedRange<Int64>, in db: Database) throws -> RowsRead {
    let first = StoreSchema.key(of: tableID, number: 0)
    var reader = RowBatch()
    try RecordStatement("SELECT key, record FROM row WHERE key BETWEEN ? AND ? ORDER BY key", in: db).forEach(keys) {
      try reader.append(UInt64($0 - first), $1)
    }
    return try reader.finish()
  }

  private func items(_ keys: ClosedRange<Int64>, in db: Database) throws -> [StoredItem] {
    let first = StoreSchema.key(of: tableID, number: 0)
    var items: [StoredItem] = []
    let sql: StaticString = "SELECT key, body, rank, name FROM item WHERE key BETWEEN ? AND ? ORDER BY key"
    try RecordStatement(sql, in: db).forEach(keys) { key, body, rank, name in
      let item = Item(id: ItemID(rawValue: UInt64(key - first)), name: name, body: Array(body))
      items.append(StoredItem(item: item, rank: rank))
    }
    return items
  }

  // MARK: What was read

  /// By their numbers.
  var rows: NumberedRows { read.withLock { NumberedRows($0.rows) } }

  /// The highest number of a row; nil where there is none.
  var highestRow: UInt64? { read.withLock { $0.rows.lazy.compactMap(\.numbers.last).max() } }

  /// In the order of their identities.
  var items: [StoredItem] { read.withLock { Array($0.items.joined()) } }
}
