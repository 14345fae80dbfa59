/// A store that keeps members of families (`table;key=value`): as any other table, but readers make them, so they go again.
public protocol MemberStore: AnyObject, Sendable {
  /// Random bytes that the processes have in common which share the store, and nobody who only hears what they tell each
  /// other: with it as a key, what they say of a client names the same one to all of them, and no address to anybody.
  var sharedSecret: [UInt8] { get }

  /// The names under which members of families are kept, in all languages, the oldest first.
  func members(completion: @escaping StoreCompletion<[String]>)

  /// Forgets tables for all processes: the others are told (``StoreEvent/removed(table:)``). Answers to idempotent requests
  /// stay for as long as they would have.
  ///
  /// - Parameter fence: the lease that has to be held: else ``StoreError/fenced``.
  func remove(_ tables: [String], fence: Lease, completion: @escaping StoreCompletion<Void>)

  /// Leaves, beside members, where the work on them stands, for whoever holds the lease next; it goes with them. Members that
  /// are not kept are passed over, and nothing is left where the lease is another one's.
  func leave(_ handovers: [String: [UInt8]], under lease: Lease, completion: @escaping StoreCompletion<Void>)

  /// Gives the state that was left last beside a member.
  func handover(of table: String, completion: @escaping StoreCompletion<Lease.Handover?>)

  /// This process has no more to do with a table: what is remembered of it, to write it or to follow it, can go.
  func release(_ table: String)
}

/// In a store that one process has for itself, members are never kept.
extension MemberStore where Self: SingleProcessStore {
  public var sharedSecret: [UInt8] { processSecret }

  public func members(completion: @escaping StoreCompletion<[String]>) {
    completion(.success([]))
  }

  public func remove(_ tables: [String], fence: Lease, completion: @escaping StoreCompletion<Void>) {
    completion(.success(()))
  }

  public func leave(_ handovers: [String: [UInt8]], under lease: Lease, completion: @escaping StoreCompletion<Void>) {
    completion(.success(()))
  }

  public func handover(of table: String, completion: @escaping StoreCompletion<Lease.Handover?>) {
    completion(.success(nil))
  }

  public func release(_ table: String) {}
}

/// The secret of a process that shares its store with nobody.
private let processSecret = randomSecret()

func randomSecret() -> [UInt8] { (0..<32).map { _ in UInt8.random(in: .min ... .max) } }
