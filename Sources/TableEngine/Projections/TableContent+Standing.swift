import TableMapping

/// A member that shows a part of an answer may be told only of the next answers that change something in that part. Meanwhile it has
/// the last one all the same, as its source keeps that for all such members (``StandingAnswer``), and lets go of what it shares.
extension TableContent {
  /// The part that it shows of its only answer, and that answer; nil where it has to be told of the next one in any case.
  var standing: (key: PartKey, content: SourceContent, answer: UInt64)? {
    guard inputs.count == 1, let input = inputs.values.first, input.problem == nil, input.unmappable == nil,
      !input.isConcealed, let content = input.shown, content.edits == nil, let answer = input.answer,
      let key = result?.partKey, restored == nil, !isBehind, commits.isEmpty, !gate.isClosed, !isStanding
    else { return nil }
    return (key, content, answer)
  }

  /// True while it is told only of answers that concern it.
  var isStanding: Bool { inputs.values.contains(where: \.isStanding) }

  mutating func stand(on answer: StandingAnswer) {
    inputs = inputs.mapValues { input in
      var input = input
      input.stand(on: answer)
      return input
    }
    letGoOfPart()
  }

  /// Lets go of the rows that were mapped for a look into them, where it is told of nothing else: else it would keep each answer that
  /// was the last one when somebody looked.
  mutating func letGoOfPart() {
    guard isStanding, result?.isPart == true else { return }
    result?.letGoOfPart()
    isResultOld = true
  }
}
