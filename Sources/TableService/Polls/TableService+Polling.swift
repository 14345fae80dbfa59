import Definitions
import Foundation
import HTTPServer
import TableEngine
import TableModel

extension TableService {
  func poll(_ call: TableCall) throws(ServiceError) -> Reply {
    let parsed = call.parsed
    let wait = try parsed.wait.get()
    // Other polls are told below what is wrong with them.
    if parsed.asksForFound || parsed.hasSlot || call.isLate, let after = try parsed.after.get() {
      _ = try parsed.lens.get()
      if parsed.asksForFound {
        let query = TableQuery(.changes(after: after), try call.lens(after: after))
        guard !call.table.isUnanswerable(query) else { throw .unsearchable }
        guard !call.table.isUnanswerable(query, isLate: call.isLate, waits: wait > 0) else { throw .unreadable }
      }
      if call.isLate {
        guard wait > 0 else { throw .unreadable }
        return unchanged(call, at: after)
      }
    }
    if parsed.hasSlot, let slot = call.request.query.first("slot") {
      guard try parsed.lens.get().find == nil else {
        throw .malformed("A poll with a `slot` is for what all see alike: it takes no search.", field: "slot")
      }
      return try slotPoll(call, slot: slot)
    }
    let share = call.waitingShare(callerLimits)
    let make = { [self] () throws(ServiceError) -> Poll in
      let after = try parsed.after.get()
      let query = TableQuery(.changes(after: after), try call.lens(after: after))
      let caller = WaitingCaller(call.request, call.state, of: self)
      let awaitsMenus = try parsed.lens.get().find != nil && query.lens.find == nil
      return PollQuestion.asked(by: call, of: caller, query, awaitsMenus: awaitsMenus).poll(of: caller, share: share)
    }
    // Requests with the same bytes may be of different callers: where those are counted, each has its own.
    let poll = share == nil ? try parsed.poll(of: call.table, call.state, make) : try make()
    let query = poll.question.query
    let patience = query.after == nil || !call.mayWait ? 0 : max(wait - call.waited, 0)
    guard call.table.isFound(query) else {
      // Long work does not belong on an event loop.
      let exchange = call.exchange
      call.table.find(query, for: ReplyAsker(exchange.asker), waits: patience > 0) {
        exchange.finish(poll.allowed(poll.begin(exchange, wait: patience)))
      }
      return .later
    }
    return poll.begin(call.exchange, wait: patience)
  }

  /// The answer to a poll from a cursor that only the store knows, which does not say: it is told to ask again.
  private func unchanged(_ call: TableCall, at after: Cursor) -> Reply {
    let (exchange, scope, codings) = (call.exchange, call.scope, call.request.acceptedCodings)
    let link = HeaderField(.link, "<\(call.table.path)/changes?after=\(after)\(call.parsed.next)>; rel=\"next\"")
    call.table.unchanged(at: after, for: ReplyAsker(exchange.asker)) { made in
      var response = made.representation(scope).response(accepting: codings)
      response.additional += [link, HeaderField(.retryAfter, "1")]
      exchange.finish(response)
    }
    return .later
  }

  /// How long a caller's token lets it wait, in seconds from when that is asked; nil: it doesn't end.
  func tokenPatience(of request: Request, _ state: ServiceState) -> @Sendable () -> Double? {
    let credentials = state.authorizer.credentials(of: request)
    guard state.authorizer.timeLeft(of: credentials) != nil else { return { nil } }
    return { [weak self] in self?.state.authorizer.timeLeft(of: credentials) }
  }

  func stream(_ call: TableCall) throws(ServiceError) -> Reply {
    let request = call.request
    let last = request.header(.lastEventID).flatMap { $0.isEmpty ? nil : $0 }
    let after = try (last ?? request.query.first("after")).map { text throws(ServiceError) in
      try Cursor(parameter: text, field: last == nil ? "after" : "Last-Event-ID")
    }
    let lens = try call.lensRequest
    try call.table.checkFinding(lens.find)
    if lens.find != nil {
      let query = TableQuery(.changes(after: after), call.table.lens(lens, after: after))
      guard !call.table.isUnanswerable(query) else { throw .unsearchable }
    }
    let share = call.waitingShare(callerLimits)
    try share?.take()
    let stream = TableStream(
      table: call.table,
      lens: lens,
      after: after,
      share: share,
      endings: tokenEndings,
      patience: tokenPatience(of: request, call.state)(),
      caller: WaitingCaller(request, call.state, of: self)
    )
    return .stream(TableStream.head(call.scope), stream)
  }
}

extension TableService {
  /// A poll with a `slot`, of a table and a lens that don't depend on the client.
  func slotPoll(_ call: TableCall, slot text: String) throws(ServiceError) -> Reply {
    guard call.table.isForEdges, call.scope.isPublic else {
      throw .malformed(
        "The table `\(call.table.name)` is not polled through caches: poll it with `wait`.",
        field: "slot"
      )
    }
    for name in ["wait", "view"] where call.request.query.first(name) != nil {
      throw .malformed("`\(name)` and `slot` exclude each other: a slot is the same for all.", field: name)
    }
    guard let slot = Int64(text), slot >= 0, String(slot) == text else {
      throw .malformed("`slot` is the number that the last reply named; 0 for the first poll.", field: "slot")
    }
    guard let after = try call.parsed.after.get() else {
      throw .malformed("A poll with `slot` begins at a snapshot's cursor: `after`.", field: "after")
    }
    let query = TableQuery(.changes(after: after), try call.lens(after: after))
    let caller = WaitingCaller(call.request, call.state, of: self)
    let share = call.waitingShare(callerLimits)
    let poll = SlotPoll(call, query, share: share, caller: caller) { [weak self] in self?.isDraining ?? true }
    return poll.begin(call.exchange, slot: slot, PollSlots(at: Date().timeIntervalSince1970))
  }
}
