import JSON

/// Bounds what lists in lists may cost, so that no expression hangs: elements visited and bytes made.
final class Budget {
  private var elements = 1_000_000
  private var bytes = 16 << 20

  func visit() throws(EvaluationError) {
    elements -= 1
    guard elements >= 0 else { throw EvaluationError("more than 1000000 elements are visited") }
  }

  /// Of a part of a text: its bytes, and what an element of a list takes.
  func chargePart(bytes count: Int) throws(EvaluationError) {
    try visit()
    bytes -= count + MemoryLayout<Value>.stride
    guard bytes >= 0 else { throw EvaluationError("more than 16 MB are made") }
  }

  /// Of a value that was made for an element. A view counts with what it would be as text: the values that share it
  /// are written out one by one.
  func charge(_ value: Value) throws(EvaluationError) {
    bytes -= weight(of: value)
    guard bytes >= 0 else { throw EvaluationError("more than 16 MB are made") }
  }

  /// No more than is left, and a little.
  private func weight(of value: Value) -> Int {
    switch value {
    case .null, .bool, .integer, .unsigned, .number: return 0
    case .string(let string): return string.utf8.count
    case .text(let text): return text.count
    case .json(let view): return view.weight(limit: bytes)
    case .array(let elements):
      var sum = elements.count
      for element in elements where sum <= bytes { sum += weight(of: element) }
      return sum
    case .object(let members):
      var sum = members.count
      for member in members where sum <= bytes { sum += member.name.utf8.count + weight(of: member.value) }
      return sum
    }
  }
}

extension Scope {
  /// With a budget for lists, if it has none yet.
  func budgeted() -> Scope {
    guard budget == nil else { return self }
    var scope = self
    scope.budget = Budget()
    return scope
  }
}
