import Foundation
import GRDB
import TableModel

/// Versions that nobody can ask for any more are forgotten together, whenever a key frame is written, with the rows that no
/// later version has. Where these are many, it is done in slices, so that the commits of other tables come in between: the
/// versions stop being key frames first, by which whoever restores the table knows that they are no more; then their rows
/// go, and they themselves last, as their records say which rows these are.
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
  func prune(_ feed: inout FeedState, upTo current: UInt64, in db: Database) throws {
    let oldestHeld = current >= UInt64(history) ? current - UInt64(history) + 1 : 1
    guard let oldest = feed.keyFrames.first, let base = feed.keyFrames.last(where: { $0 <= oldestHeld }), base > oldest
    else { return }
    // An unfinished range is begun anew, with the versions that have come.
    let first = feed.forgetting?.versions.lowerBound ?? oldest
    var forgetting = Forgetting(versions: first..<base, rows: try rows(ofOnly: first..<base, feed: feed.id, in: db))
    feed.keyFrames.removeAll { $0 < base }
    if forgetting.rows.count <= Self.slice {
      feed.forgetting = nil
      try forget(&forgetting, of: feed, atOnce: forgetting.rows.count, in: db)
      return
    }
    try db.execute(
      sql: "UPDATE version SET key_frame = 0 WHERE feed = ? AND number < ? AND key_frame",
      arguments: [feed.id, Int64(bitPattern: base)]
    )
    feed.forgetting = forgetting
  }

  /// True if there are versions left to be forgotten.
  var isForgetting: Bool { feeds.values.contains { $0.forgetting != nil } }

  /// Deletes a slice of what is to be forgotten, in a transaction of its own that waits for no disk.
  ///
  /// - Returns: whether there is more.
  mutating func forgetSome(in db: Database) throws -> Bool {
    guard canWrite, let (table, feed) = feeds.first(where: { $0.value.forgetting != nil }),
      var forgetting = feed.forgetting
    else { return false }
    try setLevel(.process, in: db)
    try db.inTransaction(.immediate) {
      try forget(&forgetting, of: feed, atOnce: Self.slice, in: db)
      return .commit
    }
    feeds[table]?.forgetting = forgetting.done < forgetting.rows.count ? forgetting : nil
    return isForgetting
  }

  /// Does at once what an earlier run has begun: the numbers of such rows may soon be given to others.
  ///
  /// - Parameter versions: those that were no key frames any more.
  func forget(_ versions: Range<UInt64>, of feed: FeedState, in db: Database) throws {
    var forgetting = Forgetting(versions: versions, rows: try rows(ofOnly: versions, feed: feed.id, in: db))
    try db.inSavepoint {
      try forget(&forgetting, of: feed, atOnce: forgetting.rows.count, in: db)
      return .commit
    }
  }

  private func forget(_ forgetting: inout Forgetting, of feed: FeedState, atOnce count: Int, in db: Database) throws {
    let rows = forgetting.rows.dropFirst(forgetting.done).prefix(count)
    let deletions = [
      try RecordStatement("DELETE FROM row WHERE key = ?", in: db),
      feed.hasRowObjects ? try RecordStatement("DELETE FROM row_object WHERE key = ?", in: db) : nil,
    ]
    for deletion in deletions.compactMap(\.self) {
      for number in rows { try deletion.execute(StoreSchema.key(feed: feed.id, number: number)) }
    }
    forgetting.done += rows.count
    guard forgetting.done == forgetting.rows.count else { return }
    try db.execute(
      sql: "DELETE FROM version WHERE feed = ? AND number >= ? AND number < ?",
      arguments: [
        feed.id, Int64(bitPattern: forgetting.versions.lowerBound), Int64(bitPattern: forgetting.versions.upperBound),
      ]
    )
  }

  /// The numbers of the rows that versions have, and the one after them has not.
  private func rows(ofOnly versions: Range<UInt64>, feed: Int64, in db: Database) throws -> [UInt64] {
    // Rows that the first one's record says are gone were deleted when it became the first.
    let lists = try Data.fetchAll(
      db,
      sql: "SELECT gone FROM version WHERE feed = ? AND number > ? AND number <= ?",
      arguments: [feed, Int64(bitPattern: versions.lowerBound), Int64(bitPattern: versions.upperBound)]
    )
    var numbers: [UInt64] = []
    for list in lists {
      var reader = RecordReader(Array(list))
      while !reader.isAtEnd { numbers.append(try reader.number()) }
    }
    return numbers.sorted()
  }
}
