/// A store that keeps members of families (`table;key=value`): as any other table, but readers make them, so they go again.
public protocol MemberStore: AnyObject, Sendable {
  /// The names under which members of families are kept, in all languages, the oldest first.
  func members(completion: @escaping @Sendable (Result<[String], StoreError>) -> Void)

  /// Forgets tables for all processes: the others are told (``StoreEvent/removed(table:)``). Answers to idempotent requests
  /// stay for as long as they would have.
  ///
  /// - Parameter fence: the lease that has to be held: else ``StoreError/fenced``.
  func remove(_ tables: [String], fence: Lease, completion: @escaping @Sendable (Result<Void, StoreError>) -> Void)

  /// This process has no more to do with a table: what is remembered of it, to write it or to follow it, can go.
  func release(_ table: String)
}

/// In a store that one process has for itself, members are never kept.
extension MemberStore where Self: SoleStore {
  public func members(completion: @escaping @Sendable (Result<[String], StoreError>) -> Void) {
    completion(.success([]))
  }

  public func remove(
    _ tables: [String],
    fence: Lease,
    completion: @escaping @Sendable (Result<Void, StoreError>) -> Void
  ) {
    completion(.success(()))
  }

  public func release(_ table: String) {}
}
