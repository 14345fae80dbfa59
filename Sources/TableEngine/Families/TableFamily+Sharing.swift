import Definitions
import Dispatch
import JSON
import Logging
import Queues
import Synchronization
import TableMapping
import TableModel
import TableStore

/// Members that depend on their parameters and on claims of who asks are the same on all replicas: they stand in the store, as
/// tables that always live do, the latter by a digest of the claims (``TableReference/ofCaller(_:)``). The replica that asks the
/// sources has all that any replica reads, within its limits: it alone makes and removes what is stored of them. The others follow
/// those that their own clients read, and say so (``MemberClaim``).
///
/// Members that depend on a caller's header fields are never stored, and stay where they are asked for; so do those through
/// which callers edit.
extension TableFamily {
  /// So often are members claimed that are read here, at least.
  static let claimPeriod = 5.0
  /// So often is a member asked for that is not stored yet.
  private static let impatience = DispatchTimeInterval.milliseconds(700)

  /// The member that is stored under a name, if it is here. It doesn't count as reading it.
  func sharedMember(_ reference: TableReference) -> LiveTable? {
    guard let key = key(of: reference) else { return nil }
    let table = contents.withLock { $0.members.members[key]?.instance.table }
    return table.flatMap { $0.isShared ? $0 : nil }
  }

  /// The key of the member that is stored under a name; nil where the configuration allows none.
  private func key(of stored: TableReference) -> Key? {
    let (reference, digest) = stored.partedFromCaller
    guard let values = try? contents.withLock({ $0.parameters }).values(of: reference) else { return nil }
    return digest.map { Key(parameters: values, caller: $0) } ?? sharedKey(values)
  }

  /// Keeps up a member that another replica's clients read, as that one asks for it: it counts as read. On any queue.
  func keepUp(_ stored: TableReference, _ completion: @escaping @Sendable () -> Void) {
    guard let key = key(of: stored), let table = known(key) else { return completion() }
    whenAsked(table, completion)
  }

  /// Returns the key of a member that doesn't depend on who asks.
  func sharedKey(_ values: [TableReference.Parameter]) -> Key {
    Key(parameters: values, caller: hash(ForwardedFields()))
  }

  /// Returns whether its configuration allows such a member, and replicas share it.
  func shares(_ stored: TableReference, for values: JSONValue = .null) -> Bool {
    let (definition, parameters) = contents.withLock { ($0.blueprint.definition, $0.parameters) }
    let (reference, digest) = stored.partedFromCaller
    return definition.dependsOnCaller == (digest != nil) && context.shares(stored, of: definition, for: values)
      && (try? parameters.values(of: reference)) == reference.parameters
  }

  // MARK: Beginning

  /// A member is here from now on: its sources are asked from here where nobody else does.
  func enlist(_ table: LiveTable, share: String) {
    guard table.isShared else {
      for source in table.sources { source.begin(table, isUnheard: true) }
      return
    }
    if !context.replica.isLeading { context.replica.tell([claim(of: table, share)]) }
    StoredMember(table: table).join { [self] in
      guard table.isLiving else { return }
      if context.replica.isLeading { KeptMember(table: table).resume { ask(joined: table, $0) } }
      // Not there yet, or it could not be begun.
      guard table.isUnknown else { return }
      context.background.asyncAfter(deadline: .now() + Self.impatience) { [weak self, weak table] in
        guard let self, let table, table.isLiving, table.isUnknown else { return }
        enlist(table, share: share)
      }
    }
  }

  private func claim(of table: LiveTable, _ share: String) -> MemberClaim {
    MemberClaim(
      name: table.writer.sharedName,
      share: share,
      isWaitedFor: table.isWaitedHere,
      values: table.writer.variables.caller
    )
  }

  /// A member is read again that was frozen. Under the family's lock.
  func resume(_ table: LiveTable, share: String, isOutdated: Bool) {
    if table.isShared {
      guard context.replica.isLeading else { return context.replica.tell([claim(of: table, share)]) }
      guard !isOutdated, table.isAskedHere else { return ask(table, isOutdated: isOutdated) }
    }
    KeptMember(table: table).resume { done in
      // A caller's own member is fetched at once: its readers wait for that.
      for source in table.sources { source.begin(table, isUnheard: false, isOutdated: isOutdated) }
      done()
    }
  }

  /// Tells the replica that asks the sources of one that is read here.
  func claim(_ key: Key) {
    guard let member = contents.withLock({ $0.members.members[key] }) else { return }
    context.replica.tell([claim(of: member.instance.table, member.share)])
  }

  /// The same of all.
  func claimAll() {
    guard context.replica.isShared, !context.replica.isLeading else { return }
    // A process that was stopped may have left them to be frozen.
    if !isClaiming { lapse() }
    claims.withLock { $0.last = .now }
    let claims = contents.withLock { contents in
      contents.members.members.values.filter { !$0.isFrozen && $0.instance.table.isShared }
        .map { claim(of: $0.instance.table, $0.share) }
    }
    context.replica.tell(claims)
  }

  /// The leader has been told of them so short a time ago that it has not frozen any.
  var isClaiming: Bool { claims.withLock { .now - $0.last < $0.validity } }

  /// When the leader was last told which members are read here.
  struct ClaimRecord {
    var last = ContinuousClock.now
    /// So long is a member kept up after it was claimed, at least.
    var validity: Duration

    init(_ definition: TableDefinition) { validity = Self.validity(by: definition) }

    static func validity(by definition: TableDefinition) -> Duration {
      max(definition.instances.freezeAfter / 2, .milliseconds(500))
    }
  }

  /// Another replica's clients read a member.
  func accept(_ claim: MemberClaim, _ reference: TableReference) {
    guard shares(reference, for: claim.values) else { return }
    let caller = CallerFields([], share: claim.share, values: claim.values)
    let (reference, digest) = reference.partedFromCaller
    // Of values that this configuration reads others of, another member would be made.
    if let digest, hash(caller.forwarded(by: definition)) != digest { return }
    do throws(TableError) {
      var budget = MemberBudget(.max)
      let table = try member(reference, caller, isElsewhere: true, &budget)
      if claim.isWaitedFor { table.noteWaitersElsewhere() }
    } catch {
      // A member that this configuration doesn't have is not reported.
      guard error.kind == .unavailable else { return }
      context.replica.tell(MemberRefusal(name: claim.name, detail: error.detail))
    }
  }

  /// - Throws: where a member that another replica's clients read finds no room without those going that are read, too: each
  ///   would be claimed anew, and have another one go.
  func admitClaim() throws(TableError) {
    let limit = context.current.limits.membersBytes
    let error = contents.withLock { contents -> TableError? in
      let members = contents.members
      guard members.frozenCount == 0 else { return nil }
      if members.count >= members.limits.maximum {
        return TableError(
          .unavailable,
          detail: "The replicas follow as many members of `\(name)` as there may be: \(members.limits.maximum) "
            + "(`instances.max`). Ask again a moment later.",
          retryAfter: .seconds(5)
        )
      }
      let expected = members.expectedBytes(atLeast: MemberWeight.ofAny, of: limit)
      guard let bytes = members.limits.bytes, members.byteCount + expected > bytes else { return nil }
      return MemberMemory.Shortage.ofFamily(name, limit: bytes).error
    }
    if let error { throw error }
  }

  /// The replica that asks the sources has no room for a member.
  func refuse(_ table: LiveTable, _ refusal: MemberRefusal) {
    guard !context.replica.isLeading, drop(table) else { return }
    table.refuse(for: refusal.error)
    forget(table)
  }

  // MARK: Going

  /// Takes a member out. False where it is none, or another one is in its place.
  @discardableResult
  func drop(_ table: LiveTable) -> Bool {
    contents.withLock { contents in
      guard let key = contents.members.members.first(where: { $0.value.instance.table === table })?.key else {
        return false
      }
      return contents.members.remove(key) != nil
    }
  }

  /// A member is no longer stored: whoever reads it makes another one. Those who wait for it are given that as soon as it has
  /// something to show.
  func vanish(_ table: LiveTable) {
    let (instance, blueprint, otherLogs) = contents.withLock { contents in
      (
        contents.members.members.values.first { $0.instance.table === table }?.instance, contents.blueprint,
        contents.otherLogs
      )
    }
    guard let instance, table.isWaitedHere, let next = replace(instance, blueprint, otherLogs) else {
      if drop(table) { retire([table]) }
      return
    }
    enlist(next.table, share: next.share)
    giveWay(table, to: next.table, attempts: Self.attemptsToSucceed)
  }

  /// So often is looked whether a member has something to show that is made in the place of another one.
  private static let attemptsToSucceed = 100

  private func giveWay(_ table: LiveTable, to next: LiveTable, attempts: Int) {
    let isShown = !next.isAwaitingUpstream && next.current.table.state != .loading
    guard isShown || attempts == 0 else {
      return context.background.asyncAfter(deadline: .now() + .milliseconds(100)) { [self] in
        giveWay(table, to: next, attempts: attempts - 1)
      }
    }
    guard !next.isUnknown else { return table.retire() }
    // The store is known to have nothing of the cursors of those who wait.
    let group = DispatchGroup()
    for writer in next.all.map(\.writer) {
      let finish = group.entered()
      writer.lookForNews { _ in finish() }
    }
    group.notify(queue: context.background) { table.retire(for: next) }
  }

  func retire(_ instances: [Instance]) { retire(instances.map(\.table)) }

  /// They have gone from the family: who waits asks again, and is given another one.
  func retire(_ tables: [LiveTable]) {
    for table in tables {
      table.retire()
      forget(table)
    }
  }

  /// Removes the stored data of a member that has gone, where this replica leads.
  func forget(_ table: LiveTable) {
    guard table.isShared else { return }
    for writer in table.all.map(\.writer) { context.forget(writer) }
  }
}
