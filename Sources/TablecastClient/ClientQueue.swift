import Dispatch

/// The serial queue on which a client works: Dispatch's, or in a simulation one whose work is done in an order that a seed chooses.
package protocol ClientQueue: Sendable {
  func async(_ work: @escaping @Sendable () -> Void)

  /// Performs work in its turn, and waits for it.
  func sync(_ work: () -> Void)
}

/// The queue of a client in an app.
///
/// `@unchecked Sendable`: nothing in it changes.
final class DispatchClientQueue: ClientQueue, @unchecked Sendable {
  private let queue = DispatchQueue(label: "tablecast.client")
  private let key = DispatchSpecificKey<Bool>()

  init() { queue.setSpecific(key: key, value: true) }

  func async(_ work: @escaping @Sendable () -> Void) { queue.async(execute: work) }

  /// At once where it is called on the queue itself, as by an observer.
  func sync(_ work: () -> Void) {
    if DispatchQueue.getSpecific(key: key) == true { work() } else { queue.sync(execute: work) }
  }
}
