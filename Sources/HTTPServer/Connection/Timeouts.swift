/// `Configuration.Timeouts` in milliseconds, as the loops count.
struct Timeouts {
  let head: Int
  let bodyIdle: Int
  let body: Int
  let bodyRate: Int
  let keepAlive: Int
  let write: Int
  let writeRate: Int
  let linger: Int
  let farewell: Int
  let heartbeat: Int

  init(_ timeouts: Configuration.Timeouts) {
    head = timeouts.head.milliseconds
    bodyIdle = timeouts.bodyIdle.milliseconds
    body = timeouts.body.milliseconds
    bodyRate = timeouts.bodyRate
    keepAlive = timeouts.keepAlive.milliseconds
    write = timeouts.write.milliseconds
    writeRate = timeouts.writeRate
    linger = timeouts.linger.milliseconds
    farewell = timeouts.farewell.milliseconds
    heartbeat = timeouts.heartbeat.milliseconds
  }
}

extension Timeouts {
  /// When `count` bytes must have been transferred that began at `began`: after `grace`, at `rate` bytes a second.
  /// A rate of 0 asks for none.
  static func bound(began: Int, grace: Int, count: Int, rate: Int) -> Int {
    guard rate > 0 else { return ConnectionStateMachine.never }
    let (product, overflows) = count.multipliedReportingOverflow(by: 1000)
    return overflows ? ConnectionStateMachine.never : began + grace + product / rate
  }
}

extension Duration {
  /// Whole milliseconds, rounded up, from 0 to some thousand years.
  var milliseconds: Int {
    let (seconds, attoseconds) = components
    guard seconds >= 0, attoseconds >= 0 else { return 0 }
    let part = Int(attoseconds / 1_000_000_000_000_000)
    let rest = attoseconds % 1_000_000_000_000_000 > 0 ? 1 : 0
    return Int(min(seconds, 100_000_000_000)) * 1000 + part + rest
  }
}
