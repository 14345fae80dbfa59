import HTTPServer
import Synchronization
import TableEngine
import TableModel

/// A table's changes as server-sent events (WHATWG HTML §9.2): `event: changes`, `id:` the cursor, `data:` the same
/// object that a poll answers. From its making until it is closed it counts among those who wait for the table.
final class TableStream: StreamSource {
  private let table: LiveTable
  private let request: LensRequest
  /// As it was at the beginning: what is waited with.
  private let lens: Lens
  /// A stream outlives the configuration that it began under.
  private let caller: WaitingCaller
  /// Ends it when its caller's token is over, in so many seconds; nil: that doesn't end.
  private let endings: TokenEndings
  private let patience: Double?
  /// Taken by whoever made the stream.
  private let share: WaitingShare?
  private let state: Mutex<State>

  private struct State {
    /// The cursor of the client, as far as has been sent to it. Nil: it has nothing yet.
    var position: Cursor?
    var pacing = StreamPacing()
    /// A heartbeat has come since the client was told where it is.
    var isDue = false
  }

  init(
    table: LiveTable,
    lens request: LensRequest,
    after: Cursor?,
    share: WaitingShare?,
    endings: TokenEndings,
    patience: Double?,
    caller: WaitingCaller
  ) {
    (self.table, self.request, self.share, self.caller) = (table, request, share, caller)
    (self.endings, self.patience) = (endings, patience)
    lens = table.lens(request, after: after)
    state = Mutex(State(position: after))
    table.beginWaiting(lens, after: after)
  }

  static func head(_ scope: ReplyScope) -> Response {
    Response(
      status: .ok,
      headers: HeaderBlock([
        HeaderField(.contentType, "text/event-stream; charset=utf-8"), HeaderField(.cacheControl, "no-store"),
        HeaderField(.vary, scope.vary.joined(separator: ", ")),
      ]),
      additional: scope.fields
    )
  }

  var topics: [Topic] { table.topics(lens).map(Topic.init) }

  func opened(_ stream: StreamHandle) {
    if let patience { endings.add(self, stream, in: patience) }
    woken(stream)
  }

  func woken(_ stream: StreamHandle) { advance(stream) { $0.woken() } }
  func drained(_ stream: StreamHandle) { advance(stream) { $0.drained() } }

  /// Sends a comment, and looks for something new: a view that is followed is in use, whether anything happens or not.
  /// As a poll does when its wait is over, it tells of changes outside a window, too.
  func heartbeat(_ stream: StreamHandle) {
    let isSent = state.withLock { state in
      state.isDue = state.pacing.heartbeat()
      return state.isDue
    }
    if isSent { stream.send(Array(": still here\n\n".utf8)) }
  }

  func closed() {
    if patience != nil { endings.remove(self) }
    table.endWaiting(lens)
    share?.giveBack()
  }

  /// The stream's next query.
  private var query: TableQuery {
    let after = state.withLock { $0.position }
    // The window is that of the beginning, whatever the cursor says.
    var lens = table.lens(caller.request(request, of: table), after: after)
    lens.rows = self.lens.rows
    return TableQuery(.changes(after: after), lens)
  }

  /// The configuration that counts now refuses the caller, or no longer offers the search.
  private var isRefused: Bool {
    if caller.refusal(table) != nil { return true }
    do throws(ServiceError) { try table.checkFinding(lens.find) } catch { return true }
    return false
  }

  /// The table is no longer there, or a configuration that was read meanwhile gives the caller another language.
  private var isOver: Bool {
    let ending = caller.ending(of: table)
    return ending != nil || caller.successor(of: table, ending) != nil
  }

  /// Sends what is new, or rests. Events are made on the table's rendering queue, which may take its time.
  private func advance(_ stream: StreamHandle, _ event: (inout StreamPacing) -> StreamPacing.Action) {
    guard !isOver, !isRefused else { return stream.end() }
    guard state.withLock({ event(&$0.pacing) }) == .make else { return }
    // Its client comes back, and is told to wait.
    guard lens.find == nil || !table.isUnanswerable(query) else { return stream.end() }
    find(stream)
  }

  /// Makes what is due. If it may take long to find out what that is, the rendering queue does it first.
  private func find(_ stream: StreamHandle) {
    let query = query
    guard table.isFound(query) else {
      return table.find(query, for: ReplyAsker(stream.asker)) { [self] in make(stream) }
    }
    make(stream)
  }

  private func make(_ stream: StreamHandle) {
    let query = query
    // It stays with this replica: that its rows are drawn otherwise elsewhere is told once.
    let standing = table.state(for: query, waits: false)
    let isBehind = standing.to != query.after && state.withLock(\.isDue)
    guard standing.isCurrent, !isBehind else {
      return table.render(query, for: ReplyAsker(stream.asker), waits: false) { [self] made in
        // Its client comes back.
        let isOver = isRefused || table.isUnanswerable(query, by: made, hasWaited: true)
        if isOver { stream.end() } else { send(made, to: stream) }
      }
    }
    if state.withLock({ $0.pacing.rest() }) == .make { find(stream) }
  }

  /// The body is shared with all who are sent the same, polls among them.
  private func send(_ reply: EncodedReply, to stream: StreamHandle) {
    state.withLock { state in
      (state.position, state.isDue) = (reply.cursor, false)
      state.pacing.send()
    }
    stream.send([Array("event: changes\nid: \(reply.cursor)\ndata: ".utf8), reply.body, Array("\n\n".utf8)])
  }
}
