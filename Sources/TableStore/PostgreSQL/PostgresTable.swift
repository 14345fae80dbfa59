import TableModel

/// This process's knowledge of a stored table: its revision, and the state that writing its next version needs.
struct PostgresTable: Sendable {
  let id: Int64
  let name: String
  var epoch: Epoch?
  /// The version stored last, and the numbers of its rows.
  var last: (version: Version, numbers: [RowNumberList])?
  var nextRow: UInt64 = 0
  /// The key frames that are stored, growing: the versions' numbers, and the revisions that made them.
  var keyFrames: [(number: UInt64, revision: UInt64)] = []
  /// There are rows of forgotten versions (``clearingRemains(of:)``).
  var hasRemains = false
  /// The inputs that it is made of.
  var inputs = InputRevisions()
  /// Its revision, and the commits that led there.
  var recent: RecentCommits

  var revision: Revision { recent.revision }

  init(id: Int64, name: String, revision: Revision, history: Int) {
    self.id = id
    self.name = name
    recent = RecentCommits(base: revision, maximumCount: history)
  }

  /// Returns whether a commit can't be written to the table as it is.
  func isSuperseded(_ commit: Commit) -> Bool {
    commit.isSuperseded(at: revision, inputs: inputs, last: last?.version)
  }

  /// The statements that write a commit, and the table as it is when they are carried out. They fail as a whole where
  /// the stored table stands elsewhere than this one.
  mutating func statements(for commit: Commit, history: Int) -> [PostgresStatement] {
    guard commit.changesTable else { return [] }
    var commit = commit
    if commit.inputs == inputs { commit.inputs = nil }
    inputs = commit.inputs ?? inputs
    let before = revision
    var statements: [PostgresStatement] = []
    var change = Change()
    var beginsEpoch = false
    if let version = commit.version {
      beginsEpoch = last == nil || epoch != version.cursor.epoch
      if beginsEpoch { statements += startEpoch(version.cursor.epoch) }
      change = write(version, history: history)
    }
    recent.append(RecentCommits.Entry(commit))
    let edit = EditRecord(commit)
    // First of all: it locks the table's row, so whoever comes second waits here, and finds that it is second.
    var record = "$1"
    var parameters: [PostgresValue] = [
      .int(id), .int(before.number), .int(before.stamp), .int(commit.stamp),
      commit.version.map { .int($0.cursor.epoch.rawValue) } ?? .null, .bool(beginsEpoch),
      commit.items.map { .int($0.nextID) } ?? .null, .int(nextRow),
    ]
    // Items that were given another name are written by those who know that. -1: no record.
    if commit.items != nil {
      record = "coalesce((SELECT id FROM tablecast.feed WHERE id = $1 AND name = $9), -1)"
      parameters.append(.name(name))
    }
    let advance = "SELECT tablecast.write_record(\(record), $2, $3, $4, $5, $6, $7, $8)"
    statements.insert(PostgresStatement(advance, parameters), at: 0)
    statements.append(
      PostgresStatement(
        """
        INSERT INTO tablecast.change (feed, revision, stamp, number, key_frame, next_row, gone, record, edits)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
        """,
        .int(id),
        .int(revision.number),
        .int(revision.stamp),
        commit.version.map { .int($0.number) } ?? .null,
        .bool(change.isKeyFrame),
        .int(nextRow),
        .ints(change.gone.map { Int64(bitPattern: $0) }),
        change.record.map { .bytes($0) } ?? .null,
        edit.isEmpty ? .null : .bytes(edit.bytes)
      )
    )
    statements += writes(of: change) + writes(of: edit)
    if change.isKeyFrame { statements += pruning(upTo: commit.version?.number ?? 0, history: history) }
    if revision.number % UInt64(history) == 0 { statements.append(pruningOfEdits(history: history)) }
    return statements
  }

  private struct Change {
    var isKeyFrame = false
    var record: [UInt8]?
    var added: [(number: UInt64, row: Row)] = []
    var gone: [UInt64] = []
  }

  private mutating func startEpoch(_ epoch: Epoch) -> [PostgresStatement] {
    self.epoch = epoch
    last = nil
    keyFrames = []
    nextRow = 0
    return [
      PostgresStatement("DELETE FROM tablecast.row WHERE feed = $1", .int(id)),
      PostgresStatement("DELETE FROM tablecast.change WHERE feed = $1", .int(id)),
    ]
  }

  private mutating func write(_ version: Version, history: Int) -> Change {
    let isKeyFrame = keyFrames.last.map { version.number >= $0.number + UInt64(history) } ?? true
    let record = VersionRecord(
      of: version.table,
      after: last.map { ($0.version.table, $0.numbers) },
      isKeyFrame: isKeyFrame,
      nextRow: nextRow
    )
    last = (version, record.numbers)
    nextRow = record.nextRow
    if isKeyFrame { keyFrames.append((version.number, revision.number + 1)) }
    return Change(isKeyFrame: isKeyFrame, record: record.bytes, added: record.added, gone: record.gone.map(\.number))
  }

  private func writes(of change: Change) -> [PostgresStatement] {
    let records = change.added.map { entry in
      var writer = RecordWriter()
      writer.write(entry.row)
      return (number: Int64(bitPattern: entry.number), bytes: writer.bytes)
    }
    return PostgresStatement.parts(of: records, \.bytes.count).map { part in
      PostgresStatement(
        "INSERT INTO tablecast.row SELECT $1, * FROM unnest($2::bigint[], $3::bytea[])",
        .int(id),
        .ints(part.map(\.number)),
        .byteStrings(part.map(\.bytes))
      )
    }
  }

  /// Forgets versions that are no longer held, up to a key frame from which the oldest held one can be read.
  ///
  /// The rows that no later version has may be many times as many as the table's, so they go later, between commits. Until then the changes
  /// that name them stand under negative revisions, without records: no release reads those.
  private mutating func pruning(upTo current: UInt64, history: Int) -> [PostgresStatement] {
    let oldestHeld = current >= UInt64(history) ? current - UInt64(history) + 1 : 1
    guard let base = keyFrames.last(where: { $0.number <= oldestHeld }), let first = keyFrames.first,
      base.number > first.number
    else { return [] }
    keyFrames.removeAll { $0.number < base.number }
    hasRemains = true
    return [
      PostgresStatement(
        "DELETE FROM tablecast.change WHERE feed = $1 AND revision BETWEEN 1 AND $2 AND cardinality(gone) = 0",
        .int(id),
        .int(base.revision &- 1)
      ),
      PostgresStatement(
        """
        UPDATE tablecast.change SET revision = -revision, record = NULL, edits = NULL
        WHERE feed = $1 AND revision BETWEEN 1 AND $2
        """,
        .int(id),
        .int(base.revision &- 1)
      ),
    ]
  }

  /// Deletes rows of versions that ``pruning(upTo:history:)`` has forgotten, so many at once: one row where there may be more.
  static func clearingRemains(of id: Int64) -> PostgresStatement {
    PostgresStatement(
      """
      WITH next AS (
        SELECT revision, gone FROM tablecast.change WHERE feed = $1 AND revision < 0 ORDER BY revision DESC LIMIT 1
      ), cleared AS (
        DELETE FROM tablecast.row USING (SELECT unnest(gone[1:\(clearedAtOnce)]) AS number FROM next) AS old
        WHERE row.feed = $1 AND row.number = old.number
      ), finished AS (
        DELETE FROM tablecast.change USING next WHERE change.feed = $1 AND change.revision = next.revision
          AND cardinality(next.gone) <= \(clearedAtOnce)
      ), shortened AS (
        UPDATE tablecast.change SET gone = next.gone[\(clearedAtOnce + 1):] FROM next
        WHERE change.feed = $1 AND change.revision = next.revision AND cardinality(next.gone) > \(clearedAtOnce)
      )
      SELECT 1 FROM next
      """,
      .int(id)
    )
  }

  private static let clearedAtOnce = 20_000

  /// Commits without a version are only for processes that catch up, and none does from so far behind.
  private func pruningOfEdits(history: Int) -> PostgresStatement {
    let oldest = revision.number > UInt64(history) ? revision.number - UInt64(history) : 0
    return PostgresStatement(
      "DELETE FROM tablecast.change WHERE feed = $1 AND revision BETWEEN 1 AND $2 AND record IS NULL",
      .int(id),
      .int(oldest)
    )
  }
}

// MARK: - Items, objects, toggles

extension PostgresTable {
  private func writes(of edit: EditRecord) -> [PostgresStatement] {
    var statements: [PostgresStatement] = []
    if let items = edit.items {
      if !items.deleted.isEmpty {
        statements.append(
          PostgresStatement(
            "DELETE FROM tablecast.item WHERE feed = $1 AND id = ANY($2::bigint[])",
            .int(id),
            .ints(items.deleted.map { Int64(bitPattern: $0.rawValue) })
          )
        )
      }
      statements += PostgresStatement.parts(of: items.stored) { $0.item.body.count }.map { part in
        // No name is empty. An item's stays what it was when it was added.
        PostgresStatement(
          """
          INSERT INTO tablecast.item (feed, id, rank, body, name)
          SELECT $1, id, rank, body, nullif(name, ''::bytea)
          FROM unnest($2::bigint[], $3::bigint[], $4::bytea[], $5::bytea[]) AS new(id, rank, body, name)
          ON CONFLICT (feed, id) DO UPDATE SET rank = excluded.rank, body = excluded.body
          """,
          .int(id),
          .ints(part.map { Int64(bitPattern: $0.item.id.rawValue) }),
          .ints(part.map(\.rank)),
          .byteStrings(part.map(\.item.body)),
          .byteStrings(part.map { Array(($0.item.name ?? "").utf8) })
        )
      }
    }
    for object in edit.objects {
      if let bytes = object.bytes {
        statements.append(
          PostgresStatement(
            """
            INSERT INTO tablecast.object VALUES ($1, $2, $3)
            ON CONFLICT (feed, sha256(row)) DO UPDATE SET body = excluded.body
            """,
            .int(id),
            .name(object.row),
            .bytes(bytes)
          )
        )
      } else {
        statements.append(
          PostgresStatement(
            "DELETE FROM tablecast.object WHERE feed = $1 AND sha256(row) = sha256($2)",
            .int(id),
            .name(object.row)
          )
        )
      }
    }
    for toggle in edit.toggles {
      let text =
        toggle.isToggled
        ? "INSERT INTO tablecast.toggle VALUES ($1, $2) ON CONFLICT DO NOTHING"
        : "DELETE FROM tablecast.toggle WHERE feed = $1 AND sha256(row) = sha256($2)"
      statements.append(PostgresStatement(text, .int(id), .name(toggle.row)))
    }
    return statements
  }
}
