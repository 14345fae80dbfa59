/// The right to do what one process at a time may do, as fetching a source: until it expires by the store's clock.
///
/// What its holder writes carries it (``Commit/fence``), and the store refuses it once another has the lease: a holder
/// that was asleep can't write what it believes it may.
public struct Lease: Hashable, Sendable {
  public let name: String
  /// The holder: a process's own name for itself, of all that share the store.
  public let holder: String
  /// Grows by one whenever the lease is taken, by the same holder too: the fencing term.
  public let term: UInt64
  /// The configuration that the holder before has left as the one that counts.
  public let precedence: [UInt8]
  /// The rest that it has left for the next one.
  public let handover: Handover?

  public init(name: String, holder: String, term: UInt64, precedence: [UInt8] = [], handover: Handover? = nil) {
    self.name = name
    self.holder = holder
    self.term = term
    self.precedence = precedence
    self.handover = handover
  }

  /// The state that a holder leaves for the next holder of the lease.
  public struct Handover: Hashable, Sendable {
    public let bytes: [UInt8]
    /// How long ago it was left, by the store's clock.
    public let age: Duration

    public init(bytes: [UInt8], age: Duration) { (self.bytes, self.age) = (bytes, age) }
  }

  /// The state of a lease that is known without asking for it.
  public struct Precedence: Hashable, Sendable {
    /// The configuration that its holder, or the last one, has left as the one that counts.
    public let bytes: [UInt8]
    /// Somebody has it now, by the store's clock.
    public let isHeld: Bool
    /// Of its holder, or the last one.
    public let term: UInt64

    public init(bytes: [UInt8], isHeld: Bool, term: UInt64) {
      (self.bytes, self.isHeld, self.term) = (bytes, isHeld, term)
    }
  }

  /// How long a lease lasts unless it is renewed: a dead holder's goes on after so long.
  public static let lifetime: Duration = .seconds(4)
}

/// A store that says which of the processes that share it may do a thing.
public protocol LeaseStore: AnyObject, Sendable {
  /// Takes a lease that nobody holds, that has expired, or that the holder has already.
  /// Nil where another one holds it.
  func acquire(_ name: String, holder: String, for lifetime: Duration, completion: @escaping StoreCompletion<Lease?>)

  /// Lets a lease last on, and leaves something for the next holder. False where it is lost: it expired and another
  /// one took it. Whoever has not heard of a renewal for a lifetime of its own clock, counted from when it asked, has
  /// to stop by itself.
  ///
  /// - Parameter handover: nil: as it was left before.
  func renew(
    _ lease: Lease,
    for lifetime: Duration,
    precedence: [UInt8],
    handover: [UInt8]?,
    completion: @escaping StoreCompletion<Bool>
  )

  /// Gives the state that the holder of a lease, or the last one, has left; nil where nobody ever held it.
  func precedence(_ name: String, completion: @escaping StoreCompletion<Lease.Precedence?>)

  /// Lets go of a lease, so that others need not wait until it expires.
  func release(_ lease: Lease, precedence: [UInt8], handover: [UInt8]?, completion: @escaping StoreCompletion<Void>)
}

/// In a store that one process has for itself every lease is granted, and kept.
extension LeaseStore where Self: SingleProcessStore {
  public func acquire(
    _ name: String,
    holder: String,
    for lifetime: Duration,
    completion: @escaping StoreCompletion<Lease?>
  ) {
    completion(.success(Lease(name: name, holder: holder, term: 1)))
  }

  public func renew(
    _ lease: Lease,
    for lifetime: Duration,
    precedence: [UInt8],
    handover: [UInt8]?,
    completion: @escaping StoreCompletion<Bool>
  ) {
    completion(.success(true))
  }

  public func precedence(_ name: String, completion: @escaping StoreCompletion<Lease.Precedence?>) {
    completion(.success(nil))
  }

  public func release(
    _ lease: Lease,
    precedence: [UInt8],
    handover: [UInt8]?,
    completion: @escaping StoreCompletion<Void>
  ) {
    completion(.success(()))
  }
}

/// A store that no other process can have open: what is said to all is said to this one alone.
public protocol SingleProcessStore: Store, LeaseStore {}

extension SingleProcessStore {
  public func claim(
    _ key: ReplyKey,
    request: [UInt8],
    for lifetime: Duration,
    completion: @escaping StoreCompletion<ReplyClaim>
  ) {
    reply(key) { result in completion(result.map { $0.map(ReplyClaim.answered) ?? .granted }) }
  }

  public func disclaim(_ key: ReplyKey, completion: @escaping StoreCompletion<Void>) {
    completion(.success(()))
  }

  public func signal(_ name: String, _ text: String, completion: @escaping StoreCompletion<Void>) {
    completion(.success(()))
  }

  public func revision(of table: String, completion: @escaping StoreCompletion<Revision?>) {
    completion(.success(nil))
  }
}
