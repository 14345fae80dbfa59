import HTTPServer
import Synchronization
import TableEngine
import TableModel

/// A long poll of one table: what is left of the request while it waits, and of all requests like it.
final class Poll: Waiter {
  let table: LiveTable
  /// As it was asked.
  let asked: TableQuery
  /// The configuration under which its client was let in.
  let state: ServiceState
  /// All that is kept of the request: what it was made of may be larger than everything else here.
  private let codings: AcceptedCodings
  private let scope: ReplyScope
  /// It is answered in the language that comes first.
  private let isInAnyLanguage: Bool
  /// The query behind the cursor in the `Link` to the next poll: `&wait=20`.
  private let next: String
  private let caller: WaitingCaller
  /// How long its caller's token lets it wait, from now on; nil: the token doesn't end.
  private let patience: @Sendable () -> Double?
  /// The caller's share of waiters, where it is limited.
  private let share: WaitingShare?
  /// The same poll of the table that is in this one's place, for all who wait with this one.
  private let heir = Mutex<Poll?>(nil)
  /// The last response, as it goes out: those who are woken together mostly want the same.
  private let last = Mutex<(cursor: Cursor, response: Response)?>(nil)

  init(
    _ call: TableCall,
    _ query: TableQuery,
    share: WaitingShare?,
    patience: @escaping @Sendable () -> Double?,
    caller: WaitingCaller
  ) {
    (self.share, self.patience) = (share, patience)
    (table, asked, state, scope, self.caller) = (call.table, query, call.state, call.scope, caller)
    (codings, next, isInAnyLanguage) = (call.request.acceptedCodings, call.parsed.next, call.isInAnyLanguage)
  }

  private init(_ poll: Poll, of next: LiveTable) {
    isInAnyLanguage = poll.isInAnyLanguage
    table = isInAnyLanguage ? next.untranslated : next
    scope = poll.scope.of(table)
    (asked, state, codings, self.next) = (poll.asked, poll.state, poll.codings, poll.next)
    (share, patience, caller) = (poll.share, poll.patience, poll.caller)
  }

  /// As it is to be answered: by a configuration that was read meanwhile the caller may edit what it could not, or the other way
  /// round.
  private var query: TableQuery { caller.query(asked, of: table) }

  /// Answers at once where the client is behind or does not want to wait; else waits.
  ///
  /// - Parameter wait: seconds; nil: what is left of the time.
  func begin(_ exchange: Exchange, wait: Double?) -> Reply {
    let ending = table.ending
    if let successor = successor(ending) { return successor.begin(exchange, wait: wait) }
    if let reply = moved(exchange, ending) { return reply }
    if let wait, wait <= 0 { return unchanged(exchange) }
    do throws(ServiceError) { try share?.take() } catch { return .response(error.response) }
    let codings = codings.worthPreparing
    let scope = scope
    table.willWait(
      PollKind(lens: asked.lens, variant: codings.map(\.name).joined()) { reply in
        reply.representation(scope).prepare(codings)
      }
    )
    table.beginWaiting(asked.lens)
    let topics = table.topics(asked.lens).map(Topic.init)
    return .wait(Wait(topics: topics, timeout: wait.map { .seconds($0, until: patience()) }, waiter: self))
  }

  func woken(_ exchange: Exchange) -> Reply? {
    if let refusal = caller.refusal(table) {
      abandoned()
      return .response(refusal.response)
    }
    let ending = table.ending
    if let successor = successor(ending) {
      abandoned()
      return successor.begin(exchange, wait: nil)
    }
    guard let reply = moved(exchange, ending) else { return nil }
    abandoned()
    return reply
  }

  func answeredAlike() { abandoned() }

  func timedOut(_ exchange: Exchange) -> Reply {
    abandoned()
    if let refusal = caller.refusal(table) { return .response(refusal.response) }
    let poll = successor(table.ending) ?? self
    return poll.moved(exchange, poll.table.ending) ?? poll.unchanged(exchange)
  }

  /// Returns the poll of the table that has taken this one's place.
  private func successor(_ ending: WaitEnding?) -> Poll? {
    guard case .replaced(let next)? = ending else { return nil }
    return heir.withLock { heir in
      if let heir { return heir }
      let poll = Poll(self, of: next)
      heir = poll
      return poll
    }
  }

  func abandoned() {
    table.endWaiting(asked.lens)
    share?.giveBack()
  }

  /// There is nothing new, but in a window the version may have moved on all the same.
  private func unchanged(_ exchange: Exchange) -> Reply {
    let query = query
    return reply(exchange, query, at: table.state(for: query).to)
  }

  /// The reply, where the table is not where the client is; nil where it is.
  private func moved(_ exchange: Exchange, _ ending: WaitEnding?) -> Reply? {
    switch ending {
    case .refused(let error)?: return .response(ServiceError(error).response)
    case .withoutNews?, .replaced?: return unchanged(exchange)
    // A member made anew has nothing to show yet.
    case nil where table.isAwaitingUpstream: return nil
    case nil: break
    }
    // By a configuration that was read meanwhile there may be other filters.
    do throws(ServiceError) { try table.checkFinding(asked.lens.find) } catch { return .response(error.response) }
    let query = query
    let state = table.state(for: query)
    return state.isCurrent ? nil : reply(exchange, query, at: state.to)
  }

  private func reply(_ exchange: Exchange, _ query: TableQuery, at cursor: Cursor) -> Reply {
    if let last = last.withLock({ $0 }), last.cursor == cursor { return .response(last.response) }
    guard let made = table.readyReply(query, to: cursor), made.representation(scope).isPrepared(for: codings) else {
      table.render(query, for: ReplyAsker(exchange.asker)) { [self] made in exchange.finish(answer(made)) }
      return .later
    }
    let response = answer(made).serialized()
    if made.body.count <= Self.remembered { last.withLock { $0 = (cursor, response) } }
    return .response(response)
  }

  /// Larger responses are not kept by each who polls.
  private static let remembered = 64 << 10

  private func answer(_ made: EncodedReply) -> Response {
    var response = made.representation(scope).response(accepting: codings)
    response.additional.append(
      HeaderField(.link, "<\(table.path)/changes?after=\(made.cursor)\(next)>; rel=\"next\"")
    )
    return response
  }
}

extension Duration {
  /// So many seconds, but no longer than a token lasts: then what waits ends when it is over, and not before.
  static func seconds(_ wait: Double, until end: Double?) -> Duration {
    .seconds(end.map { min(wait, max($0, 0) + 0.02) } ?? wait)
  }
}

extension AcceptedCodings {
  /// The codings worth preparing for clients such as this one.
  var worthPreparing: [ContentCoding] { ordered.first.map { $0 == .identity ? [] : [$0] } ?? [] }
}
