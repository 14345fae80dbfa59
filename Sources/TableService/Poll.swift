import HTTPServer
import TableModel

/// A long poll of one table: what is left of the request while it waits.
final class Poll: Waiter {
  private let table: LiveTable
  private let ask: TableAsk
  private let request: Request

  init(table: LiveTable, ask: TableAsk, request: Request) {
    (self.table, self.ask, self.request) = (table, ask, request)
  }

  /// Answers at once where the client is behind or does not want to wait; else waits.
  func begin(_ exchange: Exchange, wait: Double) -> Reply {
    if let reply = moved(exchange) { return reply }
    guard wait > 0 else { return unchanged(exchange) }
    if ask.lens.view == nil {
      table.willWait(PollKind(cells: ask.lens.cells, next: ask.next, codings: request.preferredCodings))
    }
    var topics = [table.topic]
    if let view = ask.lens.view { topics.append(table.context.views.topic(view: view)) }
    table.beginWaiting()
    return .wait(Wait(topics: topics, timeout: .seconds(wait), waiter: self))
  }

  func woken(_ exchange: Exchange) -> Reply? {
    guard let reply = moved(exchange) else { return nil }
    table.endWaiting()
    return reply
  }

  func timedOut(_ exchange: Exchange) -> Reply {
    table.endWaiting()
    return moved(exchange) ?? unchanged(exchange)
  }

  /// From the cursor to itself: there is nothing in it, and it is made once for all whose time is over.
  private func unchanged(_ exchange: Exchange) -> Reply { reply(exchange, at: table.standing(ask).to) }

  func abandoned() { table.endWaiting() }

  /// The reply, where the table is not where the client is; nil where it is.
  private func moved(_ exchange: Exchange) -> Reply? {
    if let ended = table.ended { return ended.map { .response($0.response) } ?? unchanged(exchange) }
    let standing = table.standing(ask)
    guard !standing.isCurrent else { return nil }
    return reply(exchange, at: standing.to)
  }

  private func reply(_ exchange: Exchange, at cursor: Cursor) -> Reply {
    if let made = table.readyReply(ask, to: cursor), made.isPrepared(for: request) {
      return .response(made.response(to: request))
    }
    let request = request
    table.render(ask) { made, _ in exchange.finish(made.response(to: request)) }
    return .later
  }
}

extension Request {
  /// The content codings that are worth making ahead for requests such as this.
  var preferredCodings: [ContentCoding] {
    header(.acceptEncoding).map { $0.contains("gzip") ? [.gzip] : $0.contains("deflate") ? [.deflate] : [] } ?? []
  }
}
