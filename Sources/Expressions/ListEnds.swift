/// `first`, `last` and `slice`, of arrays and of the characters of a string.
enum ListEnds {
  static func first(_ call: FilterCall) throws(EvaluationError) -> Value {
    if call.input.isNull { return .null }
    guard let count = try call.integer(0, of: "first") else {
      if let string = call.input.string { return string.first.map { .string(String($0)) } ?? .null }
      guard call.input.kind == .array else { throw call.unfit("first", "an array or a string") }
      return call.input[0] ?? .null
    }
    return try cut(call, "first", from: 0, to: max(0, count))
  }

  static func last(_ call: FilterCall) throws(EvaluationError) -> Value {
    if call.input.isNull { return .null }
    guard let count = try call.integer(0, of: "last") else {
      if let string = call.input.string { return string.last.map { .string(String($0)) } ?? .null }
      guard call.input.kind == .array else { throw call.unfit("last", "an array or a string") }
      return call.input[-1] ?? .null
    }
    if count <= 0 { return try cut(call, "last", from: 0, to: 0) }
    return try cut(call, "last", from: -count, to: nil)
  }

  static func slice(_ call: FilterCall) throws(EvaluationError) -> Value {
    if call.input.isNull { return .null }
    return try cut(call, "slice", from: call.integer(0, of: "slice") ?? 0, to: call.integer(1, of: "slice"))
  }

  private static func cut(
    _ call: FilterCall,
    _ filter: String,
    from start: Int,
    to end: Int?
  ) throws(EvaluationError) -> Value {
    if let string = call.input.string {
      let range = range(start, end, count: string.count)
      let first = string.index(string.startIndex, offsetBy: range.lowerBound)
      return .string(String(string[first..<string.index(first, offsetBy: range.count)]))
    }
    guard let elements = call.input.elements else { throw call.unfit(filter, "an array or a string") }
    return .array(Array(elements[range(start, end, count: elements.count)]))
  }

  private static func range(_ start: Int, _ end: Int?, count: Int) -> Range<Int> {
    func bounded(_ position: Int) -> Int {
      position < 0 ? max(0, count + max(position, -count)) : min(position, count)
    }
    let (lower, upper) = (bounded(start), bounded(end ?? count))
    return lower..<max(lower, upper)
  }
}
