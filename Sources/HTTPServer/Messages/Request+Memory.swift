import Synchronization

extension Request {
  /// Returns a value that a handler makes of a request's method, target and header fields alone: made once and kept
  /// with the head, which requests with the same bytes share. A client that polls sends the same bytes again and again,
  /// and thousands of them send the same.
  ///
  /// `make` runs where there is no value yet, or one of another type. O(1) else.
  public func remembering<Value: AnyObject & Sendable>(_ make: () -> Value) -> Value {
    head.memory.withLock { memory in
      // A comparison of two pointers, where a conditional cast asks the runtime.
      if let known = memory, type(of: known) == Value.self { return unsafeDowncast(known, to: Value.self) }
      let made = make()
      memory = made
      return made
    }
  }
}
