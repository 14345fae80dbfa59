import Definitions
import HTTPServer
import TableEngine
import TableModel

extension TableService {
  func multiPoll(_ call: Call) throws(ServiceError) -> Reply {
    let wait = try call.parsed.wait.get()
    // Requests with the same bytes may be of different callers: where these are counted, or tables are their own, each has
    // its own.
    let share = callerLimits.waitingShare(of: call)
    let isOpen = share == nil && !call.state.authorizer.isRestricted(.read)
    let poll: MultiPoll
    if isOpen, let known = call.parsed.multiPoll(under: call.state) {
      poll = known
    } else {
      let (made, isShared) = try makeMultiPoll(call, share)
      if isOpen, isShared { call.parsed.note(made, under: call.state) }
      poll = made
    }
    return begin(poll, call, wait)
  }

  /// - Parameter found: the first members, of which what they look for has been found.
  private func begin(_ poll: MultiPoll, _ call: Call, _ wait: Double, found: Int = 0) -> Reply {
    if wait > 0, poll.isSettled { return poll.begin(call.exchange, wait: wait) }
    for place in poll.members.indices.dropFirst(found) where !poll.members[place].isFound {
      let (exchange, member) = (call.exchange, poll.members[place])
      member.table.find(member.query, for: ReplyAsker(exchange.asker)) {
        exchange.finish(self.begin(poll, call, wait, found: place + 1))
      }
      return .later
    }
    // A table whose upstream is awaited keeps nobody from what the others have to tell.
    let patience = poll.members.contains(where: \.table.isAwaitingUpstream) ? min(wait, FirstFetch.patience) : wait
    let behind = poll.members.filter {
      $0.table.isBehind(LensRequest(view: $0.query.lens.view), after: $0.query.after, waits: wait > 0)
    }
    guard !behind.isEmpty else { return poll.begin(call.exchange, wait: patience) }
    let read = behind.map { BarrierWait.Member(table: $0.table, view: $0.query.lens.view) }
    return BarrierWait(of: read, server) { [self] exchange, outcome in
      // Other tables have come in the place of some, and may not show yet what these were found to.
      if outcome != .late, let successor = poll.successor {
        return begin(successor, Call(call.request, call.parsed, call.match, exchange, state: call.state), wait)
      }
      // Members with cursors go on waiting for the others' versions; nobody is reset.
      guard outcome != .late, !poll.isUnanswerable(waits: wait > 0) else {
        return .response(ServiceError.unreadable.response)
      }
      return poll.begin(exchange, wait: patience)
    }.begin(isAskedFor: wait > 0)
  }

  /// - Returns: the poll, and whether it is the same for all who ask with these bytes.
  private func makeMultiPoll(_ call: Call, _ share: WaitingShare?) throws(ServiceError) -> (MultiPoll, Bool) {
    let lens = try call.parsed.lens.get()
    var (members, troubles): ([MultiPoll.Member], [MultiPoll.Trouble]) = ([], [])
    var budget = MemberBudget()
    var (seen, plain): (Set<SeenTable>, Set<ObjectIdentifier>) = ([], [])
    // Under two spellings, as a family's member may be.
    var twice: String?
    let pairs = try pairs(call.request)
    // A token that is nobody's is refused as a whole: with another one all of it would be answered.
    let names = pairs.compactMap { $0.reference?.name }
    let credentials = call.state.authorizer.credentials(of: call.request)
    if let refusal = call.state.authorizer.refusal(ofCredentials: credentials, for: names) { throw refusal }
    let haveLenses = pairs.contains { $0.members != nil }
    members.reserveCapacity(pairs.count)
    for pair in pairs {
      do throws(ServiceError) {
        guard let reference = pair.reference else {
          // Strangers are not told more than of other tables.
          try call.state.authorizer.authorize(call.request, .read, table: String(pair.table))
          throw .unreadableName(pair.table)
        }
        let table = try call.readable(reference, &budget)
        let after = pair.cursor.isEmpty ? nil : try Cursor(parameter: String(pair.cursor))
        var own = try pair.lens(in: lens)
        own.view = call.state.authorizer.viewName(own.view, of: call.request)
        own.mayEdit = call.state.authorizer.mayEdit(call.request, table)
        try table.checkFinding(own.find, field: pair.members == nil ? nil : "after")
        let query = TableQuery(.changes(after: after), table.lens(own, after: after))
        if pair.members == nil, !plain.insert(ObjectIdentifier(table)).inserted { twice = table.name }
        let (view, rows, find) = (query.lens.view, query.lens.rows, query.lens.find)
        let seenAs = SeenTable(name: table.name, view: view, rows: rows, find: find)
        guard !haveLenses || seen.insert(seenAs).inserted else {
          throw .malformed(
            "The table `\(table.name)` stands twice with one lens: each is named once, or seen otherwise.",
            field: "after"
          )
        }
        let awaitsMenus = own.find != nil && query.lens.find == nil
        members.append(MultiPoll.Member(pair: pair, table: table, query: query, awaitsMenus: awaitsMenus))
      } catch {
        let name = pair.reference?.canonical ?? String(pair.table)
        troubles.append(MultiPoll.Trouble(pair: pair, table: name, error: error))
      }
    }
    if let twice { throw .standsTwice(twice) }
    let poll = MultiPoll(
      members,
      troubles,
      call,
      joinedReplies,
      server,
      share: share,
      caller: WaitingCaller(call.request, call.state, of: self),
      patience: tokenPatience(of: call.request, call.state),
      ending: { [weak self] in self?.state.authorizer.refusal(ofCredentials: credentials, for: names) }
    )
    return (poll, troubles.isEmpty && !members.contains(where: \.table.isMember))
  }

  /// A table with its lens, which may stand once.
  private struct SeenTable: Hashable {
    var name: String
    var view: String?
    var rows: WindowRange?
    var find: FindSearch?
  }

  /// The pairs of `after=TABLE:CURSOR`; of those without a lens of their own, each table once.
  private func pairs(_ request: Request) throws(ServiceError) -> [FollowedPair] {
    let texts = request.query.all("after")
    guard (1...MultiPoll.maximum).contains(texts.count) else {
      throw .malformed(
        "`after=TABLE:CURSOR` stands 1 to \(MultiPoll.maximum) times, once for each table; here \(texts.count) times.",
        field: "after"
      )
    }
    var pairs: [FollowedPair] = []
    pairs.reserveCapacity(texts.count)
    var plain: Set<TableReference> = []
    for (number, text) in texts.enumerated() {
      guard let pair = FollowedPair(text, number: number) else {
        throw .malformed("`\(String(text.unicodeScalars.prefix(200)))` is not TABLE:CURSOR.", field: "after")
      }
      if pair.members == nil, let reference = pair.reference, !plain.insert(reference).inserted {
        throw .standsTwice(reference.canonical)
      }
      pairs.append(pair)
    }
    return pairs
  }
}

extension MultiPoll.Member {
  /// Its search has its result already.
  fileprivate var isFound: Bool { table.isFound(query) }
}
