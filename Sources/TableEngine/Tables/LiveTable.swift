import Definitions
import Synchronization
package import TableModel
package import TableStore
import Upstream

/// One table as it lives: a reader, which all ask; a writer, which alone changes it; and a lifecycle.
package final class LiveTable: Sendable {
  package let reference: TableReference
  /// As clients address it: a name, or a family's member in canonical form.
  package var name: String { reference.canonical }
  /// The caller's header fields that its upstreams are sent: its rows depend on who asks, where there are any.
  package let forwards: [String]
  let reader: TableReader
  let writer: TableWriter
  /// A family's member: it comes and goes with its readers.
  let isMember: Bool
  private let lifecycle = Mutex(TableLifecycle())
  private let polls = Mutex<[PollKind]>([])
  let context: EngineContext

  package var isPrivate: Bool { !forwards.isEmpty }

  init(_ reference: TableReference, reader: TableReader, writer: TableWriter, forwards: [String], isMember: Bool) {
    (self.reference, self.reader, self.writer) = (reference, reader, writer)
    (self.forwards, self.isMember, context) = (forwards, isMember, writer.context)
    writer.table.withLock { $0.value = self }
  }

  // MARK: Reading

  /// The version that is shown now.
  package var current: Version { reader.feed.current }

  /// Clients may poll it through caches.
  package var isForEdges: Bool { reader.isForEdges.withLock { $0 } }

  /// What a client's request means for this table.
  package func lens(_ request: LensRequest, after: Cursor?) -> Lens { reader.lens(request, after: after) }

  package func standing(_ query: TableQuery) -> Standing { reader.standing(query) }

  /// The snapshot of the plain table, if it is made. O(1).
  package var plainSnapshot: EncodedReply? { reader.plainSnapshot }

  /// A reply that is made already.
  package func readyReply(_ query: TableQuery, to cursor: Cursor) -> EncodedReply? {
    reader.readyReply(query, to: cursor)
  }

  /// Makes a reply; `completion` runs on the table's rendering queue.
  package func render(_ query: TableQuery, _ completion: @escaping @Sendable (EncodedReply) -> Void) {
    reader.render(query, completion)
  }

  /// Gives the table as it is through a lens, on the rendering queue.
  package func read(_ lens: Lens, _ body: @escaping @Sendable (Table, Cursor) -> Void) { reader.read(lens, body) }

  /// The represented object of a row. `completion` runs on the table's queue.
  ///
  /// - Parameter orHidden: also that of an item that no section shows.
  package func item(
    _ row: String,
    orHidden: Bool,
    _ completion: @escaping @Sendable (Result<RepresentedObject, TableError>) -> Void
  ) {
    writer.item(row, orHidden: orHidden, completion)
  }

  package var changesetCount: Int { reader.changesetCount.load(ordering: .relaxed) }

  /// What the replies take that are kept, in bytes.
  package var replyBytes: Int { reader.replies.byteCount }

  // MARK: Waiting

  package func topics(_ lens: Lens) -> [ChangeTopic] { reader.topics(lens) }
  package func beginWaiting(_ lens: Lens) { reader.beginWaiting(lens) }
  package func endWaiting(_ lens: Lens) { reader.endWaiting(lens) }

  /// By window, how many wait; nil is the whole table.
  package var waiters: [WindowSize?: Int] { reader.waiters }
  package var isWaitedFor: Bool { !reader.waiters.isEmpty }

  /// Remembers that such a poll waits: its reply will be made before it is woken.
  package func willWait(_ kind: PollKind) {
    polls.withLock { kinds in
      guard kinds.count < PollKind.remembered, !kinds.contains(kind) else { return }
      kinds.append(kind)
    }
  }

  /// Shows what was published, to those who wait too.
  func announce(from previous: Version) {
    reader.announce(from: previous) { [self] reader, previous in
      let kinds = polls.withLock { kinds in
        defer { kinds.removeAll() }
        return kinds
      }
      for kind in kinds {
        let after = Cursor(
          epoch: previous.cursor.epoch,
          version: previous.number,
          lens: LensTag(rows: kind.lens.rows, cells: kind.lens.cells?.digest)
        )
        let query = TableQuery(.changes(after: after), kind.lens)
        guard !reader.standing(query).isCurrent else { continue }
        kind.prepare(reader.prepare(query))
      }
    }
  }

  // MARK: Lifecycle

  /// What is polled for it.
  var sources: [SourceFeed] { lifecycle.withLock { $0.sources } }
  func attach(_ source: SourceFeed) { lifecycle.withLock { $0.sources.append(source) } }
  /// Before another definition's sources are attached.
  func forgetSources() { lifecycle.withLock { $0.sources = [] } }

  /// Whether its readers should wait for what the upstream says.
  package var isAwaitingUpstream: Bool { isMember && lifecycle.withLock { $0.isAwaitingUpstream } }

  /// The upstream's own refusal, for those who read a family's member.
  package var refusal: TableError? { isMember ? lifecycle.withLock { $0.refusal } : nil }

  /// Why nobody can go on waiting for it; nil where they can.
  package var ending: WaitEnding? {
    lifecycle.withLock { lifecycle in
      switch lifecycle.phase {
      case .living: isMember ? lifecycle.refusal.map { .refused($0) } : nil
      case .retired: .withoutNews
      case .removed: .refused(.notFound("The table `\(name)` is no longer there."))
      }
    }
  }

  /// The configuration no longer has it: no edit is begun any more, and who waits is told.
  func remove() { end(.removed) }

  /// Makes room for another member.
  func retire() {
    for source in sources { source.stop() }
    end(.retired)
  }

  private func end(_ phase: TableLifecycle.Phase) {
    writer.close()
    lifecycle.withLock { $0.end(phase) }
    reader.wakeAll()
  }

  /// Nobody reads it any more. What is a caller's own is not shown to whoever comes back before the upstream has agreed
  /// again: credentials may be revoked while nobody asks.
  func freeze() {
    lifecycle.withLock { $0.freeze(isPrivate: isPrivate) }
    if isPrivate { writer.conceal() }
  }

  /// Whether what its upstreams say is for nobody yet.
  var isConcealed: Bool { isPrivate && lifecycle.withLock { $0.isFrozen } }

  func thaw() { lifecycle.withLock { $0.thaw() } }

  func refuse(_ refusal: TableError?) {
    guard isMember else { return }
    lifecycle.withLock { $0.refuse(refusal) }
  }

  func settle(_ isSettled: Bool, refusal: TableError?) {
    guard isMember else { return }
    lifecycle.withLock { $0.settle(isSettled, refusal: refusal, isPrivate: isPrivate) }
    reader.wakeAll()
  }
}

/// Polls that get the same reply, whatever they wait for.
package struct PollKind: Sendable {
  /// More kinds than that are made when they are asked for.
  static let remembered = 64

  /// Without a view: what was tapped in one is made for it alone.
  package var lens: Lens
  /// Tells kinds with the same lens apart.
  package var variant: String
  /// What is made of the reply ahead, such as its compressed form.
  package var prepare: @Sendable (EncodedReply) -> Void

  package init(lens: Lens, variant: String, prepare: @escaping @Sendable (EncodedReply) -> Void) {
    self.lens = Lens(cells: lens.cells, rows: lens.rows)
    (self.variant, self.prepare) = (variant, prepare)
  }
}

extension [PollKind] {
  fileprivate func contains(_ kind: PollKind) -> Bool {
    contains { $0.lens == kind.lens && $0.variant == kind.variant }
  }
}
