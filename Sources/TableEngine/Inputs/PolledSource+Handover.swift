import Queues
import Synchronization
import TableStore
import Upstream

/// A source goes from replica to replica: what one knows of the upstream is left to the next.
extension PolledSource {
  /// What whoever asks next is to know. `completion` is called on any queue.
  ///
  /// - Parameters:
  ///   - digest: of its definition.
  ///   - tables: those that it is left for.
  func handOver(
    definedAs digest: String,
    for tables: [LiveTable],
    _ completion: @escaping @Sendable (Handover.Entry) -> Void
  ) {
    source.handOver { [self] left in
      let answer = listeners.answer
      let revisions = JoinedCalls<[String: Revision]?, [String: Handover.TableRevision]?>([:]) { revisions, found in
        guard let found, revisions != nil else { return revisions = nil }
        revisions?.merge(found.mapValues { Handover.TableRevision($0) }) { $1 }
      }
      for table in tables {
        let finish = revisions.begin()
        // Without an edit that was laid over the answer it does not stand for that.
        if listeners.withReaders({ $0.lacksEdit(table) }) {
          finish(nil)
        } else {
          AnswerStandings(writer: table.writer).standing(on: answer, of: name, finish)
        }
      }
      revisions.notify(on: context.background) { revisions in
        completion(Handover.Entry(definition: digest, source: left, tables: revisions))
      }
    }
  }

  /// Goes on where another replica has asked until now, for tables that are read from now on; unless this one is to pause
  /// meanwhile. Where it is asked under the same lease already, they are told what the upstream has said since.
  ///
  /// - Parameters:
  ///   - term: of the lease.
  ///   - reading: gives what that one has left, on any queue; nil: nothing, or of another source.
  ///   - completion: on any queue.
  func takeOver(
    for tables: [LiveTable],
    under term: UInt64,
    _ reading: @escaping @Sendable (@escaping @Sendable (Handover.Left?) -> Void) -> Void,
    _ completion: @escaping @Sendable () -> Void = {}
  ) {
    switch listeners.withReaders({ $0.takeOver(tables, under: term) }) {
    case .join: join(tables, under: term, reading, completion)
    case .takeOver(let mayStand):
      let finish = takingOver.entered()
      let done: @Sendable () -> Void = {
        finish()
        completion()
      }
      source.beginTakingOver { [self] turn in
        // Were the upstream to fail now, an answer of this one's own, older than what is shown, would be taken for the last one.
        listeners.forget()
        // Who was to pause before has the next turn.
        guard context.replica.isLeading else { return done() }
        reading { [self] left in
          guard mayStand else { return source.takeOver(left?.entry.source, isWhole: false, in: turn, done) }
          stand(tables, for: left, in: turn, done)
        }
      }
    }
  }

  /// Has tables be told what the upstream has said since it was taken over. As long as that is only that nothing has changed, or that it
  /// fails, those that are as the replica before has left them stand for its last answer as the first ones do.
  private func join(
    _ tables: [LiveTable],
    under term: UInt64,
    _ reading: @escaping @Sendable (@escaping @Sendable (Handover.Left?) -> Void) -> Void,
    _ completion: @escaping @Sendable () -> Void
  ) {
    guard !tables.isEmpty else { return completion() }
    let awake = tables.filter { !$0.isAsleep }
    let finish: @Sendable (_ isUnheard: Bool) -> Void = { [self] isUnheard in
      if context.replica.lease?.term == term {
        for table in tables { begin(table, isUnheard: isUnheard, under: term) }
        // Nobody reads them any more, perhaps.
        for table in awake where table.isAsleep { pause(table) }
      }
      completion()
    }
    takingOver.notify(queue: context.client.queue) { [self] in
      guard listeners.hasOnlyWhatWasLeft else { return finish(true) }
      reading { [self] left in
        guard let left else { return finish(true) }
        source.handOver { [self] present in
          // It is asked whether this answer has changed; or for all that there is.
          let isSame = present.validators == nil || present.validators == left.entry.source.validators
          guard isSame else { return finish(true) }
          stand(tables, for: left) { [self] answer in
            context.client.queue.async { [self] in
              let stands = answer == listeners.answer && listeners.hasOnlyWhatWasLeft
              if stands { listeners.withReaders { $0.stand(tables, at: listeners.answer) } }
              finish(!stands)
            }
          }
        }
      }
    }
  }

  /// Has the tables stand for the answer that was shown last, where they can, and goes on with what was left.
  private func stand(
    _ tables: [LiveTable],
    for left: Handover.Left?,
    in turn: UInt64,
    _ completion: @escaping @Sendable () -> Void
  ) {
    guard let left else { return source.takeOver(nil, isWhole: false, in: turn, completion) }
    stand(tables, for: left) { [self] answer in
      if let answer {
        listeners.withReaders { $0.stand(tables, at: answer) }
        standsForAnother.store(true, ordering: .releasing)
      }
      source.takeOver(left.entry.source, isWhole: answer != nil, in: turn, completion)
    }
  }

  /// Has the tables' contents stand for the answer that was shown last.
  ///
  /// - Parameter completion: given its number; nil where not all of them can. On any queue.
  private func stand(
    _ tables: [LiveTable],
    for left: Handover.Left,
    _ completion: @escaping @Sendable (UInt64?) -> Void
  ) {
    guard left.isLaidOutAlike, let revisions = left.entry.tables else { return completion(nil) }
    let answer = listeners.answer
    let isOverdue = left.entry.source.due.map { $0 <= .now } ?? false
    let stand = JoinedCalls(true) { $0 = $0 && $1 }
    for table in tables {
      let standings = AnswerStandings(writer: table.writer)
      let revisions = revisions.mapValues(\.revision)
      standings.stand(at: revisions, on: answer, of: name, isOverdue: isOverdue, stand.begin())
    }
    stand.notify(on: context.background) { isWhole in completion(isWhole ? answer : nil) }
  }
}
