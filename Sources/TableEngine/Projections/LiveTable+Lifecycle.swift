import Queues
import Synchronization
import TableModel
import TableStore
import Upstream

/// The sources of a table, and its end: its translations are told, too.
extension LiveTable {
  /// The sources that are polled for it.
  var sources: [PolledSource] { lifecycle.withLock { $0.sources } }

  /// It is fed by these from now on, and by no others.
  func attach(_ sources: [PolledSource]) {
    let before = self.sources
    for table in all { table.lifecycle.withLock { $0.sources = sources } }
    for source in before where !sources.contains(where: { $0 === source }) { source.end(self) }
    for source in sources where !before.contains(where: { $0 === source }) { source.add(self) }
  }

  /// True if its readers should wait for the upstream's answer.
  package var isAwaitingUpstream: Bool { isMember && lifecycle.withLock { $0.isAwaitingUpstream } }

  /// How the store has it is not known yet.
  var isUnknown: Bool { isMember && lifecycle.withLock { $0.isUnknown } }

  /// Its sources are asked from here, since this replica asks them.
  var isAskedHere: Bool { context.replica.lease?.term == term.load(ordering: .acquiring) }

  /// Why it can't be shown to anybody: what replicas share is theirs only once it is stored, and what the configuration no longer
  /// has is told of no edit any more.
  package var absence: TableError? {
    lifecycle.withLock { lifecycle -> TableError? in
      if isMember, lifecycle.isUnknown { return .notStoredYet }
      return switch lifecycle.phase {
      case .removed: .isGone(name)
      case .replacedByFamily: .isMadeFamily(name)
      case .living, .retired, .refused: nil
      }
    }
  }

  /// A family's member that ended, with no other one in its place yet: whoever asks for it again has one made.
  package var hasMadeRoom: Bool {
    isMember && lifecycle.withLock { $0.phase == .retired } && successor.withLock { $0 == nil }
  }

  var isLiving: Bool { lifecycle.withLock { $0.phase == .living } }

  /// The upstream's own refusal, for those who read a family's member.
  package var refusal: TableError? { isMember ? lifecycle.withLock { $0.refusal } : nil }

  /// Why nobody can go on waiting for it; nil where they can.
  package var ending: WaitEnding? {
    lifecycle.withLock { lifecycle -> WaitEnding? in
      if lifecycle.isUnknown, lifecycle.refusal == nil { return .refused(.notStoredYet) }
      return switch lifecycle.phase {
      case .living: isMember ? lifecycle.refusal.map { .refused($0) } : nil
      case .retired: successor.withLock { $0 }.map(\.beginning) ?? .withoutNews
      case .refused(let error): .refused(error)
      case .removed: .refused(.isGone(name))
      case .replacedByFamily: .withoutNews
      }
    }
  }

  /// The ending of the table in whose place this one has come. Where this one could not store what it has become, it shows what was stored
  /// when it was there last, which may be older.
  private var beginning: WaitEnding {
    writer.isBehindInputs ? .refused(.notStoredForNow) : .replaced(by: self)
  }

  /// Why it is no longer there, nor another one in its place; nil where it is.
  var departure: TableError? {
    switch lifecycle.withLock({ $0.phase }) {
    case .living: nil
    case .retired: .hasMadeRoom
    case .refused(let error): error
    case .removed: .isGone(name)
    case .replacedByFamily: .isMadeFamily(name)
    }
  }

  /// The table in its place now, as often as it was made anew; itself where there is none.
  package var latest: LiveTable {
    guard var latest = successor.withLock({ $0 }) else { return self }
    while let next = latest.successor.withLock({ $0 }) { latest = next }
    return latest
  }

  /// The table in its place now: the last of its successors, or the one made under its name since that ended; itself where there
  /// is none.
  var present: LiveTable {
    let last = latest
    guard !last.isLiving else { return last }
    let catalog = context.catalog.function?()
    let heir = last.untranslated.heir.function
    return (heir.map { $0(catalog) } ?? catalog?.tablesByName[name])?.localized(locale) ?? last
  }

  /// The configuration no longer has it: no edit is begun any more, and who waits is told.
  func remove() { end(.removed) }

  /// A family has come in its place: no edit is begun any more, and who waits asks again.
  func giveWayToFamily() { end(.replacedByFamily) }

  /// Makes room for another member, or for what is in its place now: who waits goes on waiting there.
  func retire(for next: LiveTable? = nil) {
    if let next {
      for table in all {
        let heir = next.localized(table.locale)
        // Who has waited here may have seen what others have stored since that one was read. Another member begins anew.
        if !isMember { heir.reader.expectNews() }
        table.successor.withLock { $0 = heir }
      }
    }
    for source in sources { source.end(self, for: next?.sources.first { $0.name == source.name }) }
    end(.retired)
  }

  /// There is no room for what it has become.
  func refuse(for want: TableError) {
    for source in sources { source.end(self) }
    end(.refused(want))
  }

  func end(_ phase: TableLifecycle.Phase) {
    let all = all
    // First: a read that has waited for this goes on when the writer is closed, and is not to find the table there.
    for table in all { table.lifecycle.withLock { $0.end(phase) } }
    for table in all {
      table.writer.close()
      table.writer.leaveItems()
      table.reader.wakeAll()
    }
  }

  /// Nobody reads it any more. What is a caller's own is not shown to whoever comes back before the upstream has agreed
  /// again: credentials may be revoked while nobody asks. Translations follow.
  func freeze() {
    for table in all { table.lifecycle.withLock { $0.freeze(isPrivate: isPrivate) } }
    upkeep.withLock { $0.lapse() }
    if isPrivate { for table in all { table.writer.conceal() } }
  }

  /// Nobody reads it, and its upstreams are not asked.
  var isAsleep: Bool { lifecycle.withLock { $0.isFrozen } }

  /// True while its upstreams' answers are for nobody yet.
  var isConcealed: Bool { isPrivate && lifecycle.withLock { $0.isFrozen } }

  func thaw() {
    for table in all { table.lifecycle.withLock { $0.thaw() } }
  }

  func refuse(_ refusal: TableError?) {
    guard isMember else { return }
    lifecycle.withLock { $0.refuse(refusal) }
  }

  func settle(_ isSettled: Bool, refusal: TableError?) {
    guard isMember else { return }
    lifecycle.withLock { $0.settle(isSettled, refusal: refusal, isPrivate: isPrivate) }
    reader.wakeAll()
  }

  /// The store has it now, as it is shown.
  func noteStored(isSettled: Bool) {
    if lifecycle.withLock({ $0.noteStored(isSettled: isSettled) }) { reader.wakeAll() }
  }

  /// Takes the upstream's refusal of the readers from another replica.
  func follow(_ refusal: TableError?) {
    for table in all where table.lifecycle.withLock({ $0.follow(refusal) }) { table.reader.wakeAll() }
  }

  /// The reason why a member needs room.
  enum Growth: Sendable {
    case ofContent
    case ofReplies
  }

  /// The bytes that a member holds, in all its languages.
  var heldBytes: Int {
    all.reduce(MemberWeight.ofAny) { sum, table in
      let reader = table.reader
      return sum + table.writer.heldBytes.load(ordering: .relaxed) + reader.replies.byteCount
        + reader.drawnBytes.load(ordering: .relaxed)
    }
  }

  /// Tells the family of a member what it holds. False: there is no room.
  func hasRoom(for growth: Growth) -> Bool {
    let member = untranslated
    return member.place.function?(member, growth) ?? true
  }

  /// A reply was made that is kept: where there is no room for it, none is.
  func noteReply() {
    guard !hasRoom(for: .ofReplies) else { return }
    reader.forgetReplies()
    // It holds less now.
    _ = hasRoom(for: .ofReplies)
  }

  /// Calls back when the table is shown in all its languages as it is stored now.
  ///
  /// - Parameters:
  ///   - sources: those that have to have told it something.
  ///   - completion: false: it is not shown in all languages.
  func whenAllFollow(_ sources: Set<String> = [], _ completion: @escaping @Sendable (_ isShown: Bool) -> Void) {
    // Translations are given what is stored with the original when that is done.
    writer.afterFollowing { [self] in
      let areShown = JoinedCalls(writer.shows(sources)) { $0 = $0 && $1 }
      for translation in allTranslations {
        let finish = areShown.begin()
        translation.writer.afterFollowing { finish(translation.writer.shows(sources)) }
      }
      areShown.notify(on: context.background, completion)
    }
  }
}
