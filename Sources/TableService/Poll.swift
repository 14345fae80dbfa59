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
    guard wait > 0 else { return timedOut(exchange) }
    if ask.lens.view == nil {
      table.willWait(PollKind(cells: ask.lens.cells, next: ask.next, codings: request.preferredCodings))
    }
    var topics = [table.topic]
    if let view = ask.lens.view { topics.append(table.context.views.topic(view: view, table: table.name)) }
    return .wait(Wait(topics: topics, timeout: .seconds(wait), waiter: self))
  }

  func woken(_ exchange: Exchange) -> Reply? { moved(exchange) }

  func timedOut(_ exchange: Exchange) -> Reply {
    if let reply = moved(exchange) { return reply }
    let cursor = table.standing(ask).to
    let table = table, ask = ask, request = request
    table.context.background.async {
      exchange.finish(table.unchanged(ask, at: cursor).response(to: request))
    }
    return .later
  }

  func abandoned() {}

  /// The reply, where the table is not where the client is; nil where it is.
  private func moved(_ exchange: Exchange) -> Reply? {
    if table.isRemoved {
      return .response(ServiceError.notFound("The table `\(table.name)` is no longer there.").response)
    }
    let standing = table.standing(ask)
    guard !standing.isCurrent else { return nil }
    if let reply = table.readyReply(ask, to: standing.to), reply.isPrepared(for: request) {
      return .response(reply.response(to: request))
    }
    let request = request
    table.render(ask) { reply, _ in exchange.finish(reply.response(to: request)) }
    return .later
  }
}

extension Request {
  /// The content codings that are worth making ahead for requests such as this.
  var preferredCodings: [ContentCoding] {
    header(.acceptEncoding).map { $0.contains("gzip") ? [.gzip] : $0.contains("deflate") ? [.deflate] : [] } ?? []
  }
}
