import Dispatch
import HTTPServer
import TableModel

/// A long poll of several tables at once (`GET /v1/changes`).
final class MultiPoll: Waiter {
  static let maximum = 64

  struct Member: Sendable {
    var table: LiveTable
    var ask: TableAsk
  }

  private let members: [Member]
  private let codings: AcceptedCodings
  /// What follows the cursors in the `Link` to the next poll.
  private let next: String

  init(members: [Member], request: Request) {
    (self.members, codings, next) = (members, request.acceptedCodings, request.inquiry.next)
  }

  func begin(_ exchange: Exchange, wait: Double) -> Reply {
    if let reply = moved(exchange) { return reply }
    guard wait > 0 else { return .response(unchanged) }
    for member in members {
      member.table.willWait(PollKind(cells: member.ask.lens.cells, codings: []))
      member.table.beginWaiting()
    }
    return .wait(
      Wait(topics: topics, timeout: .seconds(wait), waiter: self)
    )
  }

  private var topics: [Topic] {
    let view = members.first?.ask.lens.view
    return members.map(\.table.topic) + (view.map { [members[0].table.context.views.topic(view: $0)] } ?? [])
  }

  func woken(_ exchange: Exchange) -> Reply? {
    guard let reply = moved(exchange) else { return nil }
    abandoned()
    return reply
  }

  func timedOut(_ exchange: Exchange) -> Reply {
    abandoned()
    return moved(exchange) ?? .response(unchanged)
  }

  func abandoned() {
    for member in members { member.table.endWaiting() }
  }

  private var unchanged: Response { response([], at: members.map { $0.table.standing($0.ask).to }) }

  private func moved(_ exchange: Exchange) -> Reply? {
    for member in members {
      switch member.table.ending {
      case .refused(let error)?: return .response(error.response)
      case .withoutNews?: return .response(unchanged)
      case nil: continue
      }
    }
    let standings = members.map { $0.table.standing($0.ask) }
    guard standings.contains(where: { !$0.isCurrent }) else { return nil }
    let moved = zip(members, standings).filter { !$1.isCurrent }
    let ready = moved.compactMap { $0.table.readyReply($0.ask, to: $1.to) }
    if ready.count == moved.count, let joined = joinedReplies.known(ready), joined.isPrepared(for: codings) {
      return .response(response(joined, at: standings.map(\.to)))
    }
    joinedReplies.queue.async { [self] in
      var changes: [Representation] = []
      var cursors: [Cursor] = []
      for member in members {
        let standing = member.table.standing(member.ask)
        guard !standing.isCurrent else {
          cursors.append(standing.to)
          continue
        }
        let (reply, cursor) = member.table.renderNow(member.ask)
        changes.append(reply)
        cursors.append(cursor)
      }
      exchange.finish(response(joinedReplies.reply(changes), at: cursors))
    }
    return .later
  }

  private var joinedReplies: JoinedReplies { members[0].table.context.joinedReplies }

  private func response(_ changes: [Representation], at cursors: [Cursor]) -> Response {
    response(joinedReplies.reply(changes), at: cursors)
  }

  private func response(_ joined: Representation, at cursors: [Cursor]) -> Response {
    let pairs = zip(members, cursors).map { "after=\(percentEncoded($0.table.name)):\($1)" }.joined(separator: "&")
    var response = joined.response(accepting: codings)
    response.additional.append(HeaderField(.link, "</v1/changes?\(pairs)\(next)>; rel=\"next\""))
    return response
  }
}
