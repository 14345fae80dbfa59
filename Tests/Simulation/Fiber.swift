import Dispatch
import Foundation

/// A piece of work in whose middle others go on, as beside a configuration that is loaded. It has a thread of its own, but of all threads
/// only one does anything at a time.
///
/// `@unchecked Sendable`: for that reason.
final class Fiber: @unchecked Sendable {
  let host: Host
  /// Whether it may go on; nil while it does.
  private(set) var isReady: (() -> Bool)? = { true }
  var working: [SimulatedQueue] = []
  private(set) var isOver = false
  private let thread: FiberThread

  init(_ host: Host, _ body: @escaping @Sendable () -> Void) {
    self.host = host
    thread = FiberThread.take()
    thread.body = body
  }

  /// Lets it do what it does until it waits or is over.
  func goOn() {
    isReady = nil
    thread.goOn()
    isOver = thread.body == nil && isReady == nil
    if isOver { FiberThread.idle.append(thread) }
  }

  /// Called by itself.
  func wait(_ isReady: @escaping () -> Bool) {
    self.isReady = isReady
    thread.wait()
  }
}

/// A thread that fibers use one after another. It neither begins nor ends beside anything else: what memory it takes would come
/// at any time.
///
/// `@unchecked Sendable`: of all threads only one does anything at a time.
private final class FiberThread: @unchecked Sendable {
  nonisolated(unsafe) static var idle: [FiberThread] = []
  var body: (@Sendable () -> Void)?
  private let turn = DispatchSemaphore(value: 0)
  private let back = DispatchSemaphore(value: 0)

  static func take() -> FiberThread { idle.popLast() ?? FiberThread() }

  private init() {
    let thread = Thread { [self] in
      back.signal()
      while true {
        turn.wait()
        perform()
        back.signal()
      }
    }
    thread.stackSize = 16 << 20
    thread.start()
    back.wait()
  }

  private func perform() {
    body?()
    body = nil
  }

  func goOn() {
    turn.signal()
    back.wait()
  }

  func wait() {
    back.signal()
    turn.wait()
  }
}
