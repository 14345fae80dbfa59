public import JSON

extension [Diagnostic] {
  /// A line each, as compilers print them.
  ///
  /// - Parameter inColor: for a terminal: the place bold, errors red, warnings yellow.
  public func rendered(inColor: Bool = false) -> String {
    map { $0.rendered(inColor: inColor) + "\n" }.joined()
  }

  /// For machines: `[{"severity","file","line","column","message","suggestion"}]`.
  public var json: JSONValue { .array(map(\.json)) }
}

extension Diagnostic {
  func rendered(inColor: Bool) -> String {
    guard inColor else { return description }
    let (bold, red, yellow, plain) = ("\u{1B}[1m", "\u{1B}[1;31m", "\u{1B}[1;33m", "\u{1B}[0m")
    let mark = severity == .error ? "\(red)error:\(plain)" : "\(yellow)warning:\(plain)"
    let text = "\(bold)\(file):\(line):\(column):\(plain) \(mark) \(message)"
    return suggestion.map { "\(text), \($0)" } ?? text
  }

  var json: JSONValue {
    [
      "severity": .string(severity.rawValue), "file": .string(file), "line": .integer(Int64(line)),
      "column": .integer(Int64(column)), "message": .string(message),
      "suggestion": suggestion.map(JSONValue.string) ?? .null,
    ]
  }
}
