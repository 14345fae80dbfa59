import Definitions

/// The configuration that counts, of replicas that share a store: the higher generation's. Of one generation, one
/// configuration; a replica that comes later with another stays unready, as long as anybody is left that has the first.
struct ReplicaRank: Sendable {
  let generation: Int
  /// The digest of everything that makes tables: sources, cells, representations, tables, languages, and the values of
  /// the environment that these name.
  let digest: ConfigurationDigest
  /// Another replica has a higher generation: its versions are followed, and nothing is written.
  private(set) var isOutranked = false
  /// Until then a higher generation that was heard of is left time to ask the sources for the first time. Once it has,
  /// the lease says so.
  private var patience = 0.0
  /// When a lower generation was heard of last: it may lay tables out as they were, until it has heard of this one.
  private var olderHeard = -Double.infinity
  /// When a replica was heard of last that makes other rows, by a lower generation or another release; nil: none was, or it is gone and all
  /// is laid out as it is here.
  private var otherLayoutHeard: Double?
  private(set) var conflict: String?
  /// The state that was left beside the lease, and since when nobody has been found to have it; nil: somebody has it,
  /// or nobody can tell.
  private var left: [UInt8] = []
  private var freeSince: Double?

  init(_ definition: ServiceDefinition) {
    (generation, digest) = (definition.generation, ConfigurationDigest(definition))
  }

  init(generation: Int, digest: String) { (self.generation, self.digest) = (generation, ConfigurationDigest(digest)) }

  /// As others are told.
  var text: String { "\(generation) \(digest.text)" }

  /// The state for the next holder of the lease.
  var precedence: [UInt8] { Array(text.utf8) }

  /// So long, in seconds: several lifetimes of a lease.
  static let maximumPatience = 12.0

  /// So long, in seconds, does nobody ask for the lease when nobody is left: all who may lead ask for it some six times
  /// meanwhile.
  static let solitude = 5.0

  /// True if no replica is left with the configuration of the last leader.
  func isAlone(at now: Double) -> Bool { freeSince.map { now - $0 >= Self.solitude } ?? false }

  /// Another configuration counts than this one, and somebody is there who has it.
  func isOverruled(at now: Double) -> Bool { (isOutranked || conflict != nil) && !isAlone(at: now) }

  /// Returns whether it makes sense to ask for the lease: not where another configuration counts. Of one generation it
  /// does so no longer than anybody is left who has it.
  func mayLead(at now: Double) -> Bool {
    isOutranked ? conflict == nil && now >= patience : conflict == nil || isAlone(at: now)
  }

  /// Replicas of a lower generation may be writing still.
  func isAmongOlder(at now: Double) -> Bool { now - olderHeard < 5 * Self.maximumPatience }

  /// The configuration that comes behind another one: others still have that, as far as is known.
  ///
  /// - Parameter isLeading: Else the leader's counts, as that one has left it: nothing is laid out by another one until it is heard.
  func following(_ other: ReplicaRank, isLeading: Bool, at now: Double) -> ReplicaRank {
    var rank = self
    if other.generation < generation { (rank.olderHeard, rank.otherLayoutHeard) = (now, now) }
    if !isLeading, let (held, digest) = Self.read(String(decoding: other.left, as: UTF8.self)), held == generation,
      digest.differs(from: self.digest)
    {
      (rank.left, rank.freeSince, rank.conflict) = (other.left, other.freeSince, difference)
    }
    return rank
  }

  /// A replica that makes other rows was heard of, and perhaps isn't there any more: it is asked for.
  func missesOtherLayout(at now: Double) -> Bool { otherLayoutHeard.map { now - $0 >= Self.solitude } ?? false }

  /// Returns, once, that no replica is left that makes other rows. The last edit may have been laid out by one.
  mutating func outlivesOtherLayout(at now: Double) -> Bool {
    guard let heard = otherLayoutHeard, now - heard >= Self.maximumPatience else { return false }
    otherLayoutHeard = nil
    return true
  }

  /// Returns whether this replica may ask the sources after one that left this.
  mutating func takesOver(from precedence: [UInt8], at now: Double) -> Bool {
    guard mayLead(at: now) else { return false }
    learn(precedence, isHeld: false, at: now)
    // The lease shows that nobody else has it.
    if isAlone(at: now), !isOutranked { conflict = nil }
    return !isOutranked && conflict == nil
  }

  /// Nobody can tell who has the lease.
  mutating func loseSight() { freeSince = nil }

  /// Learns the state that the leader, or the last one, has left.
  ///
  /// - Parameter isHeld: Somebody asks them.
  mutating func learn(_ precedence: [UInt8], isHeld: Bool = true, at now: Double) {
    if isHeld || precedence != left { freeSince = nil }
    left = precedence
    if !isHeld, freeSince == nil { freeSince = now }
    guard let (other, digest) = Self.read(String(decoding: precedence, as: UTF8.self)) else {
      // Nobody ever has.
      if now >= patience { isOutranked = false }
      return
    }
    if other < generation || other == generation && digest.layout != self.digest.layout { otherLayoutHeard = now }
    if other > generation {
      (isOutranked, patience) = (true, now + Self.maximumPatience)
    } else if now >= patience {
      // It was heard of, and never came to it.
      isOutranked = false
    }
    if other == generation { conflict = digest.differs(from: self.digest) ? difference : nil }
  }

  /// The meaning of another replica's configuration here.
  enum Verdict: Equatable {
    case same
    /// It has to be told of this one's, which is newer, the first of its generation, or of another release.
    case answer
    /// It is newer: this replica lets go of the sources.
    case outranked
    /// It was first with another one of this generation.
    case conflict
  }

  /// Another replica says which configuration it has.
  ///
  /// - Parameters:
  ///   - isLeaders: It asks the sources: of its generation, its configuration counts.
  ///   - isLeading: This one does.
  mutating func receive(_ text: String, isLeaders: Bool, isLeading: Bool, at now: Double) -> Verdict {
    guard let (other, digest) = Self.read(text) else { return .same }
    if other > generation {
      defer { (isOutranked, patience) = (true, now + Self.maximumPatience) }
      return isOutranked && !isLeading ? .same : .outranked
    }
    if other < generation {
      (olderHeard, otherLayoutHeard) = (now, now)
      return .answer
    }
    let isOtherLayout = digest.layout != self.digest.layout
    if isOtherLayout { otherLayoutHeard = now }
    guard digest.differs(from: self.digest) else { return isOtherLayout && isLeaders && !isLeading ? .answer : .same }
    // It is there.
    freeSince = nil
    guard isLeaders, !isLeading else { return isLeading ? .answer : .same }
    defer { conflict = difference }
    return conflict == nil ? .conflict : .same
  }

  private var difference: String {
    """
    its configuration (sources, cells, tables, languages, or what they name of the environment) differs from the other \
    replicas', and `generation` is \(generation) in both
    """
  }

  private static func read(_ text: String) -> (generation: Int, digest: ConfigurationDigest)? {
    let parts = text.split(separator: " ")
    guard parts.count == 2, let generation = Int(parts[0]) else { return nil }
    return (generation, ConfigurationDigest(parts[1]))
  }
}
