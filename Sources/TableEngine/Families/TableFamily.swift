package import Definitions
import Digests
import Dispatch
import Queues
import Synchronization
import TableModel
import TableStore
import Upstream

/// A table with parameters, or one per caller: members are made by their first reader, polled while someone reads
/// them, then frozen, and later dropped.
package final class TableFamily: Sendable {
  /// The key that tells members apart. Callers' values and forwarded header fields are in it only as a keyed hash.
  struct Key: Hashable {
    var parameters: [TableReference.Parameter]
    var caller: [UInt8]
  }

  struct Instance {
    var table: LiveTable
    /// The fields that its fetches send on. In memory alone: never stored, never logged.
    var forwarded: ForwardedFields
  }

  struct Contents {
    var blueprint: TableBlueprint
    var parameters: FamilyParameters
    /// The service's own items that its members show.
    var otherLogs: [ItemLog] = []
    /// Counts configurations: a member that was begun under another one is begun again.
    var generation = 0
    /// An upstream has said that something changed since this replica asks the sources: what is taken in later is old.
    var hasChanged = false
    var members: FamilyMembers<Key, Instance>
    var sweeper: (timer: QueueTimer, interval: Double)?
    /// The configuration no longer has the family: no member is made any more.
    var isRemoved = false
    /// The table of its name that always lives since.
    var heir: LiveTable?
  }

  package let name: String
  let contents: Mutex<Contents>
  let context: EngineContext
  let claims: Mutex<ClaimRecord>

  init(_ blueprint: TableBlueprint, _ context: EngineContext) {
    (name, self.context) = (blueprint.definition.name, context)
    claims = Mutex(ClaimRecord(blueprint.definition))
    contents = Mutex(
      Contents(
        blueprint: blueprint,
        parameters: FamilyParameters(blueprint.definition),
        members: FamilyMembers(FamilyMembers.Limits(blueprint))
      )
    )
    context.members.add(self)
  }

  package var definition: TableDefinition { contents.withLock { $0.blueprint.definition } }

  /// The items of the service's own that callers edit through its members.
  var log: ItemLog? { contents.withLock { $0.blueprint.callersLog(among: $0.otherLogs) } }

  /// How many members are polled, and how many are not, as nobody reads them.
  package var instances: (polled: Int, frozen: Int) {
    contents.withLock { ($0.members.count - $0.members.frozenCount, $0.members.frozenCount) }
  }

  /// How many members show no fresh rows, as an upstream of theirs fails.
  package var failing: Int {
    let tables = contents.withLock { $0.members.members.values.map(\.instance.table) }
    return tables.count { [.stale, .failed].contains($0.current.table.state) }
  }

  /// How many members have fewer rows than there are items, as an upstream of theirs has more than it may.
  package var truncated: Int {
    contents.withLock { $0.members.members.values.map(\.instance.table) }.count { $0.current.table.isTruncated }
  }

  /// True if its tables depend on who asks.
  package var isPrivate: Bool { contents.withLock { $0.blueprint.definition.dependsOnCaller } }

  /// Its members, by name. Not for callers: it doesn't count as reading them.
  package var members: [(table: LiveTable, isPolled: Bool)] {
    contents.withLock { $0.members.members.values.map { ($0.instance.table, !$0.isFrozen) } }
      .sorted { $0.table.name < $1.table.name }
  }

  /// Returns the sources of all members, each once, with those that other tables ask by the same name.
  func feeds(of source: String) -> [PolledSource] {
    guard contents.withLock({ $0.blueprint.upstreams.contains { $0.name == source } }) else { return [] }
    return context.sharedSources.all(named: source)
  }

  /// Goes on with a definition. Members that it has too keep their versions, rows and waiters.
  ///
  /// - Parameters:
  ///   - otherLogs: the service's own items that its members show.
  ///   - unchanged: the sources that are asked for the same, in the same way.
  func configure(_ blueprint: TableBlueprint, _ otherLogs: [ItemLog], unchanged: Set<String>) async {
    claims.withLock { $0.validity = ClaimRecord.validity(by: blueprint.definition) }
    let (instances, displaced, polled, outdated) = contents.withLock { contents in
      let before = contents.blueprint.definition
      let parameters = FamilyParameters(blueprint.definition)
      (contents.blueprint, contents.parameters, contents.otherLogs) = (blueprint, parameters, otherLogs)
      contents.generation += 1
      contents.members.limits = FamilyMembers.Limits(blueprint)
      let isSameKey =
        before.forward == blueprint.definition.forward && before.callerUse == blueprint.definition.callerUse
        && before.parameters.map(\.name).sorted() == blueprint.definition.parameters.map(\.name).sorted()
      var dropped: [LiveTable] = []
      for key in contents.members.members.keys where !isSameKey || !parameters.allow(key.parameters) {
        if let gone = contents.members.remove(key) { dropped.append(gone.table) }
      }
      // The answers of the other members' sources may be old.
      let polled = Set(contents.members.unfrozen.map { ObjectIdentifier($0.table) })
      let outdated = Set(contents.members.thawAll(at: .now).map { ObjectIdentifier($0.table) })
      let kept = contents.members.members.values.map(\.instance)
      for instance in kept { instance.table.thaw() }
      return (kept, dropped, polled, outdated)
    }
    var (kept, dropped) = (instances, displaced)
    for instance in kept where !instance.table.canBe(blueprint, blueprint.callersLog(among: otherLogs)) {
      if !remake(instance, blueprint, otherLogs), drop(instance.table) { dropped.append(instance.table) }
    }
    kept.removeAll { kept in !kept.table.isLiving || dropped.contains { $0 === kept.table } }
    retire(dropped)
    for instance in kept {
      let isOutdated = outdated.contains(ObjectIdentifier(instance.table))
      let isToBeAsked = await instance.table.reconfigure(
        member: blueprint,
        forwarding: instance.forwarded,
        otherLogs,
        unchanged: polled.contains(ObjectIdentifier(instance.table)) ? unchanged : [],
        isOutdated: isOutdated
      )
      if isToBeAsked { ask(instance.table, isOutdated: isOutdated) }
    }
    // A refresh since they were thawed may have found their sources not asked. Under the lock, as a sweep may freeze them again.
    contents.withLock { contents in
      for table in contents.members.endThawing().map(\.table) {
        for source in table.sources { source.begin(table, isUnheard: false, isOutdated: true) }
      }
    }
  }

  /// Makes a member anew that can't go on with another definition, where somebody waits for it, who then waits for that. Not
  /// what replicas share: the one that asks the sources takes away what is stored of the old one.
  private func remake(_ instance: Instance, _ blueprint: TableBlueprint, _ otherLogs: [ItemLog]) -> Bool {
    guard instance.table.isWaitedHere, !instance.table.isShared,
      let (table, share) = replace(instance, blueprint, otherLogs)
    else { return false }
    instance.table.retire(for: table)
    enlist(table, share: share)
    return true
  }

  /// Puts another member in the place of one that is there; nil: it is not.
  func replace(
    _ instance: Instance,
    _ blueprint: TableBlueprint,
    _ otherLogs: [ItemLog]
  ) -> (table: LiveTable, share: String)? {
    let known = contents.withLock { contents in
      contents.members.members.first { $0.value.instance.table === instance.table }.map { ($0.key, $0.value.share) }
    }
    guard let (key, share) = known else { return nil }
    let table = make(instance.table.reference, blueprint, otherLogs, instance.forwarded, key)
    let displaced = contents.withLock { contents -> [Instance]? in
      guard contents.members.members[key]?.instance.table === instance.table else { return nil }
      _ = contents.members.remove(key)
      let next = Instance(table: table, forwarded: instance.forwarded)
      return contents.members.insert(next, key, share: share, bytes: MemberWeight.ofAny, at: .now) {
        $0.table.isWaitedFor
      }
    }
    guard let displaced else {
      table.retire()
      return nil
    }
    retire(displaced)
    return (table, share)
  }

  /// Fetches a source now, for all members that are polled from here; for the others when they are read again.
  ///
  /// - Parameters:
  ///   - isWhole: everything is asked for, and not only what has changed.
  ///   - asked: what is asked for somebody else already: one that several read is asked once.
  ///   - completion: when what it said is published, on any queue.
  func refresh(
    source name: String,
    isWhole: Bool,
    _ asked: AskedSources,
    _ completion: @escaping @Sendable () -> Void
  ) {
    let group = DispatchGroup()
    guard context.replica.isShared else {
      let isRead = contents.withLock { contents in
        guard contents.blueprint.upstreams.contains(where: { $0.name == name }) else { return false }
        contents.members.outdateFrozen()
        return true
      }
      // Members are many and ask the same: it is not looked at each of them.
      for source in isRead ? context.sharedSources.all(named: name) : [] where source.isAsked && asked.isNew(source) {
        source.refresh(isWhole: isWhole, group.entered())
      }
      return group.notify(queue: context.background, execute: completion)
    }
    let isLeading = context.replica.isLeading
    let polled = contents.withLock { contents -> [Instance] in
      guard contents.blueprint.upstreams.contains(where: { $0.name == name }) else { return [] }
      contents.hasChanged = true
      for member in contents.members.members.values where member.isFrozen {
        member.instance.table.isToBeHandedOver.store(true, ordering: .releasing)
      }
      return contents.members.changed()
    }
    for table in polled.map(\.table) where isLeading || !table.isShared {
      let finish = group.entered()
      whenAsked(table) {
        for source in table.sources where source.name == name && asked.isNew(source) {
          source.refresh(isWhole: isWhole, group.entered())
        }
        finish()
      }
    }
    group.notify(queue: context.background, execute: completion)
  }

  // MARK: Members

  /// - Parameter isElsewhere: another replica's clients read it; `caller` is their share alone.
  func member(
    _ reference: TableReference,
    _ caller: CallerFields,
    isElsewhere: Bool = false,
    _ budget: inout MemberBudget
  ) throws(TableError) -> LiveTable {
    while true {
      let (blueprint, otherLogs, parameters, generation, isRemoved, heir) = contents.withLock {
        ($0.blueprint, $0.otherLogs, $0.parameters, $0.generation, $0.isRemoved, $0.heir)
      }
      // Requests are still answered by the catalog before.
      guard !isRemoved else {
        guard let heir, !isElsewhere, reference.parameters.isEmpty else { throw .isGone(name) }
        return heir
      }
      let values = try parameters.values(of: reference, caller)
      let forwarded = caller.forwarded(by: blueprint.definition)
      let key = Key(parameters: values, caller: hash(forwarded))
      if let known = known(key) { return known }
      try budget.spend()
      let full = TableReference(name: reference.name, parameters: values)
      if isElsewhere { try admitClaim() }
      let expected = try makeRoomForAnother()
      let table = make(full, blueprint, otherLogs, forwarded, key)
      let isToldToOthers = table.isShared && !isElsewhere
      let share =
        isToldToOthers ? MemberClaim.digest(ofShare: caller.share, key: context.store.sharedSecret) : caller.share
      let insertion = contents.withLock { contents -> (isInserted: Bool, displaced: [Instance]) in
        // Someone else may have made it in the meantime, or it is made of what no longer holds.
        guard !contents.isRemoved, contents.generation == generation, contents.members.members[key] == nil else {
          return (false, [])
        }
        let instance = Instance(table: table, forwarded: forwarded)
        return (
          true,
          contents.members.insert(instance, key, share: share, bytes: expected, at: .now) {
            $0.table.isWaitedFor
          }
        )
      }
      retire(insertion.displaced)
      guard insertion.isInserted else {
        table.retire()
        continue
      }
      enlist(table, share: share)
      return table
    }
  }

  /// A table for a member, that is none yet.
  func make(
    _ reference: TableReference,
    _ blueprint: TableBlueprint,
    _ otherLogs: [ItemLog],
    _ forwarded: ForwardedFields,
    _ key: Key
  ) -> LiveTable {
    let count = contents.withLock { $0.members.count } + 1
    let table = LiveTable.member(
      reference,
      of: blueprint,
      forwarding: forwarded,
      digest: key.caller,
      otherLogs,
      sharesItems: otherLogs.contains { count * $0.committed.items.count > context.mostPrivateItems },
      context: context
    )
    table.place.set { [weak self] in self?.weigh(key, $0, $1) ?? true }
    table.claim.set { [weak self] in self?.claim(key) }
    table.isClaimed.set { [weak self] in self?.isClaiming ?? false }
    table.heir.set { [name] in $0?.familiesByName[name]?.living(key.parameters, forwarded) }
    return table
  }

  /// The member of these callers, if there is one; that doesn't count as reading it.
  private func living(_ parameters: [TableReference.Parameter], _ forwarded: ForwardedFields) -> LiveTable? {
    let key = Key(parameters: parameters, caller: hash(forwarded))
    return contents.withLock { $0.members.members[key]?.instance.table }
  }

  /// A member that is there. Thawing happens under the lock: a sweep in between would leave a member that counts as
  /// polled and is not.
  func known(_ key: Key) -> LiveTable? {
    contents.withLock { contents in
      switch contents.members.read(key, at: .now) {
      case nil: return nil
      case .known(let instance):
        // It was left again before its sources had told it anything, or the lease has changed.
        if KeptMember(table: instance.table).isLeft {
          resume(instance.table, share: contents.members.members[key]?.share ?? "", isOutdated: false)
        }
        return instance.table
      case .thawed(let instance, let isOutdated):
        instance.table.thaw()
        resume(instance.table, share: contents.members.members[key]?.share ?? "", isOutdated: isOutdated)
        return instance.table
      }
    }
  }

  /// The same on all replicas, and on nobody else's.
  func hash(_ forwarded: ForwardedFields) -> [UInt8] {
    HMACSHA256.code(for: Array("member \(name)\u{0}".utf8) + forwarded.bytes, key: context.store.sharedSecret)
  }
}
