import HTTPServer
import TableModel

/// A long poll of one table: what is left of the request while it waits, and of all requests like it.
final class Poll: Waiter {
  let table: LiveTable
  let ask: TableAsk
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

  func answeredAlike() { table.endWaiting() }

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
    let asked = PollResponseKey(reply: ask.key(to: cursor), codings: codings, next: next)
    if let response = table.replies.response(asked) { return .response(response) }
    guard let made = table.readyReply(ask, to: cursor), made.isPrepared(for: codings) else {
      table.render(ask) { [self] made, cursor in exchange.finish(answer(made, at: cursor)) }
      return .later
    }
    let response = answer(made, at: cursor).serialized()
    table.replies.keep(response, for: asked)
    return .response(response)
  }

  private func answer(_ made: Representation, at cursor: Cursor) -> Response {
    var response = made.response(accepting: codings)
    response.additional.append(
      HeaderField(.link, "<\(table.path)/changes?after=\(cursor)\(next)>; rel=\"next\"")
    )
    return response
  }
}

/// All that a poll's response depends on: polls for which it is the same get the same bytes.
struct PollResponseKey: Equatable {
  var reply: ReplyKey
  var codings: AcceptedCodings
  /// What follows the cursor in the `Link` to the next poll.
  var next: String
}

extension AcceptedCodings {
  /// What is worth making ahead for clients such as this one.
  var worthPreparing: [ContentCoding] { ordered.first.map { $0 == .identity ? [] : [$0] } ?? [] }
}
