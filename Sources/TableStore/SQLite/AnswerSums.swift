/// How many answers are kept, as far as it was counted: of all, and of callers who were here lately.
struct AnswerSums {
  var store: ReplySum?
  private var callers: [String: ReplySum] = [:]
  /// More are not remembered at once; counting one anew costs a look at its index.
  private static let maximumCallers = 10_000

  subscript(caller: String) -> ReplySum? {
    get { callers[caller] }
    set {
      if callers.count >= Self.maximumCallers { callers = [:] }
      callers[caller] = newValue
    }
  }
}
