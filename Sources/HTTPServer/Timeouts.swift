/// `Configuration.Timeouts` in milliseconds, as the loops count.
struct Timeouts {
  let head: Int
  let bodyIdle: Int
  let bodyRate: Int
  let keepAlive: Int
  let write: Int
  let linger: Int
  let heartbeat: Int

  init(_ timeouts: Configuration.Timeouts) {
    head = timeouts.head.milliseconds
    bodyIdle = timeouts.bodyIdle.milliseconds
    bodyRate = timeouts.bodyRate
    keepAlive = timeouts.keepAlive.milliseconds
    write = timeouts.write.milliseconds
    linger = timeouts.linger.milliseconds
    heartbeat = timeouts.heartbeat.milliseconds
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
