import Expressions
import JSON

extension ValueReader where Value == Expression {
  static let expression = ValueReader(
    .anyOf([
      .text(description: "an expression, bare or in ${…}", pattern: nil, examples: ["state == 'open'"]), .boolean,
      .number,
    ])
  ) { node, reading in
    reading.expression(node)
  }
}

extension ValueReader where Value == Template {
  /// Any value, with `${…}` in its texts.
  static let template = ValueReader(.anything) { node, reading in reading.template(node) }

  /// One text, number or boolean.
  static let textTemplate = ValueReader(
    .anyOf([.text(description: "text with ${…}", pattern: nil, examples: ["${number}"]), .number, .boolean])
  ) { node, reading in
    guard let scalar = node.scalar, scalar.resolved != .null else {
      reading.wrong(node, expected: "a text with `${…}`", write: "for example `\"${id}\"`")
      return nil
    }
    return reading.template(node)
  }

  /// A URL in which scheme and host are constant, or come from the environment: then they are put in here, once and
  /// for all, and what comes after can't change them.
  static let urlTemplate = ValueReader(
    .text(description: "a URL with ${…}", pattern: #"^(https?://|\$\{)"#, examples: ["https://api.example.com/team"])
  ) { node, reading in
    guard let template = Self.textTemplate.read(node, reading), let text = node.scalar?.text else { return nil }
    guard text.hasPrefix("${") || text.hasPrefix("http"),
      let origin = URLOrigin(of: TemplateParts(text), at: node.place, reading)
    else {
      if !text.hasPrefix("${"), !text.hasPrefix("http") { reportOrigin(of: text, at: node.place, reading) }
      return nil
    }
    guard origin.isOfUpstream else {
      reportOrigin(of: text, at: node.place, reading)
      return nil
    }
    guard isWritten(text, of: { $0.value > 0x20 && $0.value != 0x7F }) else {
      reading.error(at: node.place, "the URL has a blank or a line break", "write a blank as `%20`")
      return nil
    }
    return origin.isWritten ? template : try? Template(.string(origin.text + origin.rest))
  }

  /// The value of a request's header field, on one line (RFC 9110 §5.5).
  static let fieldTemplate = ValueReader(Self.textTemplate.schema) { node, reading in
    guard let template = Self.textTemplate.read(node, reading) else { return nil }
    if let text = node.scalar?.text, !isWritten(text, of: { $0.value >= 0x20 && $0.value != 0x7F || $0 == "\t" }) {
      reading.error(
        at: node.place,
        "a header field's value stands on one line, and this one has a line break or another control character",
        "write it in quotes, on one line: behind `|` or `>` each text ends with a line break"
      )
      return nil
    }
    return template
  }

  /// True if what a text has outside `${…}` is made of such characters.
  private static func isWritten(_ text: String, of isAllowed: (Unicode.Scalar) -> Bool) -> Bool {
    TemplateParts(text).parts.allSatisfy { part in
      guard case .literal(let literal) = part else { return true }
      return literal.unicodeScalars.allSatisfy(isAllowed)
    }
  }

  private static func reportOrigin(of text: String, at place: TextPosition, _ reading: Reading) {
    reading.error(
      at: place,
      "\(excerpt(text)) is no URL of an upstream",
      "it begins with `https://` or `http://` and a host, behind which a port is 1 to 65535"
    )
  }
}

/// A payload as it is written, and compiled.
struct Payload: Sendable {
  var fields: [YAMLEntry]
  /// Nil where a text in it is wrong.
  var template: Template?

  static let empty = Payload(fields: [], template: try? Template(.object([])))
}

extension ValueReader where Value == Payload {
  static let payload = ValueReader(.map(.anything)) { node, reading in
    guard let entries = node.entries else {
      reading.wrong(node, expected: "a payload", write: "a mapping of the cell's fields: `{title: \"${title}\"}`")
      return nil
    }
    return Payload(fields: entries, template: reading.template(node))
  }
}

extension ValueReader where Value == JSONValue {
  /// An item of a local table: an object, taken as it is.
  static let item = ValueReader(.map(.anything)) { node, reading in
    guard node.entries != nil else {
      reading.wrong(node, expected: "an item", write: "a mapping: `{title: Buy milk, done: false}`")
      return nil
    }
    return JSONValue(node)
  }
}

extension ValueReader where Value == String {
  /// Text with nothing but `${env.NAME}` in it.
  static func text(_ noun: String, example: String) -> ValueReader {
    ValueReader(.word(noun, examples: [example])) { node, reading in
      reading.text(node, noun, example: example)
    }
  }

  static let method = requestMethod(["GET", "POST", "PUT", "PATCH", "DELETE"], "is no request method")

  /// By which items are asked for again and again: nothing is changed by that.
  static let methodOfSource = requestMethod(["GET", "POST"], "is no method to ask for items by")

  private static func requestMethod(_ methods: [String], _ mistake: String) -> ValueReader {
    ValueReader(.enumeration(methods)) { node, reading in
      if let text = node.scalar?.text, methods.contains(text) { return text }
      reading.error(at: node.place, "\(node.seen) \(mistake)", "write \(alternatives(methods)), in capitals")
      return nil
    }
  }
}

extension ValueReader where Value == Located<String> {
  /// The name of something that is declared elsewhere: held together when all is read.
  private static func name(of noun: String, example: String, _ kind: @escaping @Sendable (Reading) -> Declaration.Kind)
    -> ValueReader
  {
    let text = ValueReader<String>.plainText(noun, example: example)
    return ValueReader(text.schema) { node, reading in
      guard let text = text.read(node, reading) else { return nil }
      let name = Located(value: text, place: node.place)
      reading.uses.append(Use(kind: kind(reading), name: name, path: reading.path))
      return name
    }
  }

  static let cellName = name(of: "a cell's name", example: "TableViewCellWithLabel") { _ in .cell }
  static let sourceName = name(of: "a source's name", example: "team") { _ in .source }
  static let representationName = name(of: "a representation's name", example: "$default") { reading in
    .representation(table: reading.path.first == ServiceKeys.tables.name ? reading.path.dropFirst().first : nil)
  }
}
