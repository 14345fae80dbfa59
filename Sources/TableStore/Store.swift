/// Keeps what tables are made of: local items and their order, versions, and the answers to idempotent requests.
///
/// All calls return at once, but for commits that may block; completions run on a queue of the store, which they must not block, in the order
/// of the calls. Commits of one table are written in the order in which they are given. Several that arrive
/// while one is written are written together and wait for the disk once.
public protocol Store: AnyObject, Sendable {
  /// What is kept of a table. To be asked once, before the table's first commit.
  func restore(_ table: String, completion: @escaping @Sendable (Result<StoredTable, StoreError>) -> Void)

  /// Writes a commit. When `completion` says success it will be found again, as its durability promises; on
  /// failure nothing of it is there.
  ///
  /// A version has to follow the one stored last: else the commit fails with ``StoreError/superseded``. So where
  /// several are on their way and one fails, those built on it fail too. A version of another epoch replaces
  /// all that were stored.
  ///
  /// - Parameter mayBlock: The caller has nothing else to do until it is written. Where nothing else is being
  ///   written and the disk is quick, the caller's thread does it, and `completion` runs before this returns:
  ///   that spares two changes of threads, which on such a disk take as long as the disk.
  func commit(_ commit: Commit, mayBlock: Bool, completion: @escaping @Sendable (Result<Void, StoreError>) -> Void)

  /// The answer kept under an idempotency key, unless it has expired.
  func reply(
    table: String,
    key: String,
    completion: @escaping @Sendable (Result<StoredReply?, StoreError>) -> Void
  )

  /// Forgets all about a table.
  func remove(_ table: String, completion: @escaping @Sendable (Result<Void, StoreError>) -> Void)

  /// Calls back when all that was given before is on the disk, whatever its durability.
  func flush(completion: @escaping @Sendable (Result<Void, StoreError>) -> Void)

  /// Writes what was given before, and lets go of the file. Later calls fail with ``StoreError/closed``.
  func close(completion: @escaping @Sendable (Result<Void, StoreError>) -> Void)
}

extension Store {
  /// Writes a commit on the store's own queue.
  public func commit(_ commit: Commit, completion: @escaping @Sendable (Result<Void, StoreError>) -> Void) {
    self.commit(commit, mayBlock: false, completion: completion)
  }
}
