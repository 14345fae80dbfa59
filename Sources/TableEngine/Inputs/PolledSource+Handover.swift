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
    case .join:
      for table in tables { begin(table, isUnheard: true) }
      completion()
    case .takeOver(let mayStand):
      source.beginTakingOver { [self] turn in
        // Were the upstream to fail now, an answer of this one's own, older than what is shown, would be taken for the last one.
        listeners.forget()
        // Who was to pause before has the next turn.
        guard context.replica.isLeading else { return completion() }
        reading { [self] left in
          guard mayStand else { return source.takeOver(left?.entry.source, isWhole: false, in: turn, completion) }
          stand(tables, for: left, in: turn, completion)
        }
      }
    }
  }

  /// Has the tables stand for the answer that was shown last, where they can.
  private func stand(
    _ tables: [LiveTable],
    for left: Handover.Left?,
    in turn: UInt64,
    _ completion: @escaping @Sendable () -> Void
  ) {
    guard let left, left.isLaidOutAlike, let revisions = left.entry.tables else {
      return source.takeOver(left?.entry.source, isWhole: false, in: turn, completion)
    }
    let answer = listeners.answer
    let stand = JoinedCalls(true) { $0 = $0 && $1 }
    for table in tables {
      let standings = AnswerStandings(writer: table.writer)
      standings.stand(at: revisions.mapValues(\.revision), on: answer, of: name, stand.begin())
    }
    stand.notify(on: context.background) { [self] isWhole in
      if isWhole {
        listeners.withReaders { $0.stand(tables, at: answer) }
        standsForAnother.store(true, ordering: .releasing)
      }
      source.takeOver(left.entry.source, isWhole: isWhole, in: turn, completion)
    }
  }
}
