import HTTPServer
import Synchronization
import TableEngine
import TableModel

/// The question of a long poll: the table, the query, and the form of the answer. Shared by all polls that ask the same under
/// one configuration, so that thousands of clients whose requests differ in bytes alone cost little more than their connections.
///
/// It knows nothing of callers: what one of them may is with its ``Poll``.
final class PollQuestion: Sendable {
  /// Everything in which questions of one configuration can differ.
  struct Key: Hashable, Sendable {
    var table: ObjectIdentifier
    var query: TableQuery
    var awaitsMenus: Bool
    var codings: [ContentCoding]
    var scope: ReplyScope
    var languages: LanguagePreferences
    var next: String
  }

  typealias Shared = WeakValues<Key, PollQuestion>

  let table: LiveTable
  let query: TableQuery
  /// The configuration under which its clients were let in.
  let state: ServiceState
  let codings: AcceptedCodings
  let scope: ReplyScope
  /// It asks for menus, which the table had not when it was asked.
  private let awaitsMenus: Bool
  /// The query behind the cursor in the `Link` to the next poll: `&wait=20`.
  private let next: String
  /// Nil: it was made of another question.
  private let key: Key?
  /// The same question to the table that is in this one's place, as the last one who waits was found to be led there.
  private let heir = Mutex<PollQuestion?>(nil)
  /// The same question of callers who may edit, or the other way round; or with menus.
  private let other = Mutex<PollQuestion?>(nil)
  /// The poll of all who ask without credentials.
  private let nobodys = Mutex(Nobodys())
  /// The last response, as it goes out: those who are woken together mostly want the same.
  private let last = Mutex<(cursor: Cursor, response: Response)?>(nil)

  private struct Nobodys {
    weak var poll: Poll?
  }

  /// Larger responses are not kept.
  private static let remembered = 64 << 10

  private init(_ call: TableCall, _ query: TableQuery, _ key: Key) {
    (table, self.query, state, codings) = (call.table, query, call.state, call.request.acceptedCodings)
    (scope, next, self.key) = (key.scope, key.next, key)
    awaitsMenus = key.awaitsMenus
  }

  private init(_ question: PollQuestion, of next: LiveTable) {
    (table, scope, awaitsMenus) = (next, question.scope.of(next), question.awaitsMenus)
    (query, state, codings, self.next, key) = (question.query, question.state, question.codings, question.next, nil)
  }

  private init(_ question: PollQuestion, asking query: TableQuery) {
    (table, state, codings, next) = (question.table, question.state, question.codings, question.next)
    (scope, self.query, key, awaitsMenus) = (question.scope, query, nil, question.awaitsMenus)
  }

  deinit { if let key { state.questions.forget(key) } }

  /// Returns the question of a call: the one that others ask already, or a new one.
  ///
  /// - Parameters:
  ///   - caller: the caller of the call, whose languages may lead to another table later.
  ///   - awaitsMenus: it asks for menus, which the table has not yet.
  static func asked(by call: TableCall, of caller: WaitingCaller, _ query: TableQuery, awaitsMenus: Bool)
    -> PollQuestion
  {
    let key = Key(
      table: ObjectIdentifier(call.table),
      query: query,
      awaitsMenus: awaitsMenus,
      codings: call.request.acceptedCodings.ordered,
      scope: call.scope,
      languages: caller.languages,
      next: call.parsed.next
    )
    return call.state.questions.value(for: key) { PollQuestion(call, query, key) }
  }

  /// Returns a caller's poll. Those of callers without credentials that are not counted are one: nothing of it is one client's
  /// own.
  func poll(of caller: WaitingCaller, share: WaitingShare?) -> Poll {
    guard share == nil, caller.isNobody else { return Poll(self, of: caller, share: share) }
    return nobodys.withLock { nobodys in
      if let poll = nobodys.poll { return poll }
      let poll = Poll(self, of: caller, share: nil)
      nobodys.poll = poll
      return poll
    }
  }

  /// The question with the menus that it asks for, if the table has got some since.
  var withMenus: PollQuestion { awaitsMenus ? asking(table.withMenus(query)) : self }

  /// Returns the question with a query that differs at most in whether rows offer edits, or there are menus.
  func asking(_ query: TableQuery) -> PollQuestion {
    if query == self.query { return self }
    return other.withLock { other in
      if let other, other.query == query { return other }
      let question = PollQuestion(self, asking: query)
      other = question
      return question
    }
  }

  /// Returns the question to the table that is in this one's place.
  func successor(at next: LiveTable) -> PollQuestion {
    heir.withLock { heir in
      if let heir, heir.table === next { return heir }
      let question = PollQuestion(self, of: next)
      heir = question
      return question
    }
  }

  /// True if its answer may be another one for callers who may edit.
  var dependsOnEditor: Bool { table.offersEdits || query.lens.isReadOnly }

  // MARK: Answers

  /// There is nothing new, but in a window the version may have moved on all the same. Or nobody can tell, where that is no answer.
  ///
  /// - Parameters:
  ///   - known: the cursor of what it sees, where that was found already.
  ///   - waits: the client has waited for news.
  func unchanged(
    _ exchange: Exchange,
    for caller: WaitingCaller,
    at known: Cursor? = nil,
    waits: Bool = true
  ) -> Reply {
    guard !table.isUnanswerable(query, isLate: false, waits: waits) else {
      return .response(ServiceError.unreadable.response)
    }
    return reply(exchange, for: caller, at: known ?? table.state(for: query).to, hasWaited: waits)
  }

  /// The reply, where the table is not where the client is; nil where it is.
  ///
  /// - Parameter waits: false: there is a reply also where it is, unless the table has nothing to show yet.
  func moved(_ exchange: Exchange, for caller: WaitingCaller, _ ending: WaitEnding?, waits: Bool = true) -> Reply? {
    switch ending {
    case .refused(let error)?: return .response(ServiceError(error).response)
    case .withoutNews? where !table.isMember: return unmoved(exchange)
    case .withoutNews?, .replaced?: return unchanged(exchange, for: caller)
    // A member made anew has nothing to show yet.
    case nil where table.isAwaitingUpstream: return nil
    case nil: break
    }
    // By a configuration that was read meanwhile there may be other filters.
    do throws(ServiceError) { try table.checkFinding(query.lens.find) } catch { return .response(error.response) }
    let state = table.state(for: query)
    guard state.isCurrent else { return reply(exchange, for: caller, at: state.to, hasWaited: false) }
    return waits ? nil : unchanged(exchange, for: caller, at: state.to, waits: false)
  }

  /// The client is where it was, whatever the table has: that is not what its caller is shown from now on, which its next request
  /// finds.
  private func unmoved(_ exchange: Exchange) -> Reply {
    guard let after = query.after else {
      return .response((table.absence.map { ServiceError($0) } ?? .unreadable).response)
    }
    table.unchanged(at: after, for: ReplyAsker(exchange.asker)) { [self] made in exchange.finish(answer(made)) }
    return .later
  }

  /// - Parameters:
  ///   - caller: may not see any more what is made meanwhile, by a configuration that is read then.
  ///   - hasWaited: the client, until its time was over.
  private func reply(_ exchange: Exchange, for caller: WaitingCaller, at cursor: Cursor, hasWaited: Bool) -> Reply {
    if let response = last.withLock({ $0?.cursor == cursor ? $0?.response : nil }) { return .response(response) }
    guard let made = table.readyReply(query, to: cursor), made.representation(scope).isPrepared(for: codings) else {
      table.render(query, for: ReplyAsker(exchange.asker)) { [self] made in
        if let refusal = caller.refusal(table) { return exchange.finish(refusal.response) }
        // What was made since a reload that removed the search shows the plain table.
        do throws(ServiceError) { try table.checkFinding(query.lens.find) } catch {
          return exchange.finish(error.response)
        }
        let isUnanswerable = table.isUnanswerable(query, by: made, hasWaited: hasWaited)
        exchange.finish(isUnanswerable ? ServiceError.unreadable.response : answer(made))
      }
      return .later
    }
    let response = answer(made).serialized()
    if made.body.count <= Self.remembered { last.withLock { $0 = (cursor, response) } }
    return .response(response)
  }

  private func answer(_ made: EncodedReply) -> Response {
    var response = made.representation(scope).response(accepting: codings)
    response.additional.append(
      HeaderField(.link, "<\(table.path)/changes?after=\(made.cursor)\(next)>; rel=\"next\"")
    )
    return response
  }
}
