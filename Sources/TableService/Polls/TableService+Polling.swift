import Definitions
import HTTPServer
import TableEngine
import TableModel

extension TableService {
  func poll(_ call: TableCall) throws(ServiceError) -> Reply {
    let inquiry = call.inquiry
    if call.isLate, let after = try inquiry.after.get() { return unchanged(call, at: after) }
    if let slot = call.request.query.first("slot") { return try slotPoll(call, slot: slot) }
    let wait = try inquiry.wait.get()
    let share = call.waitingShare(callerLimits)
    let make = { [self] () throws(ServiceError) -> Poll in
      let after = try inquiry.after.get()
      let query = TableQuery(.changes(after: after), try call.lens(after: after))
      return Poll(call, query, share: share, recheck: recheck(call.request, call.state, call.table.reference.name))
    }
    // Requests with the same bytes may be of different callers: where those are counted, each has its own.
    let poll = share == nil ? try inquiry.poll(of: call.table, call.state, make) : try make()
    return poll.begin(call.exchange, wait: poll.query.after == nil || !call.mayWait ? 0 : wait)
  }

  /// The answer to a poll from a cursor that only the store knows, which does not say: it is told to ask again.
  private func unchanged(_ call: TableCall, at after: Cursor) -> Reply {
    let (exchange, scope, codings) = (call.exchange, call.scope, call.request.acceptedCodings)
    let link = HeaderField(.link, "<\(call.table.path)/changes?after=\(after)\(call.inquiry.next)>; rel=\"next\"")
    call.table.unchanged(at: after) { made in
      var response = made.representation(scope).response(accepting: codings)
      response.additional += [link, HeaderField(.retryAfter, "1")]
      exchange.finish(response)
    }
    return .later
  }

  /// Whether a client that was let in under one configuration may still read, when there is another one.
  func recheck(_ request: Request, _ state: ServiceState, _ table: String) -> @Sendable () -> ServiceError? {
    // Where reading is open there is nothing to be kept of the request.
    let credentials = state.authorizer.credentials(of: request)
    return { [weak self, weak state] in
      guard let now = self?.state, now !== state else { return nil }
      return now.authorizer.refusal(of: credentials, .read, table: table)
    }
  }

  func multiPoll(_ call: Call) throws(ServiceError) -> Reply {
    let request = call.request
    let wait = try call.inquiry.wait.get()
    let lens = try call.inquiry.lens.get()
    let pairs = try tablesAndCursors(request)
    var (members, troubles): ([MultiPoll.Member], [MultiPoll.Trouble]) = ([], [])
    var budget = MemberBudget()
    // Under two spellings, as a family's member may be.
    var twice: String?
    for pair in pairs {
      do throws(ServiceError) {
        let table = try call.readable(pair.reference, &budget)
        let after = pair.cursor.isEmpty ? nil : try Cursor(parameter: pair.cursor)
        if members.contains(where: { $0.table.name == table.name }) { twice = table.name }
        let query = TableQuery(.changes(after: after), table.lens(lens, after: after))
        let recheck = recheck(request, call.state, table.reference.name)
        members.append(MultiPoll.Member(table: table, query: query, recheck: recheck))
      } catch {
        troubles.append(MultiPoll.Trouble(table: pair.reference.canonical, error: error))
      }
    }
    if let twice {
      throw .malformed("The table `\(twice)` stands twice: each is named once.", field: "after")
    }
    let poll = MultiPoll(members, troubles, call, joinedReplies, share: callerLimits.waitingShare(of: call))
    // A table whose upstream is awaited keeps nobody from what the others have to tell.
    let patience = members.contains(where: \.table.isAwaitingUpstream) ? min(wait, FirstFetch.patience) : wait
    let begin: @Sendable (Exchange, Bool) -> Reply = { exchange, mayWait in
      poll.begin(exchange, wait: mayWait ? patience : 0)
    }
    let behind = members.filter { $0.table.isBehind(lens, after: $0.query.after) }
    guard !behind.isEmpty else { return begin(call.exchange, true) }
    let read = behind.map { Abreast.Member(table: $0.table, view: lens.view) }
    return Abreast(of: read, server) { exchange, outcome in
      // Those that have cursors go on waiting for the others' versions; nobody is set back.
      outcome == .late ? .response(ServiceError.unreadable.response) : begin(exchange, true)
    }.begin()
  }

  /// The pairs of `after=TABLE:CURSOR`, each table once.
  private func tablesAndCursors(_ request: Request) throws(ServiceError) -> [(
    reference: TableReference, cursor: String
  )] {
    let texts = request.query.all("after")
    guard (1...MultiPoll.maximum).contains(texts.count) else {
      throw .malformed(
        "`after=TABLE:CURSOR` stands 1 to \(MultiPoll.maximum) times, once for each table; here \(texts.count) times.",
        field: "after"
      )
    }
    var pairs: [(reference: TableReference, cursor: String)] = []
    for text in texts {
      guard let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")),
        let reference = TableReference(segment: text[..<colon])
      else {
        throw .malformed("`\(text.prefix(200))` is not TABLE:CURSOR.", field: "after")
      }
      guard !pairs.contains(where: { $0.reference == reference }) else {
        throw .malformed("The table `\(reference.canonical)` stands twice: each is named once.", field: "after")
      }
      pairs.append((reference, String(text[text.utf8.index(after: colon)...])))
    }
    return pairs
  }

  func stream(_ call: TableCall) throws(ServiceError) -> Reply {
    let request = call.request
    let last = request.header(.lastEventID).flatMap { $0.isEmpty ? nil : $0 }
    let after = try (last ?? request.query.first("after")).map { text throws(ServiceError) in
      try Cursor(parameter: text, field: last == nil ? "after" : "Last-Event-ID")
    }
    let lens = try call.inquiry.lens.get()
    let share = call.waitingShare(callerLimits)
    try share?.take()
    let stream = TableStream(
      table: call.table,
      lens: lens,
      after: after,
      share: share,
      recheck: recheck(request, call.state, call.table.reference.name)
    )
    return .stream(TableStream.head(call.scope), stream)
  }
}
