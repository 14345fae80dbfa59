internal import DequeModule
internal import Digests

/// The circuit breakers of a client: one for each host and the credentials and parameters that it is asked with, so that
/// what fails for one caller, or one member of a family, is closed to nobody else. A state machine without a clock.
struct CircuitBreakers {
  /// Whom a breaker is for. What distinguishes callers is in it as a digest alone.
  struct Key: Hashable, Sendable {
    let origin: UpstreamURL.Origin
    private let digest: [UInt8]

    init(_ request: TransferRequest, parameters: [String: String]) {
      origin = request.url.origin
      var text = ""
      for field in request.headers.sorted(by: { $0.name < $1.name }) {
        text += "\(field.name.lowercased()):\(field.value)\n"
      }
      for (name, value) in parameters.sorted(by: { $0.key < $1.key }) {
        text += "\(name.utf8.count) \(name)=\(value.utf8.count) \(value)\n"
      }
      digest = SHA256.digest(of: Array(text.utf8))
    }
  }

  /// The most entries of each kind of key; the oldest goes first.
  private static let capacity = 4096
  private var breakers: [Key: (breaker: CircuitBreaker, serial: UInt64)] = [:]
  /// Oldest first; what has been forgotten since stands there until its turn comes, or until that is most of what stands there.
  private var order: Deque<(key: Key, serial: UInt64)> = []
  private var nextSerial: UInt64 = 0

  /// - Returns: whether the host may be asked now; what comes of it must be recorded.
  mutating func permits(_ key: Key, at now: Duration, isUrgent: Bool) -> Bool {
    breakers[key]?.breaker.permits(at: now, isUrgent: isUrgent) ?? true
  }

  func state(of key: Key) -> CircuitBreaker.State? { breakers[key]?.breaker.state }

  /// O(1), amortised.
  ///
  /// - Parameter random: in 0..<1.
  mutating func record(_ verdict: CircuitBreaker.Verdict, of key: Key, at now: Duration, random: Double) {
    guard verdict != .good else {
      breakers[key] = nil
      if order.count > 2 * breakers.count + 16 { order.removeAll { breakers[$0.key]?.serial != $0.serial } }
      return
    }
    if breakers[key] == nil {
      if breakers.count >= Self.capacity { forgetOldest() }
      breakers[key] = (CircuitBreaker(), nextSerial)
      order.append((key, nextSerial))
      nextSerial += 1
    }
    breakers[key]?.breaker.record(verdict, at: now, random: random)
  }

  private mutating func forgetOldest() {
    while let (key, serial) = order.popFirst() {
      guard breakers[key]?.serial == serial else { continue }
      breakers[key] = nil
      return
    }
  }
}
