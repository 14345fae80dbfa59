import Foundation

/// What was awaited and did not come.
package struct TimeOut: Error, CustomStringConvertible {
  package let description: String
  package init(_ awaited: String) { description = "not in time: \(awaited)" }
}

/// What came is not what the protocol allows.
package struct Malformed: Error, CustomStringConvertible {
  package let description: String
  package init(_ what: String) { description = "malformed: \(what)" }
}

/// The value, or an error that says what was missing.
package func required<Value>(_ value: Value?, _ missing: String) throws -> Value {
  guard let value else { throw Malformed(missing) }
  return value
}

/// A value that threads change, and wait for changes of.
///
/// `@unchecked Sendable`: the value is read and written with the condition's lock held.
package final class Monitor<Value>: @unchecked Sendable {
  private var value: Value
  private let condition = NSCondition()

  package init(_ value: Value) { self.value = value }

  @discardableResult
  package func change<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
    condition.lock()
    defer {
      condition.broadcast()
      condition.unlock()
    }
    return try body(&value)
  }

  package var current: Value { change { $0 } }

  /// Waits until `body` finds something in the value.
  @discardableResult
  package func wait<Result>(for awaited: String, seconds: Double = 60, _ body: (Value) -> Result?) throws -> Result {
    let deadline = Date(timeIntervalSinceNow: seconds)
    condition.lock()
    defer { condition.unlock() }
    while true {
      if let result = body(value) { return result }
      guard condition.wait(until: deadline) else {
        if let result = body(value) { return result }
        throw TimeOut(awaited)
      }
    }
  }
}

/// Work on a thread of its own: what blocks must not take one of the few that tests run on.
package struct Background<Result: Sendable>: Sendable {
  private let outcome = Monitor<Swift.Result<Result, any Error>?>(nil)
  private let what: String

  package init(_ what: String, _ body: @escaping @Sendable () throws -> Result) {
    self.what = what
    let outcome = outcome
    Thread { outcome.change { [result = Swift.Result(catching: body)] in $0 = result } }.start()
  }

  package func value(seconds: Double = 60) throws -> Result {
    try outcome.wait(for: what, seconds: seconds) { $0 }.get()
  }
}
