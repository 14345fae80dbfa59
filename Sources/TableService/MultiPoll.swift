import Dispatch
import HTTPServer
import JSON
import TableModel

/// A long poll of several tables at once (`GET /v1/changes`).
final class MultiPoll: Waiter {
  static let maximum = 64

  struct Member: Sendable {
    var table: LiveTable
    var ask: TableAsk
  }

  private let members: [Member]
  private let request: Request
  private let next: String

  /// - Parameter next: what follows the cursors in the `Link` to the next poll.
  init(members: [Member], request: Request, next: String) {
    (self.members, self.request, self.next) = (members, request, next)
  }

  func begin(_ exchange: Exchange, wait: Double) -> Reply {
    if let reply = moved(exchange) { return reply }
    guard wait > 0 else { return .response(unchanged) }
    for member in members { member.table.beginWaiting() }
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
      if let ended = member.table.ended { return .response(ended?.response ?? unchanged) }
    }
    guard members.contains(where: { !$0.table.standing($0.ask).isCurrent }) else { return nil }
    members[0].table.context.background.async { [self] in
      var changes: [[UInt8]] = []
      var cursors: [Cursor] = []
      for member in members {
        let standing = member.table.standing(member.ask)
        guard !standing.isCurrent else {
          cursors.append(standing.to)
          continue
        }
        let (reply, cursor) = member.table.renderNow(member.ask)
        changes.append(reply.body)
        cursors.append(cursor)
      }
      exchange.finish(response(changes, at: cursors))
    }
    return .later
  }

  private func response(_ changes: [[UInt8]], at cursors: [Cursor]) -> Response {
    var writer = JSONWriter()
    writer.beginObject()
    writer.name("changes")
    writer.beginArray()
    for change in changes { writer.write(raw: change) }
    writer.endArray()
    writer.endObject()
    let pairs = zip(members, cursors).map { "after=\(percentEncoded($0.table.name)):\($1)" }.joined(separator: "&")
    return Representation(
      body: writer.bytes,
      contentType: "application/json",
      cacheControl: "no-store",
      vary: ["Accept-Cells"],
      fields: [HeaderField(.link, "</v1/changes?\(pairs)\(next)>; rel=\"next\"")]
    ).response(to: request)
  }
}
