import FieldValues

extension ValueReader where Value == Bool {
  static let boolean = ValueReader(.boolean) { node, reading in
    if case .boolean(let value) = node.scalar?.resolved { return value }
    let words = ["yes": "true", "on": "true", "no": "false", "off": "false"]
    let meant = node.scalar.flatMap { words[$0.text.lowercased()] }
    reading.wrong(node, expected: "a boolean", write: meant.map { "`\($0)`" } ?? "`true` or `false`")
    return nil
  }
}

extension ValueReader where Value == Int {
  static func integer(_ range: ClosedRange<Int>) -> ValueReader {
    ValueReader(.integer(range)) { node, reading in
      guard let scalar = node.scalar, scalar.isWholeNumber else {
        reading.wrong(node, expected: "a whole number", write: "a number such as `\(range.lowerBound)`")
        return nil
      }
      guard case .integer(let value) = scalar.resolved, range.contains(value) else {
        let bounds =
          range.upperBound == .max ? "at least \(range.lowerBound)" : "from \(range.lowerBound) to \(range.upperBound)"
        reading.error(at: node.place, "the number \(scalar.text) is out of range", "it is \(bounds)")
        return nil
      }
      return value
    }
  }

  /// Bytes: `64KB`, `32MB`.
  static let size = ValueReader(
    .text(description: "a size in bytes", pattern: "^[0-9]+(B|KB|MB|GB)$", examples: ["64KB", "32MB"])
  ) { node, reading in
    let text = node.scalar?.text ?? ""
    switch parseSize(text) {
    case .value(let size): return size
    case .tooMuch:
      reading.error(at: node.place, "the size \(excerpt(text)) is too large", "it is at most \(sizeText(largestSize))")
    case .malformed: reading.wrong(node, expected: "a size", write: "it as `64KB` or `32MB`")
    }
    return nil
  }
}

extension ValueReader where Value == Duration {
  static func duration(atLeast minimum: Duration = .zero) -> ValueReader {
    ValueReader(
      .text(description: "a duration", pattern: "^([0-9]+(ms|s|m|h|d))+$", examples: ["250ms", "30s", "5m", "2h"])
    ) { node, reading in
      let text = node.scalar?.text ?? ""
      switch parseDuration(text) {
      case .value(let duration) where duration >= minimum: return duration
      case .value:
        let bound = durationText(minimum)
        reading.error(at: node.place, "the duration \(excerpt(text)) is too short", "it is at least \(bound)")
      case .tooMuch:
        let bound = durationText(longestDuration)
        reading.error(at: node.place, "the duration \(excerpt(text)) is too long", "it is at most \(bound)")
      case .malformed: reading.wrong(node, expected: "a duration", write: "it as `250ms`, `30s`, `5m` or `2h`")
      }
      return nil
    }
  }
}

extension ValueReader where Value == String {
  /// Text without expressions; a number or a boolean counts as what was written.
  static func plainText(_ noun: String, example: String) -> ValueReader {
    ValueReader(.word(noun, examples: [example])) { node, reading in
      guard let scalar = node.scalar, scalar.resolved != .null, !scalar.text.isEmpty else {
        reading.wrong(node, expected: noun, write: "for example `\(example)`")
        return nil
      }
      return scalar.text
    }
  }
}

extension ValueReader where Value: RawRepresentable & CaseIterable & Sendable, Value.RawValue == String {
  /// One of a few words.
  static var word: ValueReader {
    let words = Value.allCases.map(\.rawValue)
    return ValueReader(.enumeration(words)) { node, reading in
      if let scalar = node.scalar, let value = Value(rawValue: scalar.text) { return value }
      let near = node.scalar.flatMap { Nearest.name(to: $0.text, among: words) }
      reading.error(
        at: node.place,
        "\(node.seen) is none of \(alternatives(words))",
        near.map { "did you mean '\($0)'?" } ?? "write one of them"
      )
      return nil
    }
  }
}
