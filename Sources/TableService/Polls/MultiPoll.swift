import Definitions
import Dispatch
import HTTPServer
import Synchronization
import TableEngine
import TableModel

/// A long poll of several tables at once (`GET /v1/changes`): what is left of the request while it waits, and of all
/// requests like it.
final class MultiPoll: Waiter {
  static let maximum = 64

  struct Member: Sendable {
    var pair: FollowedPair
    var table: LiveTable
    /// As it was asked.
    var query: TableQuery
    /// It asks for menus, which the table had not when it was asked.
    var awaitsMenus: Bool

    /// The number of the pair in the reply's entry, where the table's name alone is ambiguous.
    var number: Int? { pair.members == nil ? nil : pair.number }

    /// Why its search can't be made for now, where its client has nothing to wait with; nil where it can.
    var unavailability: ServiceError? {
      query.lens.find != nil && table.isUnanswerable(query) ? .unsearchable : nil
    }

    /// Refuses a search that a configuration read since no longer offers; nil where the table offers it.
    var searchRefusal: ServiceError? {
      do throws(ServiceError) {
        try table.checkFinding(query.lens.find, field: pair.members == nil ? nil : "after")
        return nil
      } catch {
        return error
      }
    }
  }

  /// A table that can't be followed, and why.
  struct Trouble: Sendable {
    var pair: FollowedPair
    /// The table's name.
    var table: String
    var error: ServiceError

    var number: Int? { pair.members == nil ? nil : pair.number }
  }

  /// A table that isn't where the client is, by its place among the members, and where it is.
  struct Move: Equatable {
    var member: Int
    var to: Cursor
  }

  let members: [Member]
  private let troubles: [Trouble]
  let codings: AcceptedCodings
  let scope: ReplyScope
  let joinedReplies: JoinedReplies
  /// The query behind the cursors in the `Link` to the next poll.
  let next: String
  let caller: WaitingCaller
  /// How long its caller's token lets it wait, from now on; nil: the token doesn't end.
  private let patience: @Sendable () -> Double?
  /// Why its caller's token is no longer one: then all of it is refused.
  let ending: @Sendable () -> ServiceError?
  /// The caller's share of waiters, where it is limited.
  private let share: WaitingShare?
  /// The topics of all its tables and views, each once.
  let topics: [Topic]
  /// One of its lenses is woken by what changes in it alone.
  private let wakesByItself: Bool
  let server: WakingServer
  /// All topics under one, and how many wait with this poll.
  let waiting = Mutex<(bundle: TopicBundle?, group: WaiterGroup)>((nil, WaiterGroup()))
  /// When all tables were last found to be where the client is, by the server's count.
  let settled = Mutex<UInt64?>(nil)
  /// The same poll, where other tables are in the place of some of these: for all who wait with this one.
  private let heir = Mutex<MultiPoll?>(nil)
  /// The last response, as it goes out: those who are woken together mostly want the same.
  let last = Mutex<(moves: [Move], response: Response)?>(nil)

  init(
    _ members: [Member],
    _ troubles: [Trouble],
    _ call: Call,
    _ joinedReplies: JoinedReplies,
    _ server: WakingServer,
    share: WaitingShare?,
    caller: WaitingCaller,
    patience: @escaping @Sendable () -> Double?,
    ending: @escaping @Sendable () -> ServiceError?
  ) {
    (self.patience, self.ending, self.server) = (patience, ending, server)
    (self.members, self.troubles, self.joinedReplies, self.share) = (members, troubles, joinedReplies, share)
    (codings, next, self.caller) = (call.request.acceptedCodings, call.parsed.next, caller)
    let authorizer = call.state.authorizer
    let forwards = Set(members.lazy.flatMap(\.table.forwards)).sorted()
    scope = ReplyScope(
      forwards: forwards,
      isTokenHolders: authorizer.isRestricted(.read),
      distinguishesEditors: authorizer.distinguishesEditors && members.contains(where: \.table.offersEdits),
      locale: call.locale
    )
    topics = Self.topics(of: members)
    wakesByItself = members.contains(where: \.query.lens.wakesByItself)
  }

  private init(_ poll: MultiPoll, of members: [Member]) {
    (self.members, troubles) = (members, poll.troubles)
    (codings, joinedReplies) = (poll.codings, poll.joinedReplies)
    scope = members.first.map { poll.scope.of($0.table) } ?? poll.scope
    (next, share, caller, server) = (poll.next, poll.share, poll.caller, poll.server)
    (patience, ending) = (poll.patience, poll.ending)
    topics = Self.topics(of: members)
    wakesByItself = members.contains(where: \.query.lens.wakesByItself)
  }

  /// As a member is to be answered by the configuration that counts now.
  func query(of member: Member, for now: JudgedCaller? = nil) -> TableQuery {
    let query = member.awaitsMenus ? member.table.withMenus(member.query) : member.query
    return (now ?? caller.now).query(query, of: member.table)
  }

  /// Each once: tables may share a view, and lenses a table.
  private static func topics(of members: [Member]) -> [Topic] {
    var topics: [Topic] = []
    topics.reserveCapacity(members.count + 1)
    var seen: Set<Topic> = []
    for topic in members.lazy.flatMap({ $0.table.topics($0.query.lens) }) {
      if seen.insert(Topic(topic)).inserted { topics.append(Topic(topic)) }
    }
    return topics
  }

  /// - Parameter wait: seconds; nil: what is left of the time.
  func begin(_ exchange: Exchange, wait: Double?) -> Reply {
    if let wait, wait <= 0 {
      if let successor { return successor.begin(exchange, wait: wait) }
      return isUnanswerable(waits: false) ? .response(ServiceError.unreadable.response) : last(exchange, troubles)
    }
    // Taken before anything is looked at: what changes from then on wakes it, if somebody is known to wait for what changes.
    let topic = bundle()
    if wakesByItself { beginWaiting() }
    if !isSettled {
      let count = server.wakeCount
      let outcome = outcome(exchange, troubles)
      if wakesByItself, outcome.isOver { endWaiting() }
      switch outcome {
      case .reply(let reply): return reply
      case .replaced(let successor): return successor.begin(exchange, wait: wait)
      case .nothing: noteSettled(at: count)
      }
    }
    do throws(ServiceError) { try share?.take() } catch {
      if wakesByItself { endWaiting() }
      return .response(error.response)
    }
    if !wakesByItself { beginWaiting() }
    return .wait(Wait(topics: [topic], timeout: wait.map { .seconds($0, until: patience()) }, waiter: self))
  }

  func woken(_ exchange: Exchange) -> Reply? {
    if let refusal = ending() {
      abandoned()
      return .response(refusal.response)
    }
    let outcome = outcome(exchange, [])
    if outcome.isOver { abandoned() }
    switch outcome {
    case .reply(let reply): return reply
    case .replaced(let successor): return successor.begin(exchange, wait: nil)
    case .nothing: return nil
    }
  }

  func answeredAlike() { abandoned() }

  func timedOut(_ exchange: Exchange) -> Reply {
    abandoned()
    if let refusal = ending() { return .response(refusal.response) }
    let present = successor ?? self
    guard !present.isUnanswerable(waits: true) else { return .response(ServiceError.unreadable.response) }
    return present.last(exchange, [])
  }

  /// Returns whether nobody can tell what is new of one of the tables, and that is no answer.
  func isUnanswerable(waits: Bool) -> Bool {
    members.contains { member in
      // What is one pair's alone is its problem.
      member.unavailability == nil && member.table.isUnanswerable(member.query, isLate: false, waits: waits)
    }
  }

  func abandoned() {
    endWaiting()
    share?.giveBack()
  }

  /// The same poll, where other tables are in the place of some of these.
  var successor: MultiPoll? {
    var replaced: [(member: Int, table: LiveTable)] = []
    for (index, member) in members.enumerated() {
      guard let next = caller.successor(of: member.table, caller.ending(of: member.table)),
        !member.table.isBarred(from: next, member.query)
      else { continue }
      replaced.append((index, next))
    }
    guard !replaced.isEmpty else { return nil }
    var members = members
    for (index, table) in replaced { members[index].table = table }
    return heir.withLock { heir in
      if let heir, zip(heir.members, members).allSatisfy({ $0.table === $1.table }) { return heir }
      let poll = MultiPoll(self, of: members)
      heir = poll
      return poll
    }
  }

  // MARK: What there is to tell

  /// The reply at the end of the wait: windows and searches may have moved on without anything new in them.
  func last(_ exchange: Exchange, _ troubles: [Trouble]) -> Reply {
    let news = news(troubles)
    return gather(news.all, news.troubles, exchange)
  }

  private enum Outcome {
    /// A table has moved, or can't be followed.
    case reply(Reply)
    /// Other tables are in the place of some.
    case replaced(by: MultiPoll)
    case nothing

    var isOver: Bool { if case .nothing = self { false } else { true } }
  }

  /// Looks whether the wait is over.
  private func outcome(_ exchange: Exchange, _ troubles: [Trouble]) -> Outcome {
    if let successor { return .replaced(by: successor) }
    let news = news(troubles)
    // Another table may have come since.
    if news.isOver, let successor { return .replaced(by: successor) }
    guard news.isOver || !news.waking.isEmpty || !news.troubles.isEmpty else { return .nothing }
    return .reply(gather(news.waking, news.troubles, exchange))
  }

  private struct News {
    /// Tables that aren't where the client is, whether it has to know that at once or not.
    var all: [Move] = []
    /// The moves that end the wait.
    var waking: [Move] = []
    var troubles: [Trouble]
    /// The wait is over, whatever there is to tell.
    var isOver = false
  }

  private func news(_ troubles: [Trouble]) -> News {
    var news = News(troubles: troubles)
    let now = caller.now
    for (index, member) in members.enumerated() {
      // First: by a configuration that is read now the caller may not see what the table becomes.
      let state = member.table.state(for: query(of: member, for: now))
      if let error = caller.refusal(member.table) {
        news.troubles.append(Trouble(pair: member.pair, table: member.table.name, error: error))
        continue
      }
      if let error = member.searchRefusal ?? member.unavailability {
        news.troubles.append(Trouble(pair: member.pair, table: member.table.name, error: error))
        continue
      }
      let ending = caller.ending(of: member.table)
      switch ending {
      case .refused(let error)?:
        news.troubles.append(Trouble(pair: member.pair, table: member.table.name, error: ServiceError(error)))
        continue
      // Its rows may not be for its caller any more.
      case .withoutNews? where !member.table.isMember:
        news.isOver = true
        continue
      // Its next request finds another member in its place.
      case .withoutNews?, .replaced?: news.isOver = true
      // In another language.
      case nil where caller.successor(of: member.table, ending) != nil: news.isOver = true
      case nil: break
      }
      let move = Move(member: index, to: state.to)
      if member.query.after != state.to { news.all.append(move) }
      if !state.isCurrent, !member.table.isAwaitingUpstream { news.waking.append(move) }
    }
    return news
  }
}
