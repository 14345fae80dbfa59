import Definitions
import Dispatch
import FieldValues
import HTTPServer
import Synchronization
import TableEngine
import TableModel

/// A long poll of several tables at once (`GET /v1/changes`).
final class MultiPoll: Waiter {
  static let maximum = 64

  struct Member: Sendable {
    var table: LiveTable
    var query: TableQuery
    /// Refuses a client whom a newer configuration no longer lets in.
    var recheck: @Sendable () -> ServiceError?
  }

  /// A table that can't be followed, and why.
  struct Trouble: Sendable {
    var table: String
    var error: ServiceError
  }

  private let members: [Member]
  private let troubles: [Trouble]
  private let codings: AcceptedCodings
  private let scope: ReplyScope
  private let joinedReplies: JoinedReplies
  /// What follows the cursors in the `Link` to the next poll.
  private let next: String
  /// Of those who wait, where a caller may be only so many of them.
  private let share: WaitingShare?

  init(
    _ members: [Member],
    _ troubles: [Trouble],
    _ call: Call,
    _ joinedReplies: JoinedReplies,
    share: WaitingShare?
  ) {
    (self.members, self.troubles, self.joinedReplies, self.share) = (members, troubles, joinedReplies, share)
    (codings, next) = (call.request.acceptedCodings, call.inquiry.next)
    let isTokenHolders = call.state.authorizer.isRestricted(.read)
    let forwards = Set(members.flatMap(\.table.forwards)).sorted()
    scope = ReplyScope(forwards: forwards, isTokenHolders: isTokenHolders, locale: call.locale)
  }

  private init(_ poll: MultiPoll, of members: [Member]) {
    (self.members, troubles) = (members, poll.troubles)
    (codings, scope, joinedReplies) = (poll.codings, poll.scope, poll.joinedReplies)
    (next, share) = (poll.next, poll.share)
  }

  /// - Parameter wait: seconds; nil: what is left of the time.
  func begin(_ exchange: Exchange, wait: Double?) -> Reply {
    if let successor { return successor.begin(exchange, wait: wait) }
    if let reply = moved(exchange, troubles) { return reply }
    if let wait, wait <= 0 { return unchanged(exchange) }
    do throws(ServiceError) { try share?.take() } catch { return .response(error.response) }
    for member in members {
      member.table.willWait(PollKind(lens: member.query.lens, variant: "") { _ in })
      member.table.beginWaiting(member.query.lens)
    }
    return .wait(Wait(topics: topics, timeout: wait.map { .seconds($0) }, waiter: self))
  }

  private var topics: [Topic] {
    // The view's topic is the same for all tables: it comes last of the first one's.
    let view = members.first.map { $0.table.topics($0.query.lens).dropFirst() } ?? []
    return (members.map { $0.table.topics($0.query.lens)[0] } + view).map(Topic.init)
  }

  func woken(_ exchange: Exchange) -> Reply? {
    if let successor {
      abandoned()
      return successor.begin(exchange, wait: nil)
    }
    guard let reply = moved(exchange, []) else { return nil }
    abandoned()
    return reply
  }

  func timedOut(_ exchange: Exchange) -> Reply {
    abandoned()
    let poll = successor ?? self
    return poll.moved(exchange, []) ?? poll.unchanged(exchange)
  }

  /// The same poll, where other tables are in the place of some of these.
  private var successor: MultiPoll? {
    var hasChanged = false
    let members = members.map { member in
      guard case .replaced(let next)? = member.table.ending else { return member }
      hasChanged = true
      return Member(table: next, query: member.query, recheck: member.recheck)
    }
    return hasChanged ? MultiPoll(self, of: members) : nil
  }

  func abandoned() {
    for member in members { member.table.endWaiting(member.query.lens) }
    share?.giveBack()
  }

  /// The time is over: windows may have moved on without anything new in them.
  private func unchanged(_ exchange: Exchange) -> Reply {
    let moved = members.filter { $0.query.after != $0.table.state(for: $0.query).to }
    return gather(moved, [], exchange)
  }

  /// The reply, where a table has moved or can't be followed; nil where there is nothing to tell.
  private func moved(_ exchange: Exchange, _ troubles: [Trouble]) -> Reply? {
    var troubles = troubles
    var (moved, isOver): ([Member], Bool) = ([], false)
    for member in members {
      if let error = member.recheck() {
        troubles.append(Trouble(table: member.table.name, error: error))
        continue
      }
      switch member.table.ending {
      case .refused(let error)?:
        troubles.append(Trouble(table: member.table.name, error: ServiceError(error)))
        continue
      // Its next request finds another member in its place.
      case .withoutNews?, .replaced?: isOver = true
      case nil where member.table.isAwaitingUpstream: continue
      case nil: break
      }
      if !member.table.state(for: member.query).isCurrent { moved.append(member) }
    }
    guard isOver || !moved.isEmpty || !troubles.isEmpty else { return nil }
    return gather(moved, troubles, exchange)
  }

  /// Each table makes its own reply, on its own queue: none waits for another's.
  private func gather(_ moved: [Member], _ troubles: [Trouble], _ exchange: Exchange) -> Reply {
    let ready = moved.map { $0.table.readyReply($0.query, to: $0.table.state(for: $0.query).to) }
    let made = ready.compactMap { $0 }
    if made.count == moved.count, let joined = joinedReplies.known(made, troubles, scope),
      joined.isPrepared(for: codings)
    {
      return .response(response(joined, moved, made, troubles))
    }
    let parts = Parts(ready) { [self] replies in
      exchange.finish(response(joinedReplies.reply(replies, troubles, scope), moved, replies, troubles))
    }
    for (index, member) in moved.enumerated() where ready[index] == nil {
      member.table.render(member.query) { parts.set(index, $0) }
    }
    joinedReplies.queue.async { parts.begin() }
    return .later
  }

  /// The `Link` repeats the cursors that were asked, the new ones of tables that moved, and leaves out those with a
  /// problem: nothing that this reply doesn't tell is passed over.
  private func response(
    _ joined: Representation,
    _ moved: [Member],
    _ replies: [EncodedReply],
    _ troubles: [Trouble]
  ) -> Response {
    var cursors: [String: Cursor] = [:]
    for (member, reply) in zip(moved, replies) { cursors[member.table.name] = reply.cursor }
    let pairs = members.compactMap { member -> String? in
      let name = member.table.name
      guard !troubles.contains(where: { $0.table == name }) else { return nil }
      let cursor = (cursors[name] ?? member.query.after)?.description ?? ""
      return "after=\(PercentCoding.encode(name)):\(cursor)"
    }
    var response = joined.response(accepting: codings)
    if !pairs.isEmpty {
      response.additional.append(
        HeaderField(.link, "</v1/changes?\(pairs.joined(separator: "&"))\(next)>; rel=\"next\"")
      )
    }
    return response
  }
}

/// The replies of several tables on their way, each from its own queue; given on when all are there.
private final class Parts: Sendable {
  private let replies: Mutex<(made: [EncodedReply?], isComplete: Bool)>
  private let completion: @Sendable ([EncodedReply]) -> Void

  init(_ made: [EncodedReply?], completion: @escaping @Sendable ([EncodedReply]) -> Void) {
    replies = Mutex((made, false))
    self.completion = completion
  }

  func set(_ index: Int, _ reply: EncodedReply) {
    finish { $0[index] = reply }
  }

  /// Where none is missing, there is nothing to wait for.
  func begin() { finish { _ in } }

  private func finish(_ change: (inout [EncodedReply?]) -> Void) {
    let all = replies.withLock { replies -> [EncodedReply]? in
      change(&replies.made)
      let made = replies.made.compactMap { $0 }
      guard made.count == replies.made.count, !replies.isComplete else { return nil }
      replies.isComplete = true
      return made
    }
    if let all { completion(all) }
  }
}
