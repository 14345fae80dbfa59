import Dispatch
import Logging
import Queues
import Synchronization
import TableModel
import TableStore
import Upstream

/// The members that replicas share, where this one asks the sources: it goes on where the one before has stopped, and leaves
/// beside each member where it stands itself.
extension TableFamily {
  /// So many are handed over at once, while there is time for others.
  static let handedOverAtOnce = 512

  // MARK: Going on

  /// Asks a member's sources from here on, once it is as the store has it: an answer that came before would be laid out on
  /// nothing, lose against what is stored, and not come again.
  ///
  /// - Parameters:
  ///   - isOutdated: the upstream has something else than when it was asked last.
  ///   - completion: on any queue.
  func ask(_ table: LiveTable, isOutdated: Bool = false, _ completion: @escaping @Sendable () -> Void = {}) {
    let term = isClaiming ? context.replica.lease?.term : nil
    let isKept = term.map { term in table.upkeep.withLock { $0.lead(under: term) } } ?? false
    let begun = isKept ? context.replica.membersToBegin.entered() : nil
    KeptMember(table: table).resume { done in
      StoredMember(table: table).join { [self] in
        ask(joined: table, isOutdated: isOutdated) {
          done()
          begun?()
          completion()
        }
      }
    }
  }

  /// The same for one that is as the store has it. What the sources have said to this process before may be older than what
  /// is shown.
  func ask(
    joined table: LiveTable,
    isOutdated: Bool = false,
    _ completion: @escaping @Sendable () -> Void = {}
  ) {
    guard table.isLiving, let lease = context.replica.lease else { return completion() }
    if !isOutdated {
      switch table.asking.withLock({ $0.begin(under: lease.term, completion) }) {
      case .first: break
      case .waits: return
      case .done: return goOn(table, under: lease.term, [completion])
      }
    }
    for table in table.all { table.writer.lead(under: lease.term) }
    let group = DispatchGroup()
    for source in table.sources {
      let finish = group.entered()
      source.takeOver(for: [table], under: lease.term) { [context] body in
        guard !isOutdated else { return body(nil) }
        context.store.handover(of: table.writer.sharedName) { result in
          let left = (try? result.get())?.flatMap { Handover($0, at: .now) }
          body(left?.asLeft(before: lease.term).left(source.name, for: context.current.digests))
        }
      } _: {
        finish()
      }
    }
    group.notify(queue: context.background) { [self] in
      table.term.store(lease.term, ordering: .releasing)
      completion()
      guard !isOutdated else { return }
      goOn(table, under: lease.term, table.asking.withLock { $0.end(under: lease.term) })
    }
  }

  /// A member's sources are asked from here already: it has what they have said, but for what was said while nobody read it.
  private func goOn(_ table: LiveTable, under term: UInt64, _ completions: [@Sendable () -> Void]) {
    guard !completions.isEmpty else { return }
    if !table.isAsleep, context.replica.lease?.term == term {
      for source in table.sources { source.begin(table, isUnheard: false, under: term) }
    }
    for completion in completions { completion() }
  }

  /// Calls back when a member's sources are asked as far as this replica is to ask them: what is asked of one before would come
  /// too early.
  func whenAsked(_ table: LiveTable, _ body: @escaping @Sendable () -> Void) {
    if table.isShared, !table.isAskedHere { ask(table, body) } else { body() }
  }

  /// This replica asks the sources from now on: those of all that are read, the others' when they are.
  func lead() {
    let polled = contents.withLock { contents in
      contents.hasChanged = false
      return contents.members.unfrozen.map(\.table).filter(\.isShared)
    }
    for table in polled { ask(table) }
  }

  /// Another replica asks the sources from now on, perhaps for a while.
  func pause() {
    let tables = contents.withLock { $0.members.members.values.map(\.instance.table) }
    for table in tables where table.isShared {
      for source in table.sources { source.pause(table) }
      for writer in table.all.map(\.writer) { writer.content.queue.async { writer.settleAsStored() } }
    }
    lapse()
    claimAll()
  }

  /// Another replica asks the sources than before, or may not have heard which members are read here.
  func lapse() {
    guard context.replica.isShared, !context.replica.isLeading else { return }
    for table in tables where table.isShared { table.upkeep.withLock { $0.lapse() } }
  }

  /// Takes in members that the store has and nobody reads here: they go in their time, or where there are too many. One after
  /// the other: what else is to be read and written comes between them.
  func adopt(_ stored: ArraySlice<TableReference>) {
    var rest = stored
    while let reference = rest.popFirst(), context.replica.isLeading {
      guard sharedMember(reference) == nil, let table = restore(reference) else { continue }
      let left = rest
      return StoredMember(table: table).join { [weak self] in self?.adopt(left) }
    }
  }

  /// Takes in a member that nobody reads here.
  private func restore(_ reference: TableReference) -> LiveTable? {
    let (blueprint, otherLogs, parameters, generation) = contents.withLock {
      ($0.blueprint, $0.otherLogs, $0.parameters, $0.generation)
    }
    guard let values = try? parameters.values(of: reference) else { return nil }
    let key = sharedKey(values)
    let table = make(TableReference(name: name, parameters: values), blueprint, otherLogs, ForwardedFields(), key)
    let displaced = contents.withLock { contents -> [Instance]? in
      // Another configuration has it taken in by itself.
      guard !contents.isRemoved, contents.generation == generation, contents.members.members[key] == nil else {
        return nil
      }
      let instance = Instance(table: table, forwarded: ForwardedFields())
      let displaced = contents.members.insert(instance, key, share: "", bytes: MemberWeight.ofAny, at: .now) {
        $0.table.isWaitedFor
      }
      contents.members.freeze(key, isOutdated: contents.hasChanged)
      table.isToBeHandedOver.store(contents.hasChanged, ordering: .releasing)
      table.freeze()
      return displaced
    }
    guard let displaced else {
      table.retire()
      return nil
    }
    retire(displaced)
    return table
  }

  // MARK: Handing over

  /// Leaves beside members where they stand, for whoever asks their sources next: of those that have changed since.
  ///
  /// - Parameters:
  ///   - isLast: of all of them, and not as many as there is time for.
  ///   - completion: on any queue; false: it could not be stored.
  func handOver(under lease: Lease, isLast: Bool, _ completion: @escaping @Sendable (_ isLeft: Bool) -> Void) {
    let digests = context.current.digests
    let members = contents.withLock { contents in
      var members: [(table: LiveTable, isOutdated: Bool)] = []
      for member in contents.members.members.values where isLast || members.count < Self.handedOverAtOnce {
        let table = member.instance.table
        let isKnown = member.isOutdated || table.term.load(ordering: .acquiring) == lease.term
        guard table.isShared, isKnown, table.isToBeHandedOver.exchange(false, ordering: .acquiringAndReleasing) else {
          continue
        }
        members.append((table, member.isOutdated))
      }
      return members
    }
    let left = JoinedCalls<(String, Handover), [String: [UInt8]]>([:]) { $0[$1.0] = $1.1.bytes(at: .now) }
    for (table, isOutdated) in members {
      let finish = left.begin()
      StoredMember(table: table).handOver(digests, isOutdated: isOutdated) { handover in
        var handover = handover
        handover.term = lease.term
        finish((table.writer.sharedName, handover))
      }
    }
    left.notify(on: context.background) { [context] left in
      context.store.leave(left, under: lease) { result in
        guard case .failure = result else { return completion(true) }
        for (table, _) in members { table.isToBeHandedOver.store(true, ordering: .releasing) }
        completion(false)
      }
    }
  }
}
