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
  /// Refuses a client whom a newer configuration no longer lets in: a stream outlives what it began under.
  private let recheck: @Sendable () -> ServiceError?
  /// Where the client is, as far as has been sent to it. Nil: it has nothing yet.
  private let position: Mutex<Cursor?>

  init(table: LiveTable, lens request: LensRequest, after: Cursor?, recheck: @escaping @Sendable () -> ServiceError?) {
    (self.table, self.request, self.recheck) = (table, request, recheck)
    lens = table.lens(request, after: after)
    position = Mutex(after)
    table.beginWaiting(lens)
  }

  static func head(_ scope: ReplyScope) -> Response {
    Response(
      status: .ok,
      headers: HeaderBlock([
        HeaderField(.contentType, "text/event-stream; charset=utf-8"), HeaderField(.cacheControl, "no-store"),
        HeaderField(.vary, scope.vary.joined(separator: ", ")),
      ])
    )
  }

  var topics: [Topic] { table.topics(lens).map(Topic.init) }

  func opened(_ stream: StreamHandle) { send(to: stream) }
  func woken(_ stream: StreamHandle) { send(to: stream) }

  func heartbeat(_ stream: StreamHandle) {
    stream.send(Array(": still here\n\n".utf8))
    // A view that is followed is in use, whether anything happens or not.
    send(to: stream)
  }

  func closed() { table.endWaiting(lens) }

  /// What the stream asks next.
  private var query: TableQuery {
    let after = position.withLock { $0 }
    // The window is that of the beginning, whatever the cursor says.
    var lens = table.lens(request, after: after)
    lens.rows = self.lens.rows
    return TableQuery(.changes(after: after), lens)
  }

  /// Sends what is new. Events leave in order: each is made and sent on the table's rendering queue, which is
  /// serial.
  private func send(to stream: StreamHandle) {
    guard table.ending == nil, recheck() == nil else { return stream.end() }
    guard !table.standing(query).isCurrent else { return }
    table.renderNext({ [self] in table.standing(query).isCurrent ? nil : query }) { [self] reply in
      position.withLock { $0 = reply.cursor }
      var event = Array("event: changes\nid: \(reply.cursor)\ndata: ".utf8)
      event += reply.body
      event += Array("\n\n".utf8)
      stream.send(event)
    }
  }
}
