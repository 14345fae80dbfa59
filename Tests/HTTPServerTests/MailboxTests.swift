import Testing

@testable import HTTPServer

/// What a loop is told of, and when it is woken for it.
@Suite struct MailboxTests {
  enum Mode: CaseIterable {
    case resting
    case polling
    case running
    /// It has waited for events, and handles them.
    case polled
  }

  private static let wake = LoopMessage.wake([Topic(rawValue: 1)])

  private func mailbox(_ mode: Mode, withoutWaiters: Bool) -> Mailbox {
    let mailbox = Mailbox()
    _ = mailbox.take()
    switch mode {
    case .resting: #expect(mailbox.beginResting(withoutWaiters: withoutWaiters))
    case .polling: #expect(mailbox.beginPolling(withoutWaiters: withoutWaiters))
    case .running: break
    case .polled:
      #expect(mailbox.beginPolling(withoutWaiters: withoutWaiters))
      mailbox.endPolling()
    }
    return mailbox
  }

  @Test(arguments: Mode.allCases, [true, false]) func aWake(mode: Mode, withoutWaiters: Bool) {
    let mailbox = mailbox(mode, withoutWaiters: withoutWaiters)
    let isIdle = mode == .resting || mode == .polling
    let expected: Mailbox.Delivery =
      switch (isIdle, withoutWaiters, mode) {
      case (true, false, .resting): .start
      case (true, false, _): .interrupt
      case (true, true, _), (false, _, _): .seen
      }
    #expect(mailbox.post(Self.wake) == expected)
    // An idle loop without waiters is not told at all: it begins with nothing to do.
    #expect(mailbox.take().count == (isIdle && withoutWaiters ? 0 : 1))
  }

  @Test(arguments: Mode.allCases, [true, false]) func allElse(mode: Mode, withoutWaiters: Bool) {
    let mailbox = mailbox(mode, withoutWaiters: withoutWaiters)
    let expected: Mailbox.Delivery =
      switch mode {
      case .resting: .start
      case .polling: .interrupt
      case .running, .polled: .seen
      }
    #expect(mailbox.post(.drain) == expected)
    // Once is enough.
    #expect(mailbox.post(.drain) == .seen)
    #expect(mailbox.take().count == 2)
  }

  @Test func aLoopWithMessagesDoesNotGoToSleep() {
    let mailbox = Mailbox()
    _ = mailbox.take()
    #expect(mailbox.post(Self.wake) == .seen)
    #expect(!mailbox.beginPolling(withoutWaiters: true))
    #expect(!mailbox.beginResting(withoutWaiters: true))
    #expect(mailbox.take().count == 1)
    #expect(mailbox.beginPolling(withoutWaiters: true))
  }
}
