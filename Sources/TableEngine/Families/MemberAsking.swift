/// The asking of a member's sources from here, once under each lease: who has it done meanwhile waits for that. A second time would take
/// from the member what it stands for. A value.
struct MemberAsking {
  typealias Completion = @Sendable () -> Void

  /// Of the lease under which they were asked last.
  private var term: UInt64?
  /// Those who wait; nil: nothing is under way.
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
      // Those who wait under a lease of before wait for this one.
      (self.term, waiting) = (term, waiting ?? [])
      return .first
    }
    guard waiting != nil else { return .done }
    waiting?.append(completion)
    return .waits
  }

  /// Returns who waits; nobody where they are asked under another lease by now.
  mutating func end(under term: UInt64) -> [Completion] {
    guard self.term == term else { return [] }
    defer { waiting = nil }
    return waiting ?? []
  }
}
