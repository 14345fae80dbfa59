import TableModel
import Upstream

extension TableContent {
  /// Takes in what a source has said, also while it is not known whether the table goes on: it is not said again. False
  /// where it changes nothing.
  ///
  /// - Parameters:
  ///   - showingItsWords: readers are told why a fetch failed in the upstream's own words.
  ///   - revealing: what was concealed may be shown, where the upstream agrees. Not while nobody reads.
  mutating func take(_ news: SourceNews, from source: String, showingItsWords: Bool, revealing: Bool = true) -> Bool {
    guard !gate.isClosedForGood, var input = inputs[source] else { return false }
    switch news {
    case .content(let answer, let number, let error):
      (input.content, input.error, input.unmappable) = (answer, error, nil)
      input.problem = error.map {
        Problem(of: $0, at: input.definition, showingItsWords: showingItsWords, since: Timestamp.now)
      }
      (input.answer, input.showsAll, input.showsItsWords) = (number, nil, showingItsWords)
      if revealing { input.isConcealed = false }
    case .unchanged:
      let isConfirmed = input.content == nil && !input.isConfirmed
      // An answer that could not be mapped is still the upstream's last word, whatever failed meanwhile.
      guard input.problem != input.unmappable || isBehind || input.isConcealed || isConfirmed else { return false }
      input.isConfirmed = input.content == nil
      (input.problem, input.error) = (input.unmappable, nil)
      if revealing { input.isConcealed = false }
    case .failure(let error):
      let since = input.problem?.since ?? Timestamp.now
      input.problem = Problem(of: error, at: input.definition, showingItsWords: showingItsWords, since: since)
      input.error = error
    }
    inputs[source] = input
    isBehind = false
    return true
  }

  /// Nobody is shown what the sources have said before each of them has agreed again.
  mutating func conceal() {
    inputs = inputs.mapValues { input in
      var input = input
      (input.isConcealed, input.problem, input.error) = (true, nil, nil)
      return input
    }
    result = nil
  }
}
