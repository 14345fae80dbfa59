import HTTPServer
import Synchronization
import TableModel

/// A table's changes as server-sent events (WHATWG HTML §9.2): `event: changes`, `id:` the cursor, `data:` the same
/// object that a poll answers. From its making until it is closed it counts among those who wait for the table.
final class TableStream: StreamSource {
  private let table: LiveTable
  private let lens: Lens
  /// Whether its client may still read the table: a stream outlives what the configuration said when it began.
  private let isAllowed: @Sendable () -> Bool
  private let state: Mutex<State>

  private struct State {
    /// Where the client is, as far as has been sent to it. Nil: it has nothing yet.
    var position: Cursor?
    /// One event at a time, of what was new when the last one had gone: a slow reader gets fewer and larger ones.
    var pacing = StreamPacing()
  }

  init(table: LiveTable, lens: Lens, after: Cursor?, isAllowed: @escaping @Sendable () -> Bool) {
    (self.table, self.lens, self.isAllowed) = (table, lens, isAllowed)
    state = Mutex(State(position: after))
    table.beginWaiting()
  }

  static let head = Response(
    status: .ok,
    headers: HeaderBlock([
      HeaderField(.contentType, "text/event-stream; charset=utf-8"), HeaderField(.cacheControl, "no-store"),
      HeaderField(.vary, "Accept-Cells"),
    ])
  )

  var topics: [Topic] {
    [table.topic] + (lens.view.map { [table.context.views.topic(view: $0)] } ?? [])
  }

  func opened(_ stream: StreamHandle) { woken(stream) }

  func woken(_ stream: StreamHandle) { advance(stream) { $0.woken() } }
  func drained(_ stream: StreamHandle) { advance(stream) { $0.drained() } }

  /// What comes behind the comment looks for something new: a view that is followed is in use, whether anything happens
  /// or not.
  func heartbeat(_ stream: StreamHandle) {
    if state.withLock({ $0.pacing.heartbeat() }) { stream.send(Array(": still here\n\n".utf8)) }
  }

  func closed() { table.endWaiting() }

  /// Sends what is new, or rests. Events are made on the table's rendering queue, which may take its time.
  private func advance(_ stream: StreamHandle, _ event: (inout StreamPacing) -> StreamPacing.Action) {
    guard table.ending == nil, isAllowed() else { return stream.end() }
    guard state.withLock({ event(&$0.pacing) }) == .make else { return }
    repeat {
      guard isCurrent else { return table.onRenderingQueue { [self] in sendEvent(to: stream) } }
    } while state.withLock({ $0.pacing.rest() }) == .make
  }

  private var isCurrent: Bool {
    table.standing(TableAsk(after: state.withLock { $0.position }, lens: lens)).isCurrent
  }

  /// The body is shared with all who are sent the same, polls among them.
  private func sendEvent(to stream: StreamHandle) {
    let (reply, cursor) = table.answer(TableAsk(after: state.withLock { $0.position }, lens: lens))
    state.withLock { state in
      state.position = cursor
      state.pacing.send()
    }
    stream.send([Array("event: changes\nid: \(cursor)\ndata: ".utf8), reply.body, Array("\n\n".utf8)])
  }
}
