import Foundation

/// What `${env.NAME}` means in a configuration: the variable's value or, where there is none, the content of the file
/// that `NAME_FILE` names (as container images have it for secrets), without white space at its end.
struct Environment: Sendable {
  private let variables: [String: String]
  private let content: @Sendable (_ path: String) -> String?

  init(
    _ variables: [String: String],
    content: @escaping @Sendable (_ path: String) -> String? = { try? String(contentsOfFile: $0, encoding: .utf8) }
  ) {
    self.variables = variables
    self.content = content
  }

  enum Lookup: Equatable {
    case value(String)
    case missing
    /// `NAME_FILE` names a file that can't be read.
    case unreadableFile
  }

  func lookUp(_ name: String) -> Lookup {
    if let value = variables[name] { return .value(value) }
    guard let path = variables[name + "_FILE"] else { return .missing }
    guard var text = content(path) else { return .unreadableFile }
    while text.last?.isWhitespace == true { text.removeLast() }
    return .value(text)
  }

  /// Names only: for suggestions.
  var names: [String] { variables.keys.sorted() }
}
