import Definitions
import Digests
import FieldValues
import Foundation
import Queues
import TableStore
import Upstream

/// The state that a leader leaves for the next one: when each source is due, and the validators of requests to it, with
/// the state of the tables for which a 304 holds. It stands beside the lease.
///
/// Nothing in it has to be believed: a validator counts only where the tables stand at the very revisions that were
/// made of the answer it belongs to, and by the same configuration; without it the source is asked for everything.
struct Handover: Codable, Equatable, Sendable {
  /// By what the tables are laid out.
  var layout: String
  var sources: [String: Entry] = [:]
  /// The replica that has left it has ended well, and has left all members as they were then: no edit came after. Nil: it has not.
  var areMembersLeft: Bool?
  /// The term of the lease under which it was left; nil beside the lease, where its holder goes on.
  var term: UInt64?

  struct Entry: Codable, Equatable, Sendable {
    /// As what the source is defined.
    var definition: String
    /// Instants by the clock of whoever has it in memory; as bytes, from when it was written.
    var source: SourceHandover
    /// The store's revisions, by stored name, of the tables that show its last answer, and nothing beside it; nil where
    /// there are others.
    var tables: [String: TableRevision]?
  }

  struct TableRevision: Codable, Equatable, Sendable {
    var number: UInt64
    var stamp: UInt64

    init(_ revision: Revision) { (number, stamp) = (revision.number, revision.stamp) }

    var revision: Revision { Revision(number: number, stamp: stamp) }
  }

  /// The most bytes that are left.
  static let maximumSize = 256 << 10

  /// The handover as it is left. From one of more than ``maximumSize`` the states of answers are left out, for which
  /// the next leader asks anew; then all sources: an older handover must not stay in its place.
  ///
  /// - Parameter now: by the clock of its instants.
  func bytes(at now: Duration) -> [UInt8]? {
    var relative = self
    relative.sources = sources.mapValues { $0.shifted(by: .zero - now) }
    var (shorter, empty) = (relative, relative)
    for name in sources.keys {
      shorter.sources[name]?.tables = nil
      shorter.sources[name]?.source.validators = nil
    }
    empty.sources = [:]
    for handover in [relative, shorter, empty] {
      if let data = try? JSONEncoder().encode(handover), data.count <= Self.maximumSize { return Array(data) }
    }
    return nil
  }

  /// Nil where it is another release's, or no service can have left it.
  init?(_ left: Lease.Handover, at now: Duration) {
    guard left.bytes.count <= Self.maximumSize,
      let read = try? JSONDecoder().decode(Handover.self, from: Data(left.bytes)),
      read.sources.values.allSatisfy(\.source.isPlausible)
    else { return nil }
    self = read
    sources = read.sources.mapValues { $0.shifted(by: now - left.age) }
  }

  init(layout: String) { self.layout = layout }
}

extension Handover {
  /// Gathers what is to be left of sources for the tables that ask them. `completion` is called on `queue`.
  static func gather(
    _ sources: [(PolledSource, [LiveTable])],
    _ digests: HandoverDigests,
    on queue: WorkQueue,
    _ completion: @escaping @Sendable (Handover) -> Void
  ) {
    let handover = JoinedCalls<(name: String, entry: Entry), _>(Handover(layout: digests.layout)) { handover, left in
      handover.sources[left.name] = left.entry
    }
    for (source, tables) in sources {
      let finish = handover.begin()
      source.handOver(definedAs: digests.sources[source.name] ?? "", for: tables) { finish((source.name, $0)) }
    }
    handover.notify(on: queue, completion)
  }

  /// The state that was left of one source.
  struct Left: Sendable {
    var entry: Entry
    /// The tables are made as they are here.
    var isLaidOutAlike: Bool
  }

  /// The same without the tables' states where another replica has led since a member's was left. That one has not asked for the member, and
  /// what it has told others, such as an edit, the member does not show.
  ///
  /// - Parameter term: of the lease under which it is asked for now.
  func asLeft(before term: UInt64) -> Handover {
    guard let own = self.term, own &+ 1 < term else { return self }
    var left = self
    for name in sources.keys { left.sources[name]?.tables = nil }
    return left
  }

  /// Returns whether all members are left as they were at the end of the leader before: not of one before that one, which has left nothing.
  ///
  /// - Parameter term: of the present lease.
  func areMembersLeft(before term: UInt64?) -> Bool {
    guard areMembersLeft ?? false, let own = self.term, let term else { return false }
    return own &+ 1 == term
  }

  /// Nil where nothing was left of a source, or of another one of its name.
  func left(_ source: String, for digests: HandoverDigests) -> Left? {
    guard let entry = sources[source], entry.definition == digests.sources[source] else { return nil }
    return Left(entry: entry, isLaidOutAlike: layout == digests.layout)
  }
}

extension Handover.Entry {
  fileprivate func shifted(by duration: Duration) -> Self {
    Self(definition: definition, source: source.shifted(by: duration), tables: tables)
  }
}

extension Handover {
  /// Until when upstreams want to be left alone, by source.
  var held: [String: Duration] { sources.compactMapValues(\.source.heldUntil) }
}

/// The digests that must be the same on both sides for the state to count.
struct HandoverDigests: Sendable {
  /// The same where the same answers make the same tables: of one configuration, release and environment. It tells of the
  /// environment's values, and of all that may be a secret, a few bits alone (``ContentDigests``).
  let layout: String
  /// By source: the same where the same is asked, as often.
  let sources: [String: String]

  init(_ definition: ServiceDefinition) {
    let parts = Array("\(definition.contents.release) \(definition.generation) ".utf8) + definition.contents.everything
    layout = hexadecimal(SHA256.digest(of: parts).prefix(16))
    sources = definition.contents.sources.mapValues { hexadecimal($0.prefix(16)) }
  }
}
