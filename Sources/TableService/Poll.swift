import HTTPServer
import TableModel

/// A long poll of one table: what is left of the request while it waits.
final class Poll: Waiter {
  private let table: LiveTable
  private let ask: TableAsk
  /// All that is kept of the request: what it was made of may be larger than everything else here.
  private let codings: AcceptedCodings
  /// What follows the cursor in the `Link` to the next poll: `&wait=20`.
  private let next: String

  init(table: LiveTable, ask: TableAsk, request: Request) {
    (self.table, self.ask, codings, next) = (table, ask, request.acceptedCodings, request.inquiry.next)
  }

  /// Answers at once where the client is behind or does not want to wait; else waits.
  func begin(_ exchange: Exchange, wait: Double) -> Reply {
    if let reply = moved(exchange) { return reply }
    guard wait > 0 else { return unchanged(exchange) }
    table.willWait(PollKind(cells: ask.lens.cells, codings: codings.worthPreparing))
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
    switch table.ending {
    case .refused(let error)?: return .response(error.response)
    case .withoutNews?: return unchanged(exchange)
    case nil: break
    }
    let standing = table.standing(ask)
    guard !standing.isCurrent else { return nil }
    return reply(exchange, at: standing.to)
  }

  private func reply(_ exchange: Exchange, at cursor: Cursor) -> Reply {
    if let made = table.readyReply(ask, to: cursor), made.isPrepared(for: codings) {
      return .response(response(made, at: cursor))
    }
    table.render(ask) { [self] made, cursor in exchange.finish(response(made, at: cursor)) }
    return .later
  }

  private func response(_ made: Representation, at cursor: Cursor) -> Response {
    var response = made.response(accepting: codings)
    response.additional.append(table.replies.link(path: table.path, after: cursor, next: next))
    return response
  }
}

extension AcceptedCodings {
  /// What is worth making ahead for clients such as this one.
  var worthPreparing: [ContentCoding] { ordered.first.map { $0 == .identity ? [] : [$0] } ?? [] }
}
