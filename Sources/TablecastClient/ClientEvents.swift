import Foundation

/// Tells what happens in a client to those who listen.
///
/// `@unchecked Sendable`: everything is used with the lock held.
final class ClientEvents: @unchecked Sendable {
  private let lock = NSLock()
  private var listeners: [Int: AsyncStream<ClientEvent>.Continuation] = [:]
  private var lastListener = 0
  private var error: ClientEvent?
  private let log: (@Sendable (ClientEvent) -> Void)?

  init(_ log: (@Sendable (ClientEvent) -> Void)?) { self.log = log }

  /// Whether anyone listens: events for nobody are not made.
  var isWatched: Bool { log != nil || lock.withLock { !listeners.isEmpty } }

  var lastError: ClientEvent? { lock.withLock { error } }

  /// The newest of those that a listener has not read yet.
  var stream: AsyncStream<ClientEvent> {
    AsyncStream(bufferingPolicy: .bufferingNewest(256)) { continuation in
      let number = lock.withLock {
        lastListener += 1
        listeners[lastListener] = continuation
        return lastListener
      }
      continuation.onTermination = { [weak self] _ in
        guard let self else { return }
        lock.withLock { listeners[number] = nil }
      }
    }
  }

  func tell(_ event: ClientEvent) {
    let all = lock.withLock {
      if event.isError { error = event }
      return Array(listeners.values)
    }
    log?(event)
    for listener in all { listener.yield(event) }
  }
}
