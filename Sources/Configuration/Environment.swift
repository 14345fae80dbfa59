import Foundation

/// The meaning of `${env.NAME}` in a configuration: the variable's value or, where there is none, the content of the file
/// that `NAME_FILE` names (as container images have it for secrets), or else of systemd's credential `tablecast_NAME`
/// (`LoadCredential=tablecast:FOLDER`), without white space at its end.
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
    if let path = variables[name + "_FILE"] {
      guard let text = content(path) else { return .unreadableFile }
      return .value(Self.trimmed(text))
    }
    // A name of the language has no `/`; the check keeps it so here, whoever calls.
    guard let folder = variables["CREDENTIALS_DIRECTORY"], !name.contains("/"),
      let text = content("\(folder)/tablecast_\(name)")
    else { return .missing }
    return .value(Self.trimmed(text))
  }

  private static func trimmed(_ text: String) -> String {
    var text = text
    while text.last?.isWhitespace == true { text.removeLast() }
    return text
  }

  /// Names only: for suggestions.
  var names: [String] { variables.keys.sorted() }
}
