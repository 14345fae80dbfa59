import GRDB

extension StoreSchema {
  /// Until schema 6 a source's items stood under one of the tables that show it, and a record of its own (`@keepers`) said under
  /// which. Moves them to records of the sources' own, and notes with the tables what they show.
  ///
  /// Where that record is not there the file is of a release before it: its items are found by whoever restores the sources.
  static func moveItems(_ db: Database) throws {
    let places = try GRDB.Row.fetchAll(
      db,
      sql: """
        SELECT place.row AS source, CAST(place.body AS TEXT) AS name, owner.id AS id, owner.next_item AS next_item
        FROM object AS place JOIN feed AS list ON list.id = place.feed AND list.name = '@keepers'
        JOIN feed AS owner ON owner.name = CAST(place.body AS TEXT) WHERE owner.next_item IS NOT NULL
        """
    )
    guard !places.isEmpty else { return }
    for place in places {
      let source: String = try place.decode(forColumn: "source")
      let name: String = try place.decode(forColumn: "name")
      let owner: Int64 = try place.decode(forColumn: "id")
      let nextItem: Int64 = try place.decode(forColumn: "next_item")
      let record = "@items." + source
      guard name != record else { continue }
      // Items that were put aside earlier are older.
      try db.execute(
        sql: "DELETE FROM item WHERE key >> 40 = (SELECT id FROM feed WHERE name = ?)",
        arguments: [record]
      )
      try db.execute(sql: "DELETE FROM feed WHERE name = ?", arguments: [record])
      try db.execute(sql: "INSERT INTO feed (name, next_item) VALUES (?, ?)", arguments: [record, nextItem])
      let new = db.lastInsertedRowID
      guard new < tableLimit else { throw StoreError.failed("too many tables") }
      let keys = keys(of: owner)
      try db.execute(
        sql: "UPDATE item SET key = key + ? WHERE key BETWEEN ? AND ?",
        arguments: [(new - owner) << 40, keys.lowerBound, keys.upperBound]
      )
      try db.execute(sql: "UPDATE feed SET next_item = NULL WHERE id = ?", arguments: [owner])
      try db.execute(
        sql: "INSERT OR REPLACE INTO object (feed, row, body) VALUES (?, char(1), CAST(? AS BLOB))",
        arguments: [owner, "0 " + record]
      )
    }
    // Items that tables once kept for others are read by nobody any more.
    let rest = "SELECT id FROM feed WHERE next_item IS NOT NULL AND substr(name, 1, 7) <> '@items.'"
    try db.execute(sql: "DELETE FROM item WHERE key >> 40 IN (\(rest))")
    try db.execute(sql: "UPDATE feed SET next_item = NULL WHERE id IN (\(rest))")
    try db.execute(sql: "DELETE FROM object WHERE feed = (SELECT id FROM feed WHERE name = '@keepers')")
    try db.execute(sql: "DELETE FROM feed WHERE name = '@keepers'")
  }
}
