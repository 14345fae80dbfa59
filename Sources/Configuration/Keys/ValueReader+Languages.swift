import Definitions
import Expressions
import JSON

extension ValueReader where Value == String {
  /// A BCP 47 tag.
  static let languageTag = ValueReader(
    .text(
      description: "a language tag",
      pattern: "^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,3}$",
      examples: ["en-US", "de"]
    )
  ) { node, reading in
    guard let text = ValueReader.plainText("a language tag", example: "en-US").read(node, reading) else { return nil }
    guard isLanguageTag(text) else {
      reading.error(
        at: node.place,
        "\(excerpt(text)) is no language tag",
        isLanguageTag(text.split(separator: "_").joined(separator: "-"))
          ? "write `\(text.split(separator: "_").joined(separator: "-"))`" : "write for example `en-US` or `de`"
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

/// RFC 5646 §2.1: a language of letters, and up to three subtags of letters and digits.
private func isLanguageTag(_ text: String) -> Bool {
  let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
  func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 97 < 26 }
  guard let language = parts.first, (2...8).contains(language.count), language.allSatisfy(isLetter) else {
    return false
  }
  return parts.count <= 4
    && parts.dropFirst().allSatisfy { part in
      (1...8).contains(part.count) && part.allSatisfy { isLetter($0) || $0 &- 48 < 10 }
    }
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
