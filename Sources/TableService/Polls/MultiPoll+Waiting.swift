import HTTPServer
import Synchronization
import TableEngine
import TableModel
import TableStore

/// The common registration of all who wait with one poll: once with each table, and with the server under one topic.
extension MultiPoll {
  /// All tables were just found to be where the client is, and nobody was woken since: it need not be found out again for each
  /// of many who ask alike. O(1).
  var isSettled: Bool { settled.withLock { $0 } == server.wakeCount }

  /// - Parameter count: of the server, from before it was found out.
  func noteSettled(at count: UInt64) {
    // The parts that are the same for all who ask alike; a version that only shows nothing new may be looked at
    // otherwise in time.
    let isPlain = members.allSatisfy { member in
      guard !member.table.isMember, !member.table.isAwaitingUpstream, member.query.lens.view == nil,
        let after = member.query.after
      else { return false }
      return after.epoch == member.table.current.cursor.epoch && after.version == member.table.current.number
    }
    if isPlain { settled.withLock { $0 = count } }
  }

  func bundle() -> Topic {
    waiting.withLock { waiting in
      let bundle = waiting.bundle ?? TopicBundle(topics, server)
      waiting.bundle = bundle
      return bundle.topic
    }
  }

  /// The first one of those who wait with this poll waits for all at its tables.
  func beginWaiting() {
    waiting.withLock { waiting in
      guard waiting.group.join() else { return }
      for member in members {
        member.table.willWait(PollKind(lens: member.query.lens, variant: "") { _ in })
        member.table.beginWaiting(member.query.lens, after: member.query.after, for: waiting.group)
      }
    }
  }

  func endWaiting() {
    waiting.withLock { waiting in
      guard waiting.group.leave() else { return }
      // Until somebody waits again, not all that changes in a window is told.
      settled.withLock { $0 = nil }
      for member in members { member.table.endWaiting(member.query.lens, for: waiting.group) }
    }
  }
}
