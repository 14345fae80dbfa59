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
  /// Where the client is, as far as has been sent to it. Nil: it has nothing yet.
  private let position: Mutex<Cursor?>

  init(table: LiveTable, lens: Lens, after: Cursor?, isAllowed: @escaping @Sendable () -> Bool) {
    (self.table, self.lens, self.isAllowed) = (table, lens, isAllowed)
    position = Mutex(after)
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

  func opened(_ stream: StreamHandle) { send(to: stream) }
  func woken(_ stream: StreamHandle) { send(to: stream) }

  func heartbeat(_ stream: StreamHandle) {
    stream.send(Array(": still here\n\n".utf8))
    // A view that is followed is in use, whether anything happens or not.
    send(to: stream)
  }

  func closed() { table.endWaiting() }

  /// Sends what is new. Events leave in order: each is made and sent on the table's rendering queue, which is
  /// serial.
  private func send(to stream: StreamHandle) {
    guard table.ending == nil, isAllowed() else { return stream.end() }
    let after = position.withLock { $0 }
    let standing = table.standing(TableAsk(after: after, lens: lens))
    guard !standing.isCurrent else { return }
    table.onRenderingQueue { [self] in
      let after = position.withLock { $0 }
      let ask = TableAsk(after: after, lens: lens)
      guard !table.standing(ask).isCurrent else { return }
      let (reply, cursor) = table.answer(ask)
      position.withLock { $0 = cursor }
      var event = Array("event: changes\nid: \(cursor)\ndata: ".utf8)
      event += reply.body
      event += Array("\n\n".utf8)
      stream.send(event)
    }
  }
}
