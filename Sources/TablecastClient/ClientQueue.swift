import Dispatch

/// The serial queue on which a client works: Dispatch's, or in a simulation one whose work is done in an order that a seed chooses.
package protocol ClientQueue: Sendable {
  func async(_ work: @escaping @Sendable () -> Void)

  /// Performs work in its turn, and waits for it.
  func sync(_ work: () -> Void)
}

/// The queue of a client in an app.
struct DispatchClientQueue: ClientQueue {
  private let queue = DispatchQueue(label: "tablecast.client")

  func async(_ work: @escaping @Sendable () -> Void) { queue.async(execute: work) }
  func sync(_ work: () -> Void) { queue.sync(execute: work) }
}
