import HTTPServer
import TableEngine

/// A long poll of one table: what is left of the request while it waits, and of all requests like it. What it asks, others may
/// ask too; what its caller may is its own.
final class Poll: Waiter {
  /// As it was asked.
  let question: PollQuestion
  private let caller: WaitingCaller
  /// The caller's share of waiters, where it is limited.
  private let share: WaitingShare?

  /// Callers without credentials whose waiters are not counted share one (``PollQuestion/poll(of:share:)``).
  init(_ question: PollQuestion, of caller: WaitingCaller, share: WaitingShare?) {
    (self.question, self.caller, self.share) = (question, caller, share)
  }

  /// As it is to be answered: by a configuration that was read meanwhile the caller may edit what it could not, or the
  /// other way round, and the table may have menus.
  private var present: PollQuestion {
    let question = question.withMenus
    // Beside menus, rights to edit are all that changes what is asked, and another configuration all that changes
    // these.
    guard question.dependsOnEditor, caller.isUnderAnother else { return question }
    return question.asking(caller.query(question.query, of: question.table))
  }

  /// Answers at once where the client is behind or does not want to wait; else waits.
  ///
  /// - Parameter wait: seconds; nil: what is left of the time.
  func begin(_ exchange: Exchange, wait: Double?) -> Reply {
    let table = question.table
    let ending = caller.ending(of: table)
    if let successor = successor(ending) { return goOn(at: successor, exchange, wait: wait) }
    let present = present
    let waits = wait.map { $0 > 0 } ?? true
    if let reply = present.moved(exchange, for: caller, ending, waits: waits) { return reply }
    if !waits { return present.unchanged(exchange, for: caller, waits: false) }
    do throws(ServiceError) { try share?.take() } catch { return .response(error.response) }
    let codings = question.codings.worthPreparing
    let scope = question.scope
    table.willWait(
      PollKind(lens: question.query.lens, variant: codings.map(\.name).joined()) { reply in
        reply.representation(scope).prepare(codings)
      }
    )
    table.beginWaiting(question.query.lens, after: question.query.after)
    // Nobody would wake it for what has come between the look and the registration.
    if question.query.lens.wakesByItself, let reply = present.moved(exchange, for: caller, caller.ending(of: table)) {
      abandoned()
      return reply
    }
    let topics = table.topics(question.query.lens).map(Topic.init)
    return .wait(Wait(topics: topics, timeout: wait.map { .seconds($0, until: caller.patience) }, waiter: self))
  }

  func woken(_ exchange: Exchange) -> Reply? {
    if let refusal = caller.refusal(question.table) {
      abandoned()
      return .response(refusal.response)
    }
    let ending = caller.ending(of: question.table)
    if let successor = successor(ending) {
      abandoned()
      return allowed(goOn(at: successor, exchange, wait: nil))
    }
    guard let reply = present.moved(exchange, for: caller, ending) else { return nil }
    abandoned()
    return allowed(reply)
  }

  func answeredAlike() { abandoned() }

  func timedOut(_ exchange: Exchange) -> Reply {
    abandoned()
    if let refusal = caller.refusal(question.table) { return .response(refusal.response) }
    let present = (successor(caller.ending(of: question.table)) ?? self).present
    let ending = caller.ending(of: present.table)
    return allowed(present.moved(exchange, for: caller, ending) ?? present.unchanged(exchange, for: caller))
  }

  /// The same reply, but where the caller may not see the table by a configuration that was read while it was found.
  func allowed(_ reply: Reply) -> Reply {
    guard case .response = reply, let refusal = caller.refusal(question.table) else { return reply }
    return .response(refusal.response)
  }

  func abandoned() {
    question.table.endWaiting(question.query.lens)
    share?.giveBack()
  }

  /// Returns the poll of the table that is in this one's place.
  private func successor(_ ending: WaitEnding?) -> Poll? {
    caller.successor(of: question.table, ending).map { next in
      question.successor(at: next).poll(of: caller, share: share)
    }
  }

  private func goOn(at successor: Poll, _ exchange: Exchange, wait: Double?) -> Reply {
    guard !question.table.isBarred(from: successor.question.table, question.query) else {
      return present.unchanged(exchange, for: caller)
    }
    return successor.begin(exchange, wait: wait)
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
