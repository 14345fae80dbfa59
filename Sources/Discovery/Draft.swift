public import JSON

/// A configuration that ``Discovery`` proposes, and what it saw that a person should know.
public struct Draft: Sendable {
  /// The configuration, YAML.
  public var yaml: String
  /// The table that it has.
  public var table: String
  /// The variables that it reads, with the values that were used.
  public var environment: [String: String]
  /// The variables whose values were percent-encoded in the URL. `environment` has them decoded, as the service encodes
  /// them.
  public var decoded: Set<String> = []
  /// Doubts, one sentence each.
  public var doubts: [String]
  /// Some of the items that are fetched one by one, as they would be the source's.
  public var elements: [JSONValue] = []
  /// Further pages are asked for.
  public var isPaged = false
  /// How many items the upstream says that there are; nil where it says nothing.
  public var total: Int?
}

/// Writes the configuration.
struct DraftWriter {
  let name: String
  let title: String
  var lines: [String] = []

  init(name: String, title: String) { (self.name, self.title) = (name, title) }

  /// - Parameter comment: stands behind it.
  mutating func write(_ depth: Int, _ text: String, _ comment: String? = nil) {
    let line = String(repeating: "  ", count: depth) + text
    lines.append(comment.map { "\(line)  # \($0.withoutControls)" } ?? line)
  }

  mutating func comment(_ depth: Int, _ text: String) {
    lines.append(String(repeating: "  ", count: depth) + "# " + text.withoutControls)
  }

  /// A scalar, in quotes where YAML needs them.
  static func scalar(_ text: String) -> String {
    let isPlain =
      !text.isEmpty
      && text.unicodeScalars.allSatisfy { scalar in
        scalar.isASCII
          && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
            || "_-./:${}?=&+~' |()[],%@".unicodeScalars.contains(scalar))
      }
    let first = text.first ?? " "
    let isSafe =
      isPlain && !text.contains(": ") && !text.hasSuffix(":") && !text.hasSuffix(" ") && !text.contains(" #")
      && (first.isLetter || text.hasPrefix("${"))
      && !["true", "false", "null", "yes", "no", "on", "off", "y", "n", "~"].contains(text.lowercased())
    return isSafe ? text : quoted(text)
  }

  /// In double quotes, which JSON's text is.
  static func quoted(_ text: String) -> String { String(decoding: JSONValue.string(text).bytes, as: UTF8.self) }

  var text: String { lines.joined(separator: "\n") + "\n" }
}
