import Definitions
import TableMapping
import TableModel
import Upstream

/// The answer of one upstream source, as a table has it.
struct SourceInput: Sendable {
  /// The last answer.
  var content: SourceContent? {
    get { last?.content }
    set { last = newValue.map { .own($0) } }
  }
  private var last: Answer?
  /// The last answer that had a list of items.
  private var good: Answer?
  /// The number of the last answer; nil where it could not be mapped, or is another process's.
  var answer: UInt64?
  /// That one is older than the source's interval, as after all replicas were away.
  var isOverdue = false
  /// Every item of the last answer has a row that is shown; nil: not looked at yet.
  var showsAll: Bool?
  /// It has said that what is restored still holds.
  var isConfirmed = false
  /// The definition that it was asked by.
  var definition: UpstreamDefinition { asked.definition }
  var asked: AskedUpstream
  /// Why the last fetch failed.
  var problem: Problem?
  /// Why the last answer could not be mapped: it holds as long as the upstream has no other.
  var unmappable: Problem?
  /// Since when the answers before the last one could not be.
  var unmappableSince: String?
  /// Readers are told why in the upstream's own words.
  var showsItsWords = false
  /// The failure itself.
  var error: UpstreamError?
  /// It was for readers whose credentials may have been revoked since: nobody is shown it before the upstream has
  /// agreed again.
  var isConcealed = false

  /// An answer as a table has it.
  private enum Answer {
    case own(SourceContent)
    /// The last one that is known to change nothing for the table.
    case standing(StandingAnswer)

    var content: SourceContent {
      switch self {
      case .own(let content): content
      case .standing(let answer): answer.content
      }
    }
  }

  /// True if the table is told only of answers that concern it, and has the others all the same.
  var isStanding: Bool { if case .standing = last { true } else { false } }

  /// It has the answer that all have which are told only of what concerns them.
  mutating func stand(on answer: StandingAnswer) { (last, good) = (.standing(answer), .standing(answer)) }

  /// Forgets the answer.
  mutating func letGo() { (last, good, answer) = (nil, nil, nil) }

  /// It has said that what is restored still holds, and not what it is.
  var isMerelyConfirmed: Bool { isConfirmed && content == nil && problem == nil }

  /// It has answered or failed at least once.
  var isSettled: Bool { shown != nil || problem != nil || isConfirmed }

  /// It has said what there is, or that it is as the table shows it; or it was asked by another process so shortly before that it is not
  /// to be asked yet.
  var hasAnswered: Bool { content != nil || isConfirmed || answer != nil && !isOverdue && problem == nil }

  /// The last answer, where readers may be shown it.
  var shown: SourceContent? { isConcealed ? nil : content }

  init(_ upstream: TableUpstream) { asked = upstream.asked }

  /// The answer can't be mapped: the one before counts.
  ///
  /// - Returns: what the source is to be told, where it took for an answer what is none.
  mutating func refuse(_ reason: SourceProblem) -> RefusedAnswer? {
    let since = problem?.since ?? unmappableSince ?? Timestamp.now
    let refused = reason.kind == .malformed ? answer.map { RefusedAnswer(reason, $0) } : nil
    problem =
      refused.map { Problem(of: $0.error, at: definition, showingItsWords: showsItsWords, since: since) }
      ?? Problem(title: reason.title, detail: reason.detail, since: since)
    (unmappable, unmappableSince) = (problem, since)
    (last, good, answer) = (good, nil, nil)
    return refused
  }

  /// Its answer can be mapped.
  var accepted: SourceInput {
    var input = self
    input.good = last
    if unmappable == nil { input.unmappableSince = nil }
    return input
  }
}

/// An answer that a source took, and that turned out to be no JSON when its items were mapped.
struct RefusedAnswer: Sendable {
  var source: String
  /// Its number.
  var answer: UInt64
  var error: UpstreamError

  init(_ problem: SourceProblem, _ answer: UInt64) {
    (source, self.answer) = (problem.source, answer)
    error = UpstreamError(.invalidJSON, title: "The upstream's answer is not valid JSON", detail: problem.detail)
  }
}
