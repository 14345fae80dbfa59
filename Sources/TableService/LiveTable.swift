import Dispatch
import HTTPServer
import Logging
import Synchronization
import TableModel
import TableStore

/// One table as it lives in the service: its versions, what they are made of, and the replies that are ready.
///
/// Three parties touch it: its own serial queue maps items and publishes versions; its rendering queue diffs and
/// encodes; the event loops read, and find most replies made.
final class LiveTable: Sendable {
  /// As the configuration names it: a family has many tables of one name.
  let definedName: String
  /// As clients address it: a name, or a family's member in canonical form.
  let name: String
  let path: String
  let topic: Topic
  let feed: Feed
  let replies = ReplyCache()
  /// The caller's header fields that its upstreams are sent.
  let forwards: [String]
  /// The rows depend on who asks: replies are for them alone.
  var isPrivate: Bool { !forwards.isEmpty }
  /// Versions outlive the process. Not those of a family's members, which come and go with their readers.
  let isStored: Bool
  let context: ServiceContext
  /// What makes the versions; on the table's queue.
  let content: QueueBound<TableContent>
  private let renderer: QueueBound<TableRenderer>
  /// The kinds of poll that have waited lately: their replies are made before the waiters are woken.
  private let polls = Mutex<[PollKind]>([])
  let lifecycle = Mutex(TableLifecycle())
  /// How many edits have come and were not begun yet.
  let editsAhead = Atomic(0)
  /// How many changesets have been computed.
  let changesetCount = Atomic(0)

  init(
    reference: TableReference,
    feed: Feed,
    content: TableContent,
    forwards: [String],
    isStored: Bool,
    cells: CellRegistry,
    context: ServiceContext
  ) {
    definedName = reference.name
    name = reference.canonical
    path = "/v1/tables/\(reference.segment)"
    topic = Topic(rawValue: UInt64.random(in: .min ... .max))
    self.feed = feed
    self.forwards = forwards
    self.isStored = isStored
    self.context = context
    self.content = QueueBound(content, on: DispatchQueue(label: "tablecast.table.\(name)", target: context.tableQueue))
    renderer = QueueBound(
      TableRenderer(name: name, path: path, cells: cells, forwards: forwards),
      on: DispatchQueue(label: "tablecast.render.\(name)", target: context.renderQueue)
    )
  }

  // MARK: Publishing, on the table's queue

  /// Shows a prepared version to readers and waiters.
  func publish(_ version: Version) {
    dispatchPrecondition(condition: .onQueue(content.queue))
    let previous = feed.current
    guard feed.publish(version) else { return }
    announce(from: previous)
  }

  /// Makes the replies that most waiters will ask for, once, and wakes them.
  private func announce(from previous: Version) {
    renderer.queue.async { [self] in
      let current = feed.current
      replies.retire(before: current.cursor)
      let kinds = polls.withLock { kinds in
        defer { kinds.removeAll() }
        return kinds
      }
      for kind in kinds {
        let ask = TableAsk(after: previous.cursor, lens: Lens(cells: kind.cells))
        let (reply, _) = answer(ask)
        reply.prepare(kind.codings)
      }
      context.wake([topic])
    }
  }

  /// Remembers that such a poll waits: its reply will be made before it is woken.
  func willWait(_ kind: PollKind) {
    polls.withLock { kinds in
      guard kinds.count < PollKind.remembered, !kinds.contains(kind) else { return }
      kinds.append(kind)
    }
  }

  // MARK: Replies

  /// The version that a client stands at, compared with the current one. On any queue. O(1).
  func standing(_ ask: TableAsk) -> Standing {
    let current = feed.current
    let view = ask.lens.view.flatMap { context.views.standing(view: $0, table: feed.epoch, version: current.number) }
    let to = view?.cursor ?? current.cursor
    return Standing(isCurrent: ask.after == to, to: to)
  }

  /// The reply to a poll whose table has moved, or to one without `after`; if it is made already.
  func readyReply(_ ask: TableAsk, to cursor: Cursor) -> Representation? {
    // A view in which nothing was ever tapped stands where the table does, and gets what everyone gets. The cursors
    // of others are theirs alone, and no reply to one is ever kept.
    replies.reply(ask.key(to: cursor))
  }

  /// Makes the reply on the rendering queue and gives it to `completion` there. Whoever asks for the same
  /// meanwhile waits for this one and finds it made.
  func render(_ ask: TableAsk, _ completion: @escaping @Sendable (Representation, Cursor) -> Void) {
    renderer.queue.async { [self] in
      let (reply, cursor) = answer(ask)
      completion(reply, cursor)
    }
  }

  /// The same for callers that may block: never an event loop.
  func renderNow(_ ask: TableAsk) -> (Representation, Cursor) {
    renderer.queue.sync { answer(ask) }
  }

  /// The table through a lens. On the rendering queue.
  func shown(through lens: Lens) -> (Table, Cursor) {
    let current = feed.current
    let view = lens.view.flatMap { context.views.standing(view: $0, table: feed.epoch, version: current.number) }
    return renderer.access { ($0.table(current, at: view?.point, cells: lens.cells), view?.cursor ?? current.cursor) }
  }

  /// Goes on with other cells.
  func reconfigureRendering(_ cells: CellRegistry) {
    renderer.queue.sync {
      renderer.access { $0 = TableRenderer(name: name, path: path, cells: cells, forwards: forwards) }
    }
  }

  func onRenderingQueue(_ body: @escaping @Sendable () -> Void) { renderer.queue.async(execute: body) }

  /// A poll's reply or a snapshot, from the cache or made now. On the rendering queue.
  func answer(_ ask: TableAsk) -> (Representation, Cursor) {
    dispatchPrecondition(condition: .onQueue(renderer.queue))
    let current = feed.current
    let view = ask.lens.view.flatMap { context.views.standing(view: $0, table: feed.epoch, version: current.number) }
    let cursor = view?.cursor ?? current.cursor
    let key = ask.key(to: cursor)
    if view == nil, let made = replies.reply(key) { return (made, cursor) }
    let reply = renderer.access { renderer in
      let new = renderer.table(current, at: view?.point, cells: ask.lens.cells)
      switch ask.kind {
      case .snapshot:
        return renderer.snapshot(new, cursor: cursor, accepted: ask.lens.cells, isPrivate: isPrivate)
      case .changes(let after):
        return changes(after: after, to: cursor, new, ask.lens, &renderer)
      }
    }
    if view == nil { replies.insert(reply, for: key) }
    return (reply, cursor)
  }

  /// The changes that lead a client from `after` to a table as its lens shows it.
  private func changes(
    after: Cursor?,
    to cursor: Cursor,
    _ new: Table,
    _ lens: Lens,
    _ renderer: inout TableRenderer
  ) -> Representation {
    let content: ChangesContent
    switch origin(after, view: lens.view) {
    case .reset(let reason): content = .reset(reason, new)
    case .version(let version, let point):
      changesetCount.add(1, ordering: .relaxed)
      let old = renderer.table(version, at: point, cells: lens.cells)
      content = renderer.changes(from: old, to: new, cursor: cursor)
    }
    return renderer.reply(renderer.changes(after: after, to: cursor, content))
  }

  /// What a client has that stands at `after`.
  private func origin(_ after: Cursor?, view: String?) -> Origin {
    guard let after else { return .reset(.start) }
    switch feed.lookup(after) {
    case .current(let version), .held(let version): return .version(version, nil)
    case .expired: return .reset(.expired)
    case .ahead: return .reset(.ahead)
    case .epoch: break
    }
    guard let view else { return .reset(.epoch) }
    switch context.views.origin(of: after, view: view, table: feed.epoch) {
    case .point(let number, let point):
      guard let version = feed.version(number) else { return .reset(.expired) }
      return .version(version, point)
    case .expired: return .reset(.expired)
    case .ahead: return .reset(.ahead)
    case .unknown: return .reset(.epoch)
    }
  }

  private enum Origin {
    case version(Version, ViewPoint?)
    case reset(ResetReason)
  }
}

/// Where a client stands.
struct Standing {
  var isCurrent: Bool
  /// The cursor of what there is now, for that client.
  var to: Cursor
}

/// What one client asks of a table.
struct TableAsk: Sendable {
  enum Kind: Sendable {
    case snapshot
    case changes(after: Cursor?)
  }
  var kind: Kind
  var lens: Lens

  static func snapshot(_ lens: Lens) -> TableAsk { TableAsk(kind: .snapshot, lens: lens) }

  init(kind: Kind, lens: Lens) { (self.kind, self.lens) = (kind, lens) }

  init(after: Cursor?, lens: Lens) { self.init(kind: .changes(after: after), lens: lens) }

  /// The cursor that the client is at.
  var after: Cursor? {
    switch kind {
    case .snapshot: nil
    case .changes(let after): after
    }
  }

  func key(to cursor: Cursor) -> ReplyKey {
    let cells = lens.cells.map(ObjectIdentifier.init)
    return switch kind {
    case .snapshot: ReplyKey(kind: .snapshot, to: cursor, cells: cells)
    case .changes(let after): ReplyKey(kind: .changes(after), to: cursor, cells: cells)
    }
  }
}

/// Polls that get the same reply, whatever they wait for.
struct PollKind: Equatable, Sendable {
  /// Every set of cells that is known, with each coding: there are no more kinds than this.
  static let remembered = 3 * AcceptedCellsRegistry.maximum

  var cells: AcceptedCells?
  var codings: [ContentCoding]

  static func == (first: PollKind, second: PollKind) -> Bool {
    first.cells === second.cells && first.codings == second.codings
  }
}
