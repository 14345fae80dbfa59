import Foundation
import GRDB
import TableModel

/// Represented objects lie beside their rows, under the rows' numbers: rows that are new are written at the end, and so are
/// their objects, which costs as many pages as they fill, and not one for each. An object of a row that the table has not
/// lies under the row's name.
extension StoreWriter {
  /// Writes what a commit says of objects.
  ///
  /// - Parameters:
  ///   - first: those before it are written already.
  ///   - record: of the version that the commit has; its rows are written.
  func write(
    _ objects: [ObjectChange],
    from first: Int,
    of table: String,
    with record: VersionRecord?,
    in feed: inout FeedState,
    _ db: Database
  ) throws {
    guard !objects.isEmpty || feed.hasRowObjects else { return }
    // Nobody has asked for the table in this run: its rows are not known yet.
    if record == nil, feed.last == nil, feed.hasRowObjects { try restoreVersions(of: &feed, name: table, in: db) }
    let insertion = try RecordStatement("INSERT OR REPLACE INTO row_object (key, body) VALUES (?, ?)", in: db)
    let deletion = try RecordStatement("DELETE FROM row_object WHERE key = ?", in: db)
    var numbers = RowNumbers(record, of: feed)
    for object in objects.dropFirst(first) {
      let key = numbers.number(of: object.row).map { StoreSchema.key(feed: feed.id, number: $0) }
      if let bytes = object.bytes, let key {
        try insertion.execute(key, bytes)
        feed.hasRowObjects = true
      } else if let bytes = object.bytes {
        try write(bytes, under: object.row, feed: feed.id, in: db)
      } else {
        // That of a row which is gone goes with it.
        if let key { try deletion.execute(key) }
        try db.cachedStatement(sql: "DELETE FROM object WHERE feed = ? AND row = ?")
          .execute(arguments: [feed.id, object.row])
      }
    }
    guard feed.hasRowObjects, let record else { return }
    try keepObjects(of: record, but: objects, feed: feed.id, in: db)
  }

  /// A row that is another one now, and of whose object nothing was said, has the one that it had.
  private func keepObjects(of record: VersionRecord, but objects: [ObjectChange], feed: Int64, in db: Database) throws {
    guard !record.gone.isEmpty, !record.added.isEmpty else { return }
    let told = Set(objects.map(\.row))
    let silent = record.added.filter { !told.contains($0.row.id) }
    guard !silent.isEmpty else { return }
    let before = Dictionary(record.gone.map { ($0.row.id, $0.number) }) { first, _ in first }
    let copy = try RecordStatement(
      "INSERT OR REPLACE INTO row_object (key, body) SELECT ?, body FROM row_object WHERE key = ?",
      in: db
    )
    for (number, row) in silent {
      guard let old = before[row.id] else { continue }
      try copy.execute(StoreSchema.key(feed: feed, number: number), StoreSchema.key(feed: feed, number: old))
    }
  }

  private func write(_ bytes: [UInt8], under name: String, feed: Int64, in db: Database) throws {
    try db.cachedStatement(sql: "INSERT OR REPLACE INTO object (feed, row, body) VALUES (?, ?, ?)")
      .execute(arguments: [feed, name, Data(bytes)])
  }

  /// Puts the objects of the last version's rows under the rows' names: their numbers are given anew.
  func nameObjects(of feed: inout FeedState, table: String, in db: Database) throws {
    guard feed.hasRowObjects else { return }
    if feed.last == nil { try restoreVersions(of: &feed, name: table, in: db) }
    for (name, bytes) in try NumberedObjects(of: feed, in: db).named(by: feed.last) {
      try write(bytes, under: name, feed: feed.id, in: db)
    }
    feed.hasRowObjects = false
  }

  /// The objects that are stored under names.
  func namedObjects(of feed: FeedState, in db: Database) throws -> [String: [UInt8]] {
    var objects: [String: [UInt8]] = [:]
    let named = try GRDB.Row.fetchCursor(
      db,
      sql: "SELECT row, body FROM object WHERE feed = ?",
      arguments: [feed.id]
    )
    while let row = try named.next() {
      let (name, body): (String, Data) = (try row.decode(forColumn: "row"), try row.decode(forColumn: "body"))
      objects[name] = Array(body)
    }
    return objects
  }
}

/// The objects that are stored under the numbers of the last version's rows.
struct NumberedObjects {
  private var numbers: [UInt64] = []
  private var bodies: [[UInt8]] = []

  init(of feed: StoreWriter.FeedState, in db: Database) throws {
    guard feed.hasRowObjects else { return }
    let keys = StoreSchema.keys(feed: feed.id)
    try RecordStatement("SELECT key, body FROM row_object WHERE key BETWEEN ? AND ? ORDER BY key", in: db).forEach(keys)
    {
      numbers.append(UInt64($0 - keys.lowerBound))
      bodies.append(Array($1))
    }
  }

  /// With their rows' names, once the version is known. O(rows).
  func named(by last: (version: Version, numbers: [[UInt64]])?) -> [(row: String, bytes: [UInt8])] {
    guard let last, !numbers.isEmpty else { return [] }
    let places = NumberedPlaces(ascending: numbers)
    var objects: [(row: String, bytes: [UInt8])] = []
    objects.reserveCapacity(bodies.count)
    for (section, numbers) in zip(last.version.table.sections, last.numbers) {
      for (row, number) in zip(section.rows, numbers) {
        if let place = places.place(of: number) { objects.append((row.id, bodies[place])) }
      }
    }
    return objects
  }
}

/// The numbers of a version's rows, by identity.
private struct RowNumbers {
  private let added: [(number: UInt64, row: TableModel.Row)]
  private let last: (version: Version, numbers: [[UInt64]])?
  /// Most objects come in the order of their rows.
  private var next = 0
  private var byName: [String: UInt64]?

  init(_ record: VersionRecord?, of feed: StoreWriter.FeedState) {
    (added, last) = (record?.added ?? [], feed.last)
  }

  /// Expected O(1) for rows that the version has brought, and as fast as the table finds it for others.
  mutating func number(of row: String) -> UInt64? {
    if next < added.count, added[next].row.id == row {
      next += 1
      return added[next - 1].number
    }
    let known = byName ?? Dictionary(added.map { ($0.row.id, $0.number) }) { first, _ in first }
    byName = known
    if let number = known[row] { return number }
    guard let last, let path = last.version.table.indexPath(of: row) else { return nil }
    return last.numbers[path.section][path.row]
  }
}
