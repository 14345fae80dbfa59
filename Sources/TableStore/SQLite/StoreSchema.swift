import GRDB

/// The tables of the database and how they came to be.
///
/// `feed` is the schema's word for the record of a table or of a source's items. The keys of its rows and items are
/// `feed << 40 | number`: they lie side by side and need no other index.
enum StoreSchema {
  /// `TBLC`, in the file's header: tells our databases from other programs'.
  static let applicationID = 0x5442_4C43

  static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    // A migration, once released, is never edited: the next change is the next migration.
    migrator.registerMigration("1") { db in
      try db.execute(
        sql: """
          PRAGMA application_id = \(applicationID);
          CREATE TABLE info (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
          CREATE TABLE feed (
            id INTEGER PRIMARY KEY,
            name TEXT NOT NULL UNIQUE,
            epoch INTEGER,                       -- of its versions; null where there are none
            at_risk INTEGER NOT NULL DEFAULT 0,  -- has versions that a power loss may have taken
            next_item INTEGER                    -- null where no items were ever stored
          );
          CREATE TABLE version (
            feed INTEGER NOT NULL,
            number INTEGER NOT NULL,
            key_frame INTEGER NOT NULL,
            gone BLOB NOT NULL,                  -- numbers of rows that the version before had
            record BLOB NOT NULL,
            PRIMARY KEY (feed, number)
          ) WITHOUT ROWID;
          CREATE TABLE row (key INTEGER PRIMARY KEY, record BLOB NOT NULL);
          CREATE TABLE item (key INTEGER PRIMARY KEY, rank INTEGER NOT NULL, body BLOB NOT NULL);
          CREATE TABLE object (
            feed INTEGER NOT NULL, row TEXT NOT NULL, body BLOB NOT NULL, PRIMARY KEY (feed, row)
          ) WITHOUT ROWID;
          CREATE TABLE reply (
            feed INTEGER NOT NULL, key TEXT NOT NULL, request BLOB NOT NULL, status INTEGER NOT NULL,
            headers BLOB NOT NULL, body BLOB NOT NULL, expires INTEGER NOT NULL, PRIMARY KEY (feed, key)
          ) WITHOUT ROWID;
          CREATE INDEX reply_expires ON reply (expires);
          """
      )
    }
    migrator.registerMigration("2") { db in
      try db.execute(
        sql: """
          -- Rows that taps have toggled for everyone.
          CREATE TABLE toggle (feed INTEGER NOT NULL, row TEXT NOT NULL, PRIMARY KEY (feed, row)) WITHOUT ROWID;
          """
      )
    }
    migrator.registerMigration("3") { db in
      try db.execute(
        sql: """
          -- Answers belong to who has asked, and where. Those from before are nobody's, until they expire.
          CREATE TABLE answer (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            caller TEXT NOT NULL,
            feed TEXT NOT NULL,                  -- the table's name: an answer needs no feed
            scope TEXT NOT NULL,
            key TEXT NOT NULL,
            request BLOB NOT NULL, status INTEGER NOT NULL, headers BLOB NOT NULL, body BLOB NOT NULL,
            size INTEGER NOT NULL,
            expires INTEGER NOT NULL,
            UNIQUE (caller, feed, scope, key)
          );
          INSERT INTO answer (caller, feed, scope, key, request, status, headers, body, size, expires)
            SELECT '', feed.name, '', key, request, status, headers, body, 100 + length(headers) + length(body), expires
            FROM reply JOIN feed ON feed.id = reply.feed ORDER BY expires;
          DROP TABLE reply;
          CREATE INDEX answer_expires ON answer (expires);
          CREATE INDEX answer_caller ON answer (caller, id, size);
          """
      )
    }
    migrator.registerMigration("4") { db in
      try db.execute(
        sql: """
          -- Objects by the numbers of their rows: what is new is written at the end, as its row is. Those in `object` are
          -- of rows that the table has not, or from before: one here goes before one there.
          CREATE TABLE row_object (key INTEGER PRIMARY KEY, body BLOB NOT NULL);
          """
      )
    }
    migrator.registerMigration("5") { db in
      try db.execute(
        sql: """
          -- What the last version was laid out by; null where nobody has said so.
          ALTER TABLE feed ADD COLUMN layout TEXT;
          """
      )
    }
    migrator.registerMigration("6") { db in
      try db.execute(
        sql: """
          -- The identity that a client has chosen; null: the item is called by its number.
          ALTER TABLE item ADD COLUMN name TEXT;
          """
      )
    }
    migrator.registerMigration("7", migrate: moveItems)
    return migrator
  }

  /// The numbers of a table's rows and items are below it.
  static let numberLimit: UInt64 = 1 << 40

  /// The key of a table's row or item.
  static func key(of id: Int64, number: UInt64) -> Int64 { id << 40 | Int64(number & (1 << 40 - 1)) }

  /// The keys of all rows or items of a table.
  static func keys(of id: Int64) -> ClosedRange<Int64> { id << 40...(id << 40 | (1 << 40 - 1)) }

  /// The numbers of tables have the 23 bits above.
  static let tableLimit: Int64 = 1 << 23
}
