import FieldValues
import HTTPServer
import Synchronization
import TableEngine
import TableModel

/// How the replies of several tables become one response.
extension MultiPoll {
  /// Joined at once, where few bytes are to be copied or compressed: more is not an event loop's to do.
  private static let littleWork = 8 << 10

  /// Each table makes its own reply, on its own queue: none waits for another's. With enough bytes in them the other tables
  /// that have moved are left to the next request, which is answered at once (``TellingOrder``).
  func gather(_ all: [Move], _ troubles: [Trouble], _ exchange: Exchange) -> Reply {
    // A token that is over by now ends all of it, not one table after the other.
    if troubles.contains(where: { $0.error.status == .unauthorized }), let refusal = ending() ?? callersRefusal {
      return .response(refusal.response)
    }
    if troubles.isEmpty, let last = last.withLock({ $0 }), last.moves == all { return .response(last.response) }
    let ready = all.map { members[$0.member].table.readyReply(query(of: members[$0.member]), to: $0.to) }
    let order = TellingOrder(
      sizes: zip(all, ready).map { move, reply in reply?.body.count ?? members[move.member].expectedBytes },
      cursors: all.map { members[$0.member].query.after }
    )
    if let parts = GatheredReplies.parts(of: ready, in: order) {
      let (told, made) = (parts.map { all[$0.place] }, parts.map(\.reply))
      let joined = joinedReplies.known(entries(told, made), troubles, scope)
      if joined?.isPrepared(for: codings) ?? (JoinedReplies.work(on: made, for: codings) <= Self.littleWork) {
        return .response(response(joined, told, made, troubles))
      }
    }
    let asker = ReplyAsker(exchange.asker)
    let gathered = GatheredReplies(ready, in: order) { [self] parts in
      let (told, made) = (parts.map { all[$0.place] }, parts.map(\.reply))
      joinedReplies.inTurn(asker, work: JoinedReplies.work(on: made, for: codings)) { [self] in
        // By a configuration that was read meanwhile.
        let isRefused = told.contains { move in
          caller.refusal(members[move.member].table) != nil || members[move.member].searchRefusal != nil
        }
        guard !isRefused else { return exchange.finish(last(exchange, troubles)) }
        let isUnanswerable = zip(told, made).contains { move, reply in
          members[move.member].table.isUnanswerable(query(of: members[move.member]), by: reply, hasWaited: false)
        }
        exchange.finish(isUnanswerable ? ServiceError.unreadable.response : response(nil, told, made, troubles))
      }
    }
    gathered.begin()
    // The smallest first: windows of one table are made one after the other, and enough may be there before the last ones.
    for place in order.places where gathered.wants(place) {
      let member = members[all[place].member]
      let wanting = ReplyAsker(share: asker.share) { gathered.wants(place) && asker.isThere() }
      member.table.render(query(of: member), for: wanting) { gathered.set(place, $0) }
    }
    return .later
  }

  private func entries(_ moves: [Move], _ made: [EncodedReply]) -> [JoinedReplies.Entry] {
    zip(moves, made).map { JoinedReplies.Entry(reply: $1, number: members[$0.member].number) }
  }

  /// The `Link` repeats the cursors that were asked, the new ones of tables that are told here, and leaves out those with a
  /// problem: nothing that this reply doesn't tell is passed over.
  private func response(
    _ known: Representation?,
    _ moves: [Move],
    _ made: [EncodedReply],
    _ troubles: [Trouble]
  ) -> Response {
    let joined = known ?? joinedReplies.reply(entries(moves, made), troubles, scope)
    var response = joined.response(accepting: codings)
    var cursors: [Int: Cursor] = [:]
    for (move, reply) in zip(moves, made) { cursors[move.member] = reply.cursor }
    let left = Set(troubles.map(\.pair.number))
    var (link, window) = ("", "")
    for (index, member) in members.enumerated() where !left.contains(member.pair.number) {
      let table = member.pair.members == nil ? member.table.name[...] : member.pair.text
      link += "\(link.isEmpty ? "?" : "&")after=\(PercentCoding.encode(table, allowed: ";=")):"
      if let cursor = cursors[index] ?? member.query.after {
        link += cursor.description
      } else if member.pair.members == nil, let rows = member.query.lens.rows {
        // Cursors carry it.
        window = "&rows=\(rows)"
      }
    }
    link += window
    let target = "/v1/changes\(link)\(next)"
    // With its cursors it may be longer than the client's own was, and than the server takes.
    if !link.isEmpty, target.utf8.count <= Self.longestTarget {
      response.additional.append(HeaderField(.link, "<\(target)>; rel=\"next\""))
    }
    guard troubles.isEmpty, joined.byteCount <= Self.remembered else { return response }
    let answer = response.serialized()
    // By where the replies lead: a table may have moved again while they were made.
    let told = zip(moves, made).map { Move(member: $0.member, to: $1.cursor) }
    last.withLock { $0 = (told, answer) }
    return answer
  }

  /// In bytes.
  private static let longestTarget = Configuration.Limits().target

  /// Larger responses are not kept by each who polls.
  private static let remembered = 64 << 10

  /// Why no table may be read any more by a caller whose issuer is none by a configuration that was read meanwhile; nil where one may.
  private var callersRefusal: ServiceError? {
    guard caller.isIssuers else { return nil }
    let refusals = members.map { caller.refusal($0.table) }
    return refusals.allSatisfy { $0?.status == .unauthorized } ? refusals.first ?? nil : nil
  }
}
