import Definitions
import Expressions
import JSON
import Patterns

extension ValueReader where Value == String {
  /// A BCP 47 tag.
  static let languageTag = ValueReader(
    .text(description: "a language tag", pattern: LanguageTag.pattern, examples: ["en-US", "de"])
  ) { node, reading in
    guard let text = ValueReader.plainText("a language tag", example: "en-US").read(node, reading) else { return nil }
    guard LanguageTag.isWellFormed(text) else {
      let meant = text.split(separator: "_").joined(separator: "-")
      reading.error(
        at: node.place,
        "\(excerpt(text)) is no language tag",
        LanguageTag.isWellFormed(meant) ? "write `\(meant)`" : "write for example `en-US` or `de`"
      )
      return nil
    }
    return text
  }
}

extension ValueReader where Value == Template {
  /// A language tag, or an expression that gives one.
  static let locale = ValueReader.either(
    ValueReader<String>.languageTag.map { Template(constant: .string($0)) },
    when: { $0.scalar?.text.contains("$") != true },
    or: Self.textTemplate
  )
}

/// A BCP 47 tag that begins with a language (RFC 5646 section 2.1: `langtag`).
private enum LanguageTag {
  /// Language with its extensions, script, region, variants; then what is set apart by single characters.
  static let pattern =
    "^([A-Za-z]{2,3}(-[A-Za-z]{3}){0,3}|[A-Za-z]{4,8})(-[A-Za-z]{4})?(-([A-Za-z]{2}|[0-9]{3}))?"
    + "(-([A-Za-z0-9]{5,8}|[0-9][A-Za-z0-9]{3}))*(-[A-WY-Za-wy-z0-9](-[A-Za-z0-9]{2,8})+)*(-[Xx](-[A-Za-z0-9]{1,8})+)?$"

  private static let compiled = try? Pattern(pattern)

  static func isWellFormed(_ text: String) -> Bool { compiled?.matches(text) ?? false }
}

/// A table's title as it is written.
struct Title: Sendable {
  /// Nil where it has expressions.
  var constant: String?
  var template: Template?
}

extension ValueReader where Value == Title {
  static let title = ValueReader(ValueReader<String>.plainText("a title", example: "Swift issues").schema) {
    node,
    reading in
    guard let text = ValueReader<String>.plainText("a title", example: "Swift issues").read(node, reading) else {
      return nil
    }
    guard text.contains("${") else { return Title(constant: text) }
    guard let template = ValueReader<Template>.textTemplate.read(node, reading) else { return nil }
    if case .string(let text)? = template.constant { return Title(constant: text) }
    return Title(template: template)
  }
}
