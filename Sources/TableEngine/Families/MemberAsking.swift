/// The asking of a member's sources from here, once under each lease: other callers wait for the first one. A second asking would make the
/// member forget the answer that it stands for. A value.
struct MemberAsking {
  typealias Completion = @Sendable () -> Void

  /// Of the lease under which they were asked last.
  private var term: UInt64?
  /// The completions of the waiting callers; nil: no asking is under way.
  private var waiting: [Completion]?

  enum Turn {
    /// The caller has them asked, and calls ``end(under:)``.
    case first
    /// The completion is among those that ``end(under:)`` gives.
    case waits
    case done
  }

  mutating func begin(under term: UInt64, _ completion: @escaping Completion) -> Turn {
    guard self.term == term else {
      // Callers from the former lease wait for this one, too.
      (self.term, waiting) = (term, waiting ?? [])
      return .first
    }
    guard waiting != nil else { return .done }
    waiting?.append(completion)
    return .waits
  }

  /// Returns the waiting callers' completions; none where another lease has come.
  mutating func end(under term: UInt64) -> [Completion] {
    guard self.term == term else { return [] }
    defer { waiting = nil }
    return waiting ?? []
  }
}
