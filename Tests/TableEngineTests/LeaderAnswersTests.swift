import Testing

@testable import TableEngine

/// The reads of a table that the leader may lack.
@Suite struct LeaderAnswersTests {
  private let start = ContinuousClock.now

  private func outcomes(_ told: LeaderAnswers.Told) -> [LookOutcome] { told.readers.map { _ in told.outcome } }

  @Test(arguments: [(true, LookOutcome.read), (false, .late)])
  func oneQuestionIsForAllWhoReadMeanwhile(isFound: Bool, outcome: LookOutcome) {
    var answers = LeaderAnswers()
    let steps = (0..<3).map { _ in answers.look({ _ in }, at: start) }
    #expect(steps == [.asks(1), .waits, .waits])
    let told = answers.end(isFound: isFound, at: start + .milliseconds(5))
    #expect(outcomes(told) == [outcome, outcome, outcome])
    // It counts for a while.
    let known = answers.look({ _ in }, at: start + .milliseconds(900))
    let later = answers.look({ _ in }, at: start + .seconds(2))
    #expect(known == .known(outcome) && later == .asks(2))
  }

  /// Nobody leads: what was known last is shown, and reads wait once for each question.
  @Test(arguments: [nil, true, false] as [Bool?]) func withoutAnAnswerTheLastOneCounts(known: Bool?) {
    var answers = LeaderAnswers()
    if let known {
      _ = answers.look({ _ in }, at: start)
      _ = answers.end(isFound: known, at: start)
    }
    let outcome = known == false ? LookOutcome.late : .read
    let first = answers.look({ _ in }, at: start + .seconds(2))
    let number: UInt64 = known == nil ? 1 : 2
    #expect(first == .asks(number))
    let former = answers.giveUp(number - 1)
    #expect(outcomes(former) == [], "an older question's time")
    let told = answers.giveUp(number)
    #expect(outcomes(told) == [outcome])
    let second = answers.look({ _ in }, at: start + .seconds(3))
    #expect(second == .known(outcome))
    let ended = answers.end(isFound: nil, at: start + .seconds(12))
    let third = answers.look({ _ in }, at: start + .seconds(12))
    #expect(outcomes(ended) == [] && third == .asks(number + 1))
  }

  @Test func anAnswerThatComesLateCounts() {
    var answers = LeaderAnswers()
    _ = answers.look({ _ in }, at: start)
    _ = answers.giveUp(1)
    _ = answers.end(isFound: false, at: start + .seconds(3))
    let step = answers.look({ _ in }, at: start + .seconds(3))
    #expect(step == .known(.late))
  }
}
