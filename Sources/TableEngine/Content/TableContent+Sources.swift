import TableModel
import Upstream

extension TableContent {
  /// Takes in what a source has said. False where it changes nothing.
  ///
  /// - Parameter showingItsWords: readers are told why a fetch failed in the upstream's own words.
  mutating func take(_ news: SourceNews, from source: String, showingItsWords: Bool) -> Bool {
    guard !isClosed, var input = inputs[source] else { return false }
    switch news {
    case .content(let answer):
      (input.content, input.problem, input.error) = (answer, nil, nil)
    case .unchanged:
      guard input.problem != nil || isBehind else { return false }
      (input.problem, input.error) = (nil, nil)
    case .failure(let error):
      let since = input.problem?.since ?? Timestamp.now
      input.problem =
        showingItsWords
        ? Problem(title: error.title, detail: error.detail, since: since)
        : Problem(of: error, at: input.definition, since: since)
      input.error = error
    }
    inputs[source] = input
    isBehind = false
    return true
  }
}
