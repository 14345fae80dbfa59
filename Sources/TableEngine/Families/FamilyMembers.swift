/// The members of a family as a state machine: which are polled, which are frozen, and which go. The clock is given; what
/// is to be done with a member is returned, and done elsewhere.
///
/// Members are read, frozen when nobody has read them for a while, and dropped later. Where there are too many, the one
/// that was read longest ago goes, before those that somebody waits for; a client that has made more than its share
/// loses its own oldest. All operations are O(1), but for a few looks at members that are waited for.
///
/// They are weighed, too: where they hold more than they may, those go that nobody waits for, and where that would not do,
/// none does and there is no room.
struct FamilyMembers<Key: Hashable, Instance> {
  struct Limits: Equatable {
    var maximum: Int
    var freezeAfter: Duration
    var dropAfter: Duration
    /// How many one client may have made of those that there are; nil: no limit.
    var ofOneShare: Int?
    /// The most memory of all members together, in bytes; nil: no limit of their own.
    var bytes: Int? = nil
    /// The most memory of the members that one client has made; nil: no limit.
    var bytesOfOneShare: Int? = nil
  }

  struct Member {
    let instance: Instance
    /// The client that has made it; empty: nobody whose share is limited.
    let share: String
    fileprivate(set) var lastRead: ContinuousClock.Instant
    fileprivate(set) var isFrozen = false
    /// Told of a change while it was frozen.
    fileprivate(set) var isOutdated = false
    /// The bytes that it holds.
    fileprivate(set) var bytes: Int
    /// The time at which a reload had it polled again, and its place among such members; nil once it was read, or is frozen.
    fileprivate var thawed: (since: ContinuousClock.Instant, place: RecencyQueue<Key>.Ticket)?
    fileprivate var isUnread: Bool { isFrozen || thawed != nil }
    fileprivate var place: RecencyQueue<Key>.Ticket
    fileprivate var placeInShare: RecencyQueue<Key>.Ticket?
  }

  /// The result of reading a member.
  enum Reading {
    case known(Instance)
    /// It was frozen: it is to be polled again.
    case thawed(Instance, isOutdated: Bool)
  }

  var limits: Limits
  private(set) var members: [Key: Member] = [:]
  /// Each in the order of their last reading.
  private var polled = RecencyQueue<Key>()
  /// The frozen members, and the thawed ones.
  private var unread = RecencyQueue<Key>()
  private var unreadCount = 0
  /// The members that a reload had polled again and nobody has read since, in the order of their thawing.
  private var thawed = RecencyQueue<Key>()
  private var shares: [String: (count: Int, bytes: Int, order: RecencyQueue<Key>)] = [:]
  /// The members that the reload under way has polled again, until their sources are asked.
  private var thawing: Set<Key> = []
  /// The bytes that they hold together.
  private(set) var byteCount = 0

  /// How many members that are waited for are passed over, before one of them has to go.
  private static var patience: Int { 32 }

  init(_ limits: Limits) { self.limits = limits }

  var count: Int { members.count }
  private(set) var frozenCount = 0

  /// Somebody reads a member; nil where there is none.
  mutating func read(_ key: Key, at now: ContinuousClock.Instant) -> Reading? {
    guard var member = members[key] else { return nil }
    member.lastRead = now
    if let place = member.placeInShare { shares[member.share]?.order.refresh(place) }
    guard member.isUnread else {
      polled.refresh(member.place)
      members[key] = member
      return .known(member.instance)
    }
    let (wasFrozen, wasOutdated) = (member.isFrozen, member.isOutdated)
    leavePlace(of: member)
    member.thawed = nil
    (member.isFrozen, member.place) = (false, polled.append(key))
    if wasFrozen { member.isOutdated = false }
    members[key] = member
    return wasFrozen ? .thawed(member.instance, isOutdated: wasOutdated) : .known(member.instance)
  }

  /// A member is to have another place, or none.
  private mutating func leavePlace(of member: Member) {
    if member.isFrozen { frozenCount -= 1 }
    if let place = member.thawed?.place { thawed.remove(place) }
    guard member.isUnread else { return polled.remove(member.place) }
    unread.remove(member.place)
    unreadCount -= 1
  }

  /// A member has been made, which is not among them yet. Returns those that have to go for it.
  ///
  /// - Parameter bytes: what it holds, or is expected to.
  mutating func insert(
    _ instance: Instance,
    _ key: Key,
    share: String,
    bytes: Int = 0,
    at now: ContinuousClock.Instant,
    isWaitedFor: (Instance) -> Bool
  ) -> [Instance] {
    var displaced: [Instance] = []
    if let limit = limits.ofOneShare, !share.isEmpty, let own = shares[share], own.count >= limit,
      let oldest = own.order.first, let gone = remove(oldest)
    {
      displaced.append(gone)
    }
    while members.count >= max(limits.maximum, 1), let gone = removeOldest(isWaitedFor) { displaced.append(gone) }
    var member = Member(instance: instance, share: share, lastRead: now, bytes: bytes, place: polled.append(key))
    if !share.isEmpty {
      member.placeInShare = shares[share, default: (0, 0, RecencyQueue())].order.append(key)
      shares[share]?.count += 1
      shares[share]?.bytes += bytes
    }
    byteCount += bytes
    members[key] = member
    return displaced
  }

  mutating func remove(_ key: Key) -> Instance? {
    guard let member = members.removeValue(forKey: key) else { return nil }
    thawing.remove(key)
    byteCount -= member.bytes
    leavePlace(of: member)
    if let place = member.placeInShare, let own = shares[member.share] {
      shares[member.share] = own.count > 1 ? own : nil
      shares[member.share]?.order.remove(place)
      shares[member.share]?.count -= 1
      shares[member.share]?.bytes -= member.bytes
    }
    return member.instance
  }

  private mutating func removeOldest(_ isWaitedFor: (Instance) -> Bool) -> Instance? {
    if let key = unread.first { return remove(key) }
    // No further than once around: where all are waited for, it is again the oldest that goes.
    for _ in 0..<min(Self.patience, members.count) {
      guard let key = polled.first, let member = members[key] else { break }
      guard isWaitedFor(member.instance) else { return remove(key) }
      polled.refresh(member.place)
    }
    return polled.first.flatMap { remove($0) }
  }

  // MARK: Weights

  /// Returns the bytes that one more member is expected to hold: as much as the present ones, one by one; at least
  /// `least`, and not so much of the `limit` that a large one keeps out the others.
  func expectedBytes(atLeast least: Int, of limit: Int) -> Int {
    guard !members.isEmpty else { return least }
    return max(least, min(byteCount / members.count, min(limits.bytes ?? limit, limit) / 16))
  }

  /// A member holds something else now. Returns those that go as their client has too much: its own oldest.
  mutating func weigh(_ key: Key, _ bytes: Int) -> [Instance] {
    guard let member = members[key] else { return [] }
    members[key]?.bytes = bytes
    byteCount += bytes - member.bytes
    shares[member.share]?.bytes += bytes - member.bytes
    guard let limit = limits.bytesOfOneShare, let place = member.placeInShare else { return [] }
    var gone: [Instance] = []
    shares[member.share]?.order.refresh(place)
    while let own = shares[member.share], own.bytes > limit, let oldest = own.order.first, oldest != key {
      if let instance = remove(oldest) { gone.append(instance) }
    }
    return gone
  }

  /// Returns the bytes of members that nobody waits for. O(members).
  func idleBytes(sparing spared: Key?, isWaitedFor: (Instance) -> Bool) -> Int {
    members.reduce(0) { $0 + ($1.key == spared || isWaitedFor($1.value.instance) ? 0 : $1.value.bytes) }
  }

  /// Has those go that nobody waits for, the unread ones and those that were read longest ago first, until they have held
  /// so much. O(members).
  mutating func release(_ bytes: Int, sparing spared: Key?, isWaitedFor: (Instance) -> Bool) -> [Instance] {
    var (gone, released): ([Instance], Int) = ([], 0)
    for isOfUnread in [true, false] {
      var left = isOfUnread ? unreadCount : members.count - unreadCount
      while released < bytes, left > 0, let key = isOfUnread ? unread.first : polled.first, let member = members[key] {
        left -= 1
        if key != spared, !isWaitedFor(member.instance), let instance = remove(key) {
          released += member.bytes
          gone.append(instance)
        } else if isOfUnread {
          unread.refresh(member.place)
        } else {
          // A member that is waited for is being read.
          polled.refresh(member.place)
        }
      }
    }
    return gone
  }

  /// Has members go until there is room for so much more; nil where those that nobody waits for are not enough, and all
  /// stay.
  mutating func makeRoom(for bytes: Int = 0, sparing spared: Key? = nil, isWaitedFor: (Instance) -> Bool) -> [Instance]?
  {
    guard let limit = limits.bytes, byteCount + bytes > limit else { return [] }
    let missing = byteCount + bytes - limit
    guard idleBytes(sparing: spared, isWaitedFor: isWaitedFor) >= missing else { return nil }
    return release(missing, sparing: spared, isWaitedFor: isWaitedFor)
  }

  /// Time has passed: who is idle is frozen, who is idle for long is dropped. Whoever is waited for is being read.
  mutating func sweep(at now: ContinuousClock.Instant, isWaitedFor: (Instance) -> Bool) -> (
    frozen: [Instance], dropped: [Instance]
  ) {
    var (newlyFrozen, dropped): ([Instance], [Instance]) = ([], [])
    while let key = polled.first, var member = members[key], now - member.lastRead >= limits.freezeAfter {
      if thawing.contains(key) || isWaitedFor(member.instance) {
        member.lastRead = now
        polled.refresh(member.place)
      } else {
        polled.remove(member.place)
        (member.isFrozen, member.place) = (true, unread.append(key))
        frozenCount += 1
        unreadCount += 1
        newlyFrozen.append(member.instance)
      }
      members[key] = member
    }
    while let key = thawed.first, !thawing.contains(key), var member = members[key], let (since, place) = member.thawed,
      now - since >= limits.freezeAfter
    {
      if isWaitedFor(member.instance) {
        leavePlace(of: member)
        member.thawed = nil
        (member.lastRead, member.place) = (now, polled.append(key))
      } else {
        // It keeps its place among the unread: they are dropped in the order of their last reading.
        thawed.remove(place)
        member.thawed = nil
        member.isFrozen = true
        frozenCount += 1
        newlyFrozen.append(member.instance)
      }
      members[key] = member
    }
    for queue in [unread, polled] {
      var queue = queue
      while let key = queue.first, let member = members[key], now - member.lastRead >= limits.dropAfter {
        queue.remove(member.place)
        guard !thawing.contains(key), !isWaitedFor(member.instance) else { continue }
        if let gone = remove(key) { dropped.append(gone) }
      }
    }
    return (newlyFrozen, dropped)
  }

  /// The members that are read.
  var unfrozen: [Instance] { members.values.lazy.filter { !$0.isFrozen }.map(\.instance) }

  /// Nobody reads it here.
  ///
  /// - Parameter isOutdated: what it has is old.
  mutating func freeze(_ key: Key, isOutdated: Bool) {
    guard var member = members[key], !member.isFrozen else { return }
    leavePlace(of: member)
    member.thawed = nil
    (member.isFrozen, member.isOutdated, member.place) = (true, isOutdated, unread.append(key))
    frozenCount += 1
    unreadCount += 1
    members[key] = member
  }

  /// Something changed for all. Returns those that are to be fetched now; the others are when they are read again.
  mutating func changed() -> [Instance] {
    var instances: [Instance] = []
    for (key, member) in members {
      if member.isFrozen { members[key]?.isOutdated = true } else { instances.append(member.instance) }
    }
    return instances
  }

  /// The same where those that are to be fetched now are known already: those whose sources are asked. O(1) where all members' are, else
  /// O(members).
  mutating func outdateFrozen() {
    for key in thawing { members[key]?.isOutdated = true }
    guard frozenCount > 0 else { return }
    for key in members.keys where members[key]?.isFrozen == true { members[key]?.isOutdated = true }
  }

  /// All are polled again for a while: another configuration feeds them. Until their sources are asked, which ``endThawing()`` says, news
  /// pass them by as before. None of them counts as read: reloads keep no member that nobody reads.
  ///
  /// - Returns: those that were told of a change while they were frozen.
  mutating func thawAll(at now: ContinuousClock.Instant) -> [Instance] {
    var outdated: [Instance] = []
    for key in members.keys {
      guard var member = members[key], member.isFrozen else { continue }
      if member.isOutdated { outdated.append(member.instance) }
      thawing.insert(key)
      frozenCount -= 1
      (member.isFrozen, member.isOutdated) = (false, false)
      member.thawed = (since: now, place: thawed.append(key))
      members[key] = member
    }
    return outdated
  }

  /// The sources of all that were thawed are asked. Returns those for which something changed meanwhile.
  mutating func endThawing() -> [Instance] {
    var outdated: [Instance] = []
    for key in thawing {
      guard let member = members[key], member.isOutdated, !member.isFrozen else { continue }
      members[key]?.isOutdated = false
      outdated.append(member.instance)
    }
    thawing = []
    return outdated
  }
}
