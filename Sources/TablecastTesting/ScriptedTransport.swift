import Foundation
public import TablecastClient

/// A transport that a test answers, by a script or request by request.
///
/// `@unchecked Sendable`: everything is used with the lock held.
public final class ScriptedTransport: Transport, @unchecked Sendable {
  public typealias Completion = @Sendable (Result<TransportResponse, TransportFailure>) -> Void

  /// A request that was made.
  public struct Call: Sendable {
    public let number: Int
    public let request: TransportRequest
  }

  private let lock = NSLock()
  private var script: (@Sendable (TransportRequest) -> Result<TransportResponse, TransportFailure>?)?
  private var open: [Int: (call: Call, completion: Completion)] = [:]
  private var all: [TransportRequest] = []

  /// - Parameter script: what a request is answered with at once; nil leaves it open, for `answer`.
  public init(
    _ script: (@Sendable (TransportRequest) -> Result<TransportResponse, TransportFailure>?)? = nil
  ) {
    self.script = script
  }

  /// Every request so far, including cancelled ones.
  public var requests: [TransportRequest] { lock.withLock { all } }

  /// Requests without an answer, in the order in which they were made.
  public var waiting: [Call] { lock.withLock { open.values.map(\.call).sorted { $0.number < $1.number } } }

  public func send(_ request: TransportRequest, completion: @escaping Completion) -> any Cancellable {
    let (number, script) = lock.withLock {
      all.append(request)
      open[all.count] = (Call(number: all.count, request: request), completion)
      return (all.count, self.script)
    }
    if let result = script?(request) { answer(number, result) }
    return Cancellation { [weak self] in
      guard let self else { return }
      lock.withLock { open[number] = nil }
    }
  }

  /// Answers a request. Does nothing if it was answered or cancelled before.
  public func answer(_ number: Int, _ result: Result<TransportResponse, TransportFailure>) {
    let completion = lock.withLock { open.removeValue(forKey: number)?.completion }
    completion?(result)
  }
}
