import JSON

extension FilterCall {
  /// Charges what a filter reads of its input, before it does.
  func charge(for filter: Filter) throws(EvaluationError) {
    guard let budget = scope.budget else { return }
    switch (filter.reading, input) {
    case (.whole(let byte), _): try budget.chargeWhole(input, byte: byte)
    case (.number(let writing), _): try budget.charge(writing + bytes * 60)
    case (_, .json), (_, .array), (_, .object): try budget.charge(elements * Cost.element)
    case (.bytes(let byte), _): try budget.charge(bytes * byte)
    case (.characters(let ascii, let other), _):
      try budget.charge(bytes * (input.withUTF8 { $0.allSatisfy { $0 < 0x80 } } ? ascii : other))
    case (.html, _):
      // A tag or a character reference costs as much as many plain bytes.
      let marks = input.withUTF8 { $0.count { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: "&") } }
      try budget.charge(bytes * 10 + marks * 200)
    }
  }

  private var bytes: Int { input.byteCount }

  /// Copying an object copies its names, too.
  private var elements: Int { input.kind == .object ? input.namesExtent : input.count }
}
