/// Items as they were read by themselves: nobody who asks after an answer is given older ones.
struct ReadItems {
  private struct Place: Hashable {
    var row: String
    var member: String
  }
  private var last: [Place: (number: Int, step: Int)] = [:]

  /// Notes the number that stands in a member of an item.
  ///
  /// - Parameters:
  ///   - asked: the step at which the reader began.
  ///   - step: the present one.
  ///   - precedes: whether one number certainly stood there before another one.
  /// - Returns: what is wrong.
  mutating func note(
    _ row: String,
    _ member: String,
    _ number: Int,
    asked: Int,
    step: Int,
    precedes: (Int, Int) -> Bool
  ) -> String? {
    let place = Place(row: row, member: member)
    guard let known = last[place] else {
      last[place] = (number, step)
      return nil
    }
    let isLater = known.step < asked
    if isLater, precedes(number, known.number) {
      return
        "the item \(row), asked for at step \(asked), has the \(member) \(number), and had \(known.number) at step \(known.step)"
    }
    if known.number != number, isLater || precedes(known.number, number) { last[place] = (number, step) }
    return nil
  }

  /// Returns whether a number was read.
  func has(_ number: Int, _ row: String) -> Bool { last.contains { $0.key.row == row && $0.value.number == number } }
}
