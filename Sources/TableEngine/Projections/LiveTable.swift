import Definitions
import Synchronization
package import TableFinding
package import TableModel
package import TableStore
import Upstream

/// One table as it lives: a reader, which all ask; a writer, which alone changes it; and a lifecycle.
package final class LiveTable: Sendable {
  package let reference: TableReference
  /// As clients address it: a name, or a family's member in canonical form.
  package var name: String { reference.canonical }
  /// The caller's header fields that its rows depend on: those that its upstreams are sent, and those that tell who asks.
  package let forwards: [String]
  let reader: TableReader
  let writer: TableWriter
  /// A family's member: it comes and goes with its readers.
  package let isMember: Bool
  /// The language that it is in; nil where the configuration names none.
  package let locale: String?
  /// The writer of the table that this one is a translation of; nil where it is the original.
  let original: TableWriter?
  /// The table that this one is a translation of, in the language that comes first; itself where it is the original.
  package var untranslated: LiveTable { original?.table.withLock { $0.value } ?? self }
  /// The same table in the configuration's other languages.
  let translations = Mutex<[LiveTable]>([])
  let lifecycle = Mutex(TableLifecycle())
  /// Tells a member's family the bytes that it holds. False: there is no room.
  let place = LateFunction<@Sendable (LiveTable, Growth) -> Bool>()
  /// The table in its place.
  let successor = Mutex<LiveTable?>(nil)
  /// The member that its family has made since this one ended, for the same callers.
  let heir = LateFunction<@Sendable (Catalog?) -> LiveTable?>()
  private let polls = Mutex<[PollKind]>([])
  /// Until when a member counts as waited for, as another replica's clients do.
  private let waitersElsewhere = Mutex(ContinuousClock.now)
  /// Tells the leader that somebody waits here for this member.
  let claim = LateFunction<@Sendable () -> Void>()
  /// Until when that need not be told again.
  private let waitersToldOf = Mutex(ContinuousClock.now)
  /// Returns true if the leader has heard recently enough that this member is read here.
  let isClaimed = LateFunction<@Sendable () -> Bool>()
  /// A flag of a shared member: the next leader has to know of changes since the state that was left.
  let isToBeHandedOver = Atomic(false)
  /// The term of the lease under which its sources are asked from here; 0: they never were.
  let term = Atomic<UInt64>(0)
  /// The asking of its sources under the present lease.
  let asking = Mutex(MemberAsking())
  /// The upkeep of a member, for all its languages: only the original's counts.
  let upkeep: Mutex<MemberUpkeep>
  let context: EngineContext
  /// Among all tables of the process, in the order in which they were made: what goes by it is the same in each run of one seed.
  let number: Int

  /// Replicas share it: a family's member, as tables that always live.
  var isShared: Bool { isMember && writer.isStored }

  /// Its upstreams are sent a caller's own header fields, and say what that caller may see.
  package var isPrivate: Bool { writer.isPrivate }

  init(
    _ reference: TableReference,
    reader: TableReader,
    writer: TableWriter,
    forwards: [String],
    isMember: Bool,
    locale: String?,
    original: TableWriter?
  ) {
    (self.reference, self.reader, self.writer) = (reference, reader, writer)
    (self.forwards, self.isMember, context) = (forwards, isMember, writer.context)
    (self.locale, self.original) = (locale, original)
    upkeep = Mutex(MemberUpkeep(isKept: !isMember || !writer.isStored))
    number = context.tableCount.add(1, ordering: .relaxed).newValue
    writer.table.withLock { $0.value = self }
    if isMember { reader.keptReply.set { [weak self] in self?.noteReply() } }
  }

  // MARK: Reading

  /// The version that is shown now.
  package var current: Version { reader.versions.current }

  /// Clients may poll it through caches.
  package var isForEdges: Bool { reader.versions.current.table.isForEdges }

  /// Returns the lens of a client's request on this table.
  package func lens(_ request: LensRequest, after: Cursor?) -> Lens { reader.lens(request, after: after) }

  /// The same lens, for a caller who may edit the table or may not.
  package func lens(_ lens: Lens, mayEdit: Bool) -> Lens { reader.lens(lens, mayEdit: mayEdit) }

  /// Returns whether rows may offer edits or moves, so that a reply depends on whether its caller may edit. O(1).
  package var offersEdits: Bool { reader.offersEdits }

  /// The cursor of a version as a lens shows it.
  package func cursor(of version: Version, _ lens: Lens) -> Cursor { reader.cursor(version, lens) }

  /// Returns a client's standing.
  ///
  /// - Parameter waits: false: a client that another replica, whose configuration counts, has shown other cells starts
  ///   anew here, rather than wait for that one.
  package func state(for query: TableQuery, waits: Bool = true) -> QueryState {
    reader.state(for: query, waits: waits)
  }

  /// The snapshot of the whole table, if it is made. O(1).
  ///
  /// - Parameter isReadOnly: as callers are shown it who may not edit it.
  package func wholeSnapshot(isReadOnly: Bool) -> EncodedReply? { reader.wholeSnapshot(isReadOnly: isReadOnly) }

  /// A reply that is made already.
  package func readyReply(_ query: TableQuery, to cursor: Cursor) -> EncodedReply? {
    reader.readyReply(query, to: cursor)
  }

  /// The searches, filters and sorts that a reader may use; nil: none.
  package var offer: FindOffer? { reader.offer }

  /// The query of a client that asks for menus, which the table had not when it asked: with them, once the table shows
  /// them. O(1).
  package func withMenus(_ query: TableQuery) -> TableQuery { TableQuery(query.kind, reader.withMenus(query.lens)) }

  /// Returns whether an event loop may ask for a client's standing: its search has its result, and what has changed for it is known, or
  /// told by few rows. If not, ``find(_:for:waits:_:)`` comes first.
  package func isFound(_ query: TableQuery) -> Bool { reader.isFound(query) }

  /// Returns whether a query can't be answered now: what it asks for only the store knows, and it does not wait, or is to lead to
  /// another search; or its search can't be made here. Others wait at their cursor.
  ///
  /// - Parameter isLate: the store could not be read.
  package func isUnanswerable(_ query: TableQuery, isLate: Bool, waits: Bool) -> Bool {
    if reader.isUnanswerable(query) { return true }
    guard let after = query.after, isLate || reader.isBeyondReach(after, query.lens) else { return false }
    return !waits || reader.leadsElsewhere(query)
  }

  /// Returns whether a query's search can't be made here for now, and its client has nothing to wait with. O(1).
  package func isUnanswerable(_ query: TableQuery) -> Bool { reader.isUnanswerable(query) }

  /// The same of a reply that was made: what was known when it was asked for may not be by then.
  ///
  /// - Parameter hasWaited: its time is over. Before that nobody is told that nothing is new.
  package func isUnanswerable(_ query: TableQuery, by reply: EncodedReply, hasWaited: Bool) -> Bool {
    switch reply.doubt {
    case nil: false
    case .unknown: !hasWaited || reader.leadsElsewhere(query)
    case .drawnElsewhere: reader.leadsElsewhere(query)
    case .foundElsewhere: reader.hasNothing(of: query)
    }
  }

  /// Finds what tells a client's standing, in turn with what others ask; `completion` runs on the table's rendering queue, and never
  /// where the asker has gone. If a reply is due, it is made then.
  ///
  /// - Parameter waits: false: the asker is answered, whatever is found.
  package func find(
    _ query: TableQuery,
    for asker: ReplyAsker,
    waits: Bool = true,
    _ completion: @escaping @Sendable () -> Void
  ) {
    reader.find(query, for: asker, waits: waits, completion)
  }

  /// Makes a reply; `completion` runs on the table's rendering queue.
  package func render(
    _ query: TableQuery,
    for asker: ReplyAsker,
    waits: Bool = true,
    _ completion: @escaping @Sendable (EncodedReply) -> Void
  ) {
    reader.render(query, for: asker, waits: waits, completion)
  }

  /// Gives one row as it is through a lens, on the rendering queue.
  package func read(
    _ lens: Lens,
    for asker: ReplyAsker,
    at place: @escaping @Sendable (Table) -> IndexPath?,
    _ body: @escaping @Sendable (ShownRow?) -> Void
  ) {
    reader.read(lens, for: asker, at: place, body)
  }

  /// The represented object of a row. `completion` runs on the table's queue.
  ///
  /// - Parameter orHidden: also that of an item that no section shows.
  package func item(
    _ row: String,
    orHidden: Bool,
    _ completion: @escaping @Sendable (Result<RepresentedObject, TableError>) -> Void
  ) {
    ItemRead(writer: writer, row: row, orHidden: orHidden).begin(completion)
  }

  /// Why a row is not found.
  package var noSuchRow: TableError {
    current.table.hasWorked ? .notFound("The table `\(name)` has no such row.") : .hasNoRowsYet(name)
  }

  /// The items that got no row. `completion` runs on the table's queue.
  package func skipped(_ completion: @escaping @Sendable (SkippedItems) -> Void) { writer.skipped(completion) }

  /// When an upstream of it answered last, or failed to: RFC 3339; nil where none was asked yet.
  package var lastFetch: String? {
    let feeds = untranslated.sources
    return feeds.compactMap { $0.figures.lastAnswers.last?.at }.max().map { Timestamp.text($0) }
  }

  package var changesetCount: Int {
    all.reduce(0) { $0 + $1.reader.changesetCount.load(ordering: .relaxed) }
  }

  /// The bytes of the replies that are kept.
  package var replyBytes: Int { all.reduce(0) { $0 + $1.reader.replies.byteCount } }

  /// True if a read has to wait for others' writes, or for commits on their way here.
  package var mayBeBehind: Bool { writer.needsReadBarrier }

  /// Returns whether only a read barrier can tell a reader's answer: the request asks for the present state, or its
  /// cursor is ahead of this replica. A poll that doesn't wait asks for the present state, too. Only where ``mayBeBehind``
  /// holds. O(toggles).
  package func isBehind(_ request: LensRequest, after: Cursor?, waits: Bool) -> Bool {
    guard let after, waits else { return mayBeBehind }
    // Rows of a caller's own may have to be concealed first.
    let mayHaveToConceal = isPrivate && writer.following.load(ordering: .acquiring) > 0
    return mayHaveToConceal || writer.isShared && reader.isAhead(after, view: request.view)
  }

  /// Reads what other replicas have written, in a view too, and waits for what is on its way here. `completion` is called on
  /// any queue, after some seconds at most, with ``setBacks`` as it was when all was shown.
  package func readBarrier(view: String?, _ completion: @escaping @Sendable (LookOutcome, Int) -> Void) {
    writer.readBarrier { [self] outcome in
      let setBacks = setBacks
      // A view that replicas don't share is in no store: read from there, it would be none.
      guard outcome != .late, let view, writer.isShared else { return completion(outcome, setBacks) }
      let epoch = current.cursor.epoch
      // Nobody can tell then what is open in a view that was never heard of here.
      let unread = context.views.state(of: view, table: epoch) == nil ? LookOutcome.late : .unreachable
      guard outcome == .read else { return completion(unread, setBacks) }
      context.views.read(view, table: epoch) { error in
        switch error {
        case nil: completion(.read, setBacks)
        case .unavailable?: completion(unread, setBacks)
        case .some: completion(.late, setBacks)
        }
      }
    }
  }

  /// How often another replica's version was taken over that is made of older items than those that a read barrier has passed with. A
  /// read begins its barrier anew where this has changed meanwhile.
  package var setBacks: Int { writer.setBacks.load(ordering: .acquiring) }

  /// The reply to a poll that is told nothing but where it is.
  package func unchanged(
    at cursor: Cursor,
    for asker: ReplyAsker,
    _ completion: @escaping @Sendable (EncodedReply) -> Void
  ) {
    reader.unchanged(at: cursor, for: asker, completion)
  }

  // MARK: Waiting

  package func topics(_ lens: Lens) -> [ChangeTopic] { reader.topics(lens) }

  /// - Parameter after: what whoever waits has seen.
  package func beginWaiting(_ lens: Lens, after: Cursor?) {
    reader.beginWaiting(lens, after: after)
    untranslated.tellOfWaiters()
  }

  /// The same for many who wait alike.
  package func beginWaiting(_ lens: Lens, after: Cursor?, for group: WaiterGroup) {
    reader.beginWaiting(lens, after: after, for: group)
    untranslated.tellOfWaiters()
  }

  package func endWaiting(_ lens: Lens, for group: WaiterGroup) { reader.endWaiting(lens, for: group) }

  /// The same, until there are rows at all: nothing that others should keep because of that.
  package func beginWaitingForRows() { reader.beginWaiting(Lens(), after: nil) }
  package func endWaiting(_ lens: Lens) { reader.endWaiting(lens) }

  /// By window, how many wait; nil is the whole table.
  package var waiters: [WindowRange?: Int] {
    all.reduce(into: [:]) { $0.merge($1.reader.waiters, uniquingKeysWith: +) }
  }
  package var isWaitedFor: Bool { isWaitedHere || isShared && waitersElsewhere.withLock { $0 > .now } }
  var isWaitedHere: Bool { all.contains { !$0.reader.waiters.isEmpty } }

  /// Tells the replica that asks the sources at once, which might have it make room, as nobody waits for it there; then as often
  /// as members are claimed.
  private func tellOfWaiters() {
    guard isShared, !context.replica.isLeading else { return }
    let isNews = waitersToldOf.withLock { time in
      guard time <= .now else { return false }
      time = .now + .seconds(TableFamily.claimPeriod)
      return true
    }
    if isNews { claim.function?() }
  }

  /// Another replica's clients wait for it, which it will say again.
  func noteWaitersElsewhere() {
    waitersElsewhere.withLock { $0 = .now + .seconds(3 * TableFamily.claimPeriod) }
  }

  /// Has all who wait look again.
  package func wakeAll() {
    for table in all { table.reader.wakeAll() }
  }

  /// Remembers that such a poll waits: its reply will be made before it is woken.
  package func willWait(_ kind: PollKind) {
    polls.withLock { kinds in
      guard kinds.count < PollKind.remembered, !kinds.contains(kind) else { return }
      kinds.append(kind)
    }
  }

  /// Shows what was published, to those who wait too.
  func announce(_ published: Version, after previous: Version) {
    reader.announce(published, after: previous) { [self] reader, previous in
      let kinds = polls.withLock { kinds in
        defer { kinds.removeAll() }
        return kinds
      }
      for kind in kinds {
        let after = reader.cursor(previous, kind.lens, nil)
        let query = TableQuery(.changes(after: after), kind.lens)
        // It would be a reset for all who have found the same in a version that is forgotten by now.
        if kind.lens.find != nil, reader.standing(at: after, kind.lens.find) == nil { continue }
        guard !reader.state(for: query).isCurrent else {
          // They go on waiting: that the next version shows them nothing, too, need not be found out on an event loop.
          if reader.isWaitedFor(kind.lens) { willWait(kind) }
          continue
        }
        kind.prepare(reader.prepare(query))
      }
    }
  }
}
