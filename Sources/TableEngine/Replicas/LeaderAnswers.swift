/// The leader's answers whether it has a table, for reads at a replica whose configuration does not count. One question
/// at a time; an answer counts for a second. A state machine without I/O.
struct LeaderAnswers: Sendable {
  /// The next step of a reader.
  enum Step: Equatable, Sendable {
    case known(LookOutcome)
    case waits
    /// It waits, and the leader is to be asked: the question's number.
    case asks(UInt64)
  }

  typealias Told = (readers: [StoreLooks.Completion], outcome: LookOutcome)

  static let validity = Duration.seconds(1)

  /// By its last answer.
  private var isLacking = false
  private var answered: ContinuousClock.Instant?
  private var isAsking = false
  private var number: UInt64 = 0
  /// The readers that wait for the answer; nil: they have waited long enough.
  private var readers: [StoreLooks.Completion]?

  private var outcome: LookOutcome { isLacking ? .late : .read }

  /// Somebody reads the table.
  mutating func look(_ completion: @escaping StoreLooks.Completion, at now: ContinuousClock.Instant) -> Step {
    if let answered, now - answered < Self.validity { return .known(outcome) }
    guard isAsking else {
      (isAsking, readers) = (true, [completion])
      number += 1
      return .asks(number)
    }
    guard readers != nil else { return .known(outcome) }
    readers?.append(completion)
    return .waits
  }

  /// A question was not answered in time: readers wait no longer, and its answer may still come.
  mutating func giveUp(_ question: UInt64) -> Told {
    guard isAsking, question == number else { return ([], outcome) }
    defer { readers = nil }
    return (readers ?? [], outcome)
  }

  /// The question is over.
  ///
  /// - Parameter isFound: the leader's answer; nil: there was none.
  mutating func end(isFound: Bool?, at now: ContinuousClock.Instant) -> Told {
    if let isFound { (isLacking, answered) = (!isFound, now) }
    isAsking = false
    defer { readers = nil }
    return (readers ?? [], outcome)
  }
}
