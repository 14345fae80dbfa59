import JSON

/// One use of a filter: what it is given.
struct FilterCall {
  let input: Value
  let arguments: [Node]
  let scope: Scope

  /// The value of an argument; nil where it was left out.
  func argument(_ position: Int) throws(EvaluationError) -> Value? {
    guard position < arguments.count else { return nil }
    return try arguments[position].evaluate(in: scope)
  }

  /// A text argument; nil where it was left out or is null.
  func text(_ position: Int, of filter: String) throws(EvaluationError) -> String? {
    guard let value = try argument(position), !value.isNull else { return nil }
    guard let text = value.text else {
      throw EvaluationError("\(filter) takes a string as argument \(position + 1), not \(value.kind.phrase)")
    }
    // It is looked for, or put into what is made, and some are prepared for that.
    try scope.charge(text.utf8.count * 4 * Cost.byte)
    return text
  }

  /// An integer argument; nil where it was left out or is null.
  func integer(_ position: Int, of filter: String) throws(EvaluationError) -> Int? {
    guard let value = try argument(position), !value.isNull else { return nil }
    guard let integer = value.integerValue, let result = Int(exactly: integer) else {
      throw EvaluationError("\(filter) takes an integer as argument \(position + 1), not \(value.kind.phrase)")
    }
    return result
  }

  /// A locale as an argument, else the scope's; nil where there is neither. Foundation traps on what is no locale, and
  /// ICU takes names of some 150 characters.
  func locale(_ position: Int, of filter: String) throws(EvaluationError) -> String? {
    guard let name = try text(position, of: filter) ?? scope.locale else { return nil }
    let parts = name.utf8.split(omittingEmptySubsequences: false) { $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-") }
    let areWords = parts.allSatisfy { part in
      (1...8).contains(part.count)
        && part.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x7a).contains($0 | 0x20) }
    }
    guard areWords, parts.count <= 16, let language = parts.first, language.count >= 2 else {
      throw EvaluationError("\(filter) takes a locale such as 'de' or 'en_GB', not", showing: name)
    }
    return name
  }

  /// The input's text: of a string, number or boolean. Nil for null, which filters hand on.
  func inputText(for filter: String) throws(EvaluationError) -> String? {
    if input.isNull { return nil }
    guard let text = input.text else { throw unfit(filter, "a string") }
    return text
  }

  /// The elements of the input; nil for null.
  func inputElements(for filter: String) throws(EvaluationError) -> [Value]? {
    if input.isNull { return nil }
    guard let elements = input.elements else { throw unfit(filter, "an array") }
    return elements
  }

  /// The input's number; nil for null.
  func inputNumber(for filter: String) throws(EvaluationError) -> Double? {
    try NumberText.value(self, for: filter).doubleValue
  }

  func unfit(_ filter: String, _ expected: String) -> EvaluationError {
    EvaluationError("\(filter) takes \(expected), not \(input.kind.phrase)")
  }

  /// Returns whether an argument is the same for all items, or left out: the result of a look-up by it is at hand.
  func isFixed(_ position: Int) -> Bool {
    guard position < arguments.count else { return true }
    switch arguments[position] {
    case .literal: return true
    case .path(let path): return path.root == .parameters || path.root == .environment || path.root == .locale
    default: return false
    }
  }

  /// Evaluates an argument for each element: `$item`, `$index` and plain names are the element's.
  func evaluateForEach(_ elements: [Value], argument: Int = 0) throws(EvaluationError) -> [Value] {
    var results: [Value] = []
    results.reserveCapacity(elements.count)
    for (index, element) in elements.enumerated() {
      try scope.charge(Cost.visit)
      let result = try arguments[argument].evaluate(in: scope.entering(element, index: index))
      try scope.budget?.chargeMade(result)
      results.append(result)
    }
    return results
  }
}
