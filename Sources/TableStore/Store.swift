/// Keeps what tables are made of: local items and their order, versions, and the answers to idempotent requests.
/// More than one process may share it.
///
/// All calls return at once, but for commits that may block. Completions run on any queue, which they must not block.
/// Commits of one record are written, and completed, in the order in which they are given; between those of different
/// records there is no order. Several that arrive while one is written are written together and wait for the disk once.
///
/// **Sharing a table.** Whoever writes a table says which of its revisions the commit is built on (``Commit/base``).
/// ``StoreError/superseded`` means that somebody else wrote: ask for ``changes(of:since:completion:)``, take them over,
/// try again. Others' commits are told of by ``observe(_:)``.
public protocol Store: LeaseStore, ViewStore, MemberStore {
  /// Gives the state that is kept under a name, of a table or of a source's items. To be asked once, before the first
  /// commit under the name.
  func restore(_ table: String, completion: @escaping StoreCompletion<StoredTable>)

  /// Writes a commit. When `completion` says success it will be found again, as its durability promises; on
  /// failure nothing of it is there, but for ``StoreError/unavailable(_:)`` and ``StoreError/stopped(_:)``, after
  /// which it may be.
  ///
  /// A version has to follow the one stored last, and the commit the revision that it names: else it fails with
  /// ``StoreError/superseded``. So where several are on their way and one fails, those built on it fail too. A version
  /// of another epoch replaces all that were stored. Where processes share the store, a commit fails so too whose answer's
  /// key has an answer of another process already: ask for ``reply(_:completion:)``. An answer alone also fails so where another process has
  /// claimed its key since.
  ///
  /// - Parameter mayBlock: The caller has nothing else to do until it is written. Where nothing else is being
  ///   written and the disk is quick, the caller's thread does it, and `completion` runs before this returns:
  ///   that spares two changes of threads, which on such a disk take as long as the disk.
  func commit(_ commit: Commit, mayBlock: Bool, completion: @escaping StoreCompletion<Void>)

  /// Gives a table's changes since a revision: commits of others, and those of its owner that it has not been told of
  /// yet.
  func changes(of table: String, since revision: Revision, completion: @escaping StoreCompletion<CatchUp>)

  /// Gives a table's revision now, whoever wrote it last: at once, before other requests. Nil where only this process
  /// writes, and so knows it.
  func revision(of table: String, completion: @escaping StoreCompletion<Revision?>)

  /// Tells of others' commits, as soon as they are there; on any thread, which must not be blocked.
  func observe(_ observer: @escaping @Sendable (StoreEvent) -> Void) -> StoreObservation

  /// Says something to all other processes that share the store: once, to those who listen now. At most 4,000 bytes.
  func signal(_ name: String, _ text: String, completion: @escaping StoreCompletion<Void>)

  /// The answer kept under an idempotency key, unless it has expired or made room for others.
  func reply(_ key: ReplyKey, completion: @escaping StoreCompletion<StoredReply?>)

  /// Asks for the right to do what a key stands for, where that is done before its answer can be kept: one of all
  /// processes has it, until it keeps the answer, gives it back, or the time is over. That one gets it again for the same request, as where it
  /// has not heard that it has it: it has to join its own requests.
  ///
  /// - Parameter request: what is asked, as in ``StoredReply/request``.
  func claim(
    _ key: ReplyKey,
    request: [UInt8],
    for lifetime: Duration,
    completion: @escaping StoreCompletion<ReplyClaim>
  )

  /// Gives back what this process has claimed, and not answered.
  func disclaim(_ key: ReplyKey, completion: @escaping StoreCompletion<Void>)

  /// Keeps under another name what is kept under one, at once, and has all tables that are made of it call it so. Nothing happens where
  /// that isn't kept, or the other name is in use. Where processes share the store a record with ``StoredTable/newName`` is left, so that
  /// none begins one there that has not read it; and what was planned on the record under its former name is not written.
  func rename(_ record: String, to name: String, completion: @escaping StoreCompletion<Void>)

  /// Forgets all about a table, its answers too; of a family also all members (`table;…`).
  func remove(_ table: String, completion: @escaping StoreCompletion<Void>)

  /// Calls back when all that was given before is on the disk, whatever its durability.
  func flush(completion: @escaping StoreCompletion<Void>)

  /// Writes what was given before, and lets go of the file. Later calls fail with ``StoreError/closed``.
  func close(completion: @escaping StoreCompletion<Void>)
}

extension Store {
  /// Writes a commit on the store's own queue.
  public func commit(_ commit: Commit, completion: @escaping StoreCompletion<Void>) {
    self.commit(commit, mayBlock: false, completion: completion)
  }

  /// The answer kept under a key that belongs to no caller.
  public func reply(table: String, key: String, completion: @escaping StoreCompletion<StoredReply?>) {
    reply(ReplyKey(caller: "", table: table, scope: "", key: key), completion: completion)
  }
}

/// Returns the first part of the names of a family's members.
func memberPrefix(of table: String) -> String { table + ";" }
