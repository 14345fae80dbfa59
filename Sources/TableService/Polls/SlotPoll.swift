import Foundation
import HTTPServer
import JSON
import TableEngine
import TableModel

/// A long poll through caches (`changes?after=CURSOR&slot=K`): it waits until the slot is over instead of a time of its
/// own, so that whoever joins asks the same, and caches forward one request for all.
final class SlotPoll: Waiter {
  private let table: LiveTable
  /// As it was asked.
  private let asked: TableQuery
  private let codings: AcceptedCodings
  private let scope: ReplyScope
  private let caller: WaitingCaller
  /// The caller's share of waiters, where it is limited.
  private let share: WaitingShare?
  /// The service is ending: no cache shall keep what it says now.
  private let isDraining: @Sendable () -> Bool

  init(
    _ call: TableCall,
    _ query: TableQuery,
    share: WaitingShare?,
    caller: WaitingCaller,
    isDraining: @escaping @Sendable () -> Bool
  ) {
    (table, asked, self.share) = (call.table, query, share)
    (self.caller, self.isDraining) = (caller, isDraining)
    codings = call.request.acceptedCodings
    // Editors and readers have cursors of their own. With the other's cursor the reply is a reset, which no cache keeps.
    scope = call.scope.ofCursors
  }

  private init(_ poll: SlotPoll, of next: LiveTable) {
    (table, scope) = (next, poll.scope.of(next))
    (asked, codings) = (poll.asked, poll.codings)
    (share, caller, isDraining) = (poll.share, poll.caller, poll.isDraining)
  }

  /// As it is to be answered by the configuration that counts now.
  private var query: TableQuery { caller.query(asked, of: table) }

  func begin(_ exchange: Exchange, slot: Int64, _ slots: PollSlots) -> Reply {
    if let successor { return successor.begin(exchange, slot: slot, slots) }
    let query = query
    guard table.isFound(query) else {
      // Long work does not belong on an event loop.
      table.find(query, for: ReplyAsker(exchange.asker)) { [self] in
        exchange.finish(answer(exchange, slot: slot, slots))
      }
      return .later
    }
    return answer(exchange, slot: slot, slots)
  }

  private func answer(_ exchange: Exchange, slot: Int64, _ slots: PollSlots) -> Reply {
    if let reply = moved(exchange) { return reply }
    // Only the present slot is waited in: another one is old, or nobody has been told of it.
    guard slot == slots.present else { return reply(exchange, next: slots.present) }
    do throws(ServiceError) { try share?.take() } catch { return .response(error.response) }
    return wait(exchange, timeout: .seconds(slots.remaining, until: caller.patience))
  }

  /// - Parameter timeout: nil: what is left of the time.
  private func wait(_ exchange: Exchange, timeout: Duration?) -> Reply {
    table.beginWaiting(asked.lens, after: asked.after)
    // Nobody would wake it for what has come between the look and the registration.
    if asked.lens.wakesByItself, let reply = moved(exchange) {
      abandoned()
      return reply
    }
    return .wait(Wait(topics: table.topics(asked.lens).map(Topic.init), timeout: timeout, waiter: self))
  }

  func woken(_ exchange: Exchange) -> Reply? {
    if let successor {
      table.endWaiting(asked.lens)
      if let reply = successor.moved(exchange) {
        share?.giveBack()
        return reply
      }
      return successor.wait(exchange, timeout: nil)
    }
    guard let reply = moved(exchange) else { return nil }
    abandoned()
    return reply
  }

  /// The same poll, where another table is in this one's place.
  private var successor: SlotPoll? {
    guard let next = caller.successor(of: table, caller.ending(of: table)), next.isForEdges,
      !table.isBarred(from: next, asked)
    else { return nil }
    return SlotPoll(self, of: next)
  }

  func timedOut(_ exchange: Exchange) -> Reply {
    abandoned()
    if let refusal = caller.refusal(table) { return .response(refusal.response) }
    if let successor { return successor.last(exchange) }
    return last(exchange)
  }

  private func last(_ exchange: Exchange) -> Reply {
    // The timer may be some milliseconds early; the slot that is asked for next must not be this one.
    let slots = PollSlots(at: Date().timeIntervalSince1970)
    return moved(exchange) ?? reply(exchange, next: slots.remaining < 1 ? slots.next : slots.present)
  }

  func abandoned() {
    table.endWaiting(asked.lens)
    share?.giveBack()
  }

  private func moved(_ exchange: Exchange) -> Reply? {
    if let refusal = caller.refusal(table) { return .response(refusal.response) }
    switch caller.ending(of: table) {
    case .refused(let error)?: return .response(ServiceError(error).response)
    case .withoutNews? where !table.isMember: return unmoved(exchange)
    case .withoutNews?, .replaced?: return reply(exchange, next: PollSlots(at: Date().timeIntervalSince1970).present)
    // Its next request is shown the table in another language.
    case nil where caller.successor(of: table, nil) != nil:
      return reply(exchange, next: PollSlots(at: Date().timeIntervalSince1970).present)
    case nil: break
    }
    guard !table.state(for: query).isCurrent else { return nil }
    return reply(exchange, next: PollSlots(at: Date().timeIntervalSince1970).present)
  }

  /// The client is where it was: its next request finds what its caller is shown from now on.
  private func unmoved(_ exchange: Exchange) -> Reply {
    guard let after = asked.after else { return .response(ServiceError.unreadable.response) }
    let slot = PollSlots(at: Date().timeIntervalSince1970).present
    table.unchanged(at: after, for: ReplyAsker(exchange.asker)) { [self] made in
      exchange.finish(response(made, next: slot))
    }
    return .later
  }

  private func reply(_ exchange: Exchange, next slot: Int64) -> Reply {
    let query = query
    table.render(query, for: ReplyAsker(exchange.asker)) { [self] made in
      if let refusal = caller.refusal(table) { return exchange.finish(refusal.response) }
      let isUnanswerable = table.isUnanswerable(query, by: made, hasWaited: false)
      exchange.finish(isUnanswerable ? ServiceError.unreadable.response : response(made, next: slot))
    }
    return .later
  }

  /// Returns a response that caches may keep as long as the same request would get it: a reply with stages is the same
  /// for ever, an empty one only until something happens, and resets and last words are nobody else's.
  private func response(_ made: EncodedReply, next slot: Int64) -> Response {
    let isUncertain = isDraining() || caller.isUnderAnother
    let cacheControl =
      made.isReset || isUncertain ? "no-store" : made.isEmpty ? "public, max-age=1" : "public, max-age=60"
    let representation = made.representation(scope, slot: slot, cacheControl: cacheControl)
    var response = representation.response(accepting: codings)
    response.additional.append(
      HeaderField(.link, "<\(table.path)/changes?after=\(made.cursor)&slot=\(slot)>; rel=\"next\"")
    )
    return response
  }
}
