import Dispatch
import Synchronization

@testable import HTTPServer

/// Answers when it was woken `needed` times.
final class TestWaiter: Waiter {
  private let service: TestService
  private let topic: UInt64
  private let after: Int?
  private let needed: Int
  /// Answers from another queue, when it was woken and when its time is over.
  private let answersLater: Bool
  private let count = Atomic<Int>(0)
  /// Waits for so long again when its time is over; within, nil: without saying how long. Nil: it answers then.
  private let further: Duration??

  init(
    _ service: TestService,
    _ topic: UInt64,
    after: Int?,
    needed: Int,
    answersLater: Bool = false,
    then further: Duration?? = nil
  ) {
    self.answersLater = answersLater
    self.further = further
    self.after = after
    self.service = service
    self.topic = topic
    self.needed = needed
  }

  func woken(_ exchange: Exchange) -> Reply? {
    // The wake of a change that the request has seen already may come behind it.
    if service.version(topic) == after { return nil }
    return count.wrappingAdd(1, ordering: .relaxed).newValue >= needed
      ? reply(service.answer(topic), exchange) : nil
  }

  private func reply(_ response: Response, _ exchange: Exchange) -> Reply {
    guard answersLater else { return .response(response) }
    DispatchQueue.global().async { exchange.finish(response) }
    return .later
  }

  func timedOut(_ exchange: Exchange) -> Reply {
    service.record { recorded in
      recorded.timedOut += 1
      recorded.waitEnded = DispatchTime.now().uptimeNanoseconds
    }
    if let further {
      let waiter = TestWaiter(service, topic, after: after, needed: needed)
      return .wait(Wait(topics: [Topic(rawValue: topic)], timeout: further, waiter: waiter))
    }
    return reply(Response(status: .ok, body: Array("timed out".utf8)), exchange)
  }

  func abandoned() { service.record { $0.abandoned += 1 } }
}

/// One for all requests that name it: answers with its name.
final class SharedTestWaiter: Waiter {
  private unowned let service: TestService
  private let name: String

  init(_ service: TestService, _ name: String) {
    self.service = service
    self.name = name
  }

  func woken(_ exchange: Exchange) -> Reply? {
    service.record { $0.woken += 1 }
    return .response(Response(status: .ok, body: Array(name.utf8)))
  }

  func answeredAlike() { service.record { $0.answeredAlike += 1 } }

  func timedOut(_ exchange: Exchange) -> Reply { .response(Response(status: .ok, body: Array("timed out".utf8))) }

  func abandoned() { service.record { $0.abandoned += 1 } }
}
