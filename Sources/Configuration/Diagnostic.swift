/// One mistake in a configuration, or one thing to look at: where it stands, what is wrong, what would be right.
///
/// A diagnostic never carries the value of an environment variable.
public struct Diagnostic: Hashable, Sendable {
  public enum Severity: String, Hashable, Sendable {
    /// The service does not start.
    case error
    /// It starts; `tablecast check` says so.
    case warning
  }

  public var severity: Severity
  /// As the file was named to the reader.
  public var file: String
  /// Counted from 1.
  public var line: Int
  /// Counted from 1, in Unicode scalars.
  public var column: Int
  /// The error.
  public var message: String
  /// A remedy.
  public var suggestion: String?

  public init(
    severity: Severity = .error,
    file: String,
    line: Int,
    column: Int,
    message: String,
    suggestion: String? = nil
  ) {
    self.severity = severity
    self.file = file
    self.line = line
    self.column = column
    self.message = message
    self.suggestion = suggestion
  }
}

extension Diagnostic: CustomStringConvertible {
  /// `file:line:column: what is wrong, what would be right`.
  public var description: String {
    var text = "\(file):\(line):\(column): "
    if severity == .warning { text += "warning: " }
    text += message
    if let suggestion { text += ", \(suggestion)" }
    return text
  }
}

extension Diagnostic: Comparable {
  /// As a reader of the file meets them.
  public static func < (first: Diagnostic, second: Diagnostic) -> Bool {
    (first.line, first.column, first.message) < (second.line, second.column, second.message)
  }
}
