import Expressions
import FieldValues
import JSON

extension Reading {
  /// A bare expression, or one whole `${…}`. Nil, with a diagnostic, where it is none.
  func expression(_ node: YAMLNode) -> Expression? {
    guard let scalar = node.scalar, scalar.resolved != .null else {
      wrong(node, expected: "an expression", write: "for example `state == 'open'`")
      return nil
    }
    let text = scalar.text.trimmed
    let parts = TemplateParts(text)
    let body = parts.whole ?? text
    if parts.whole == nil, let mark = text.firstRange(of: "${") {
      let start = scalar.text.utf8.distance(from: scalar.text.startIndex, to: text.startIndex)
      if let mistake = parts.mistake(lookups: knownRoots.lookups) {
        self.error(
          at: place(of: scalar, node.place, offset: start + mistake.offset),
          "in the expression: \(mistake.message)"
        )
      } else {
        self.error(
          at: place(of: scalar, node.place, offset: start + parts.offset(of: text[mark])),
          "`${…}` inside of an expression",
          "an expression names members as they are: `state == $params.state`"
        )
      }
      return nil
    }
    let start = scalar.text.utf8.distance(from: scalar.text.startIndex, to: body.startIndex)
    do throws(ExpressionError) {
      let expression = try Expression(String(body), lookups: knownRoots.lookups)
      check(body, at: start, of: scalar, node.place)
      check(expression, body, at: start, of: scalar, node.place)
      return expression
    } catch {
      self.error(at: place(of: scalar, node.place, offset: start + error.offset), "in the expression: \(error.message)")
      return nil
    }
  }

  /// A value in the shape of what comes out, with `${…}` in its texts. Every text that is wrong gets its diagnostic.
  func template(_ node: YAMLNode) -> Template? {
    let before = diagnostics.count
    checkTexts(of: node)
    guard diagnostics.count == before else { return nil }
    do throws(TemplateError) {
      return try Template(JSONValue(node), lookups: knownRoots.lookups)
    } catch {
      let culprit = node.descendant(at: error.path)
      self.error(at: culprit.place, error.message)
      return nil
    }
  }

  /// Text whose expressions see the environment alone, as a value: a secret, a path. Nil where it is wrong.
  func text(_ node: YAMLNode, _ noun: String, example: String) -> String? {
    guard let scalar = node.scalar, scalar.resolved != .null, !scalar.text.isEmpty else {
      wrong(node, expected: noun, write: "for example `\(example)`")
      return nil
    }
    guard scalar.text.contains("${") else { return scalar.text }
    let before = diagnostics.count
    checkTexts(of: node)
    guard diagnostics.count == before else { return nil }
    var result = ""
    for part in TemplateParts(scalar.text).parts {
      switch part {
      case .literal(let text): result += String(text).replacing("$${", with: "${")
      case .expression(let text):
        guard let value = constant(text, at: node.place) else { return nil }
        result += value
      }
    }
    guard !result.isEmpty else {
      error(at: node.place, "\(noun) is expected here, and the expression results in an empty text")
      return nil
    }
    return result
  }

  /// An expression of the environment alone, as text. Nil, with a diagnostic, where it is not.
  func constant(_ text: Substring, at place: TextPosition) -> String? {
    guard let expression = try? Expression(String(text), lookups: knownRoots.lookups) else { return nil }
    guard expression.dependencies.isSubset(of: .environment) else {
      error(at: place, "only `env` can stand in an expression here", "there is no item yet when this is read")
      return nil
    }
    var scope = Scope()
    scope.environment = environmentValues
    switch try? expression.evaluate(in: scope) {
    case .string(let text)?: return text
    case .integer(let number)?: return String(number)
    case .null?: return ""
    case .bool?, .unsigned?, .number?, .text?, .json?, .array?, .object?, nil:
      error(at: place, "this expression does not result in a text", "write for example `${env.NAME}`")
      return nil
    }
  }

  /// - Parameter inElements: the texts see an element of a list as the item.
  private func checkTexts(of node: YAMLNode, inElements: Bool = false) {
    switch node.content {
    case .mapping(let entries):
      let isList = entries.contains { $0.key.value == "$each" }
      for entry in entries {
        checkTexts(of: entry.value, inElements: inElements || isList && entry.key.value != "$each")
      }
    case .sequence(let elements): for element in elements { checkTexts(of: element, inElements: inElements) }
    case .scalar(let scalar):
      guard scalar.resolved == .string else { return }
      warnIfCut(scalar, node.place)
      do throws(TemplateError) {
        _ = try Template(.string(scalar.text), lookups: knownRoots.lookups)
        for body in TemplateParts(scalar.text).expressions {
          let start = scalar.text.utf8.distance(from: scalar.text.startIndex, to: body.startIndex)
          check(body, at: start, of: scalar, node.place)
          if let expression = try? Expression(String(body), lookups: knownRoots.lookups) {
            check(expression, body, at: start, of: scalar, node.place, inElements: inElements)
          }
        }
      } catch {
        self.error(at: place(of: scalar, node.place, offset: error.offset), "in the expression: \(error.message)")
      }
    }
  }

  private func warnIfCut(_ scalar: YAMLScalar, _ place: TextPosition) {
    guard scalar.isCut, scalar.text.contains("${") else { return }
    warning(
      at: self.place(of: scalar, place, offset: scalar.text.utf8.count),
      "what follows ' #' is a comment in YAML, and does not belong to the value",
      "put the whole value in quotes"
    )
  }

  /// True for a shared representation that some table gives a parent.
  private var knowsParent: Bool {
    path.first == ServiceKeys.tables.name ? path.count > 1 && expanded.contains(path[1]) : !expanded.isEmpty
  }

  private var knownRoots: KnownRoots { KnownRoots(at: path, lookups: lookups) }

  /// Roots that mean nothing here.
  private func check(
    _ expression: Expression,
    _ body: Substring,
    at start: Int,
    of scalar: YAMLScalar,
    _ place: TextPosition,
    inElements: Bool = false
  ) {
    let known = inElements ? knownRoots.forElements : knownRoots
    let text = ExpressionOutline(body)
    for name in expression.dependencies.subtracting(known.roots).names {
      let offset = text.offset(of: name)
      if name == "$item" {
        // The elements that a filter visits are known everywhere.
        guard let member = expression.itemMembers.first else { continue }
        // Names without a root are the item's too.
        if offset == nil {
          error(
            at: self.place(of: scalar, place, offset: start + (text.offset(of: member) ?? 0)),
            "'\(member)' is a member of an item, and there is no item here",
            known.substitute(for: member)
          )
          continue
        }
      }
      error(
        at: self.place(of: scalar, place, offset: start + (offset ?? 0)),
        "`\(name)` means nothing here",
        known.home(of: name)
      )
    }
    if expression.dependencies.contains(.parent), known.roots.contains(.parent), !knowsParent {
      error(
        at: self.place(of: scalar, place, offset: start + (text.offset(of: "$parent") ?? 0)),
        "`$parent` is known where a table has `items`: the rows stand in lists of its source's items then",
        "write for example `items: ${cards}`, or leave `$parent.` out"
      )
    }
    if expression.dependencies.contains(.caller) { callerUses.append((path, expression.callerUse)) }
    if expression.dependencies.contains(.caller), !knowsCallers, known.roots.contains(.caller) {
      error(
        at: self.place(of: scalar, place, offset: start + (text.offset(of: "$caller") ?? 0)),
        "`$caller` is known where callers have tokens of an issuer",
        "configure `auth.jwt`"
      )
    }
    if known.isHeader, let member = expression.itemMembers.first {
      let own = member.hasPrefix("$") ? "an item" : "an item's own member"
      warning(
        at: self.place(of: scalar, place, offset: start + (text.offset(of: member) ?? 0)),
        "'\(member)' is \(own), and a header or footer is of all items: it is null",
        "use `$items`: `${$items[0].\(member.hasPrefix("$") ? "name" : member)}`, "
          + "`${$items | map(\(member.hasPrefix("$") ? "name" : member)) | sum}`"
      )
    }
  }

  /// Environment variables that are missing, and those that are not: their values go with the definition.
  private func check(_ body: Substring, at start: Int, of scalar: YAMLScalar, _ place: TextPosition) {
    let text = ExpressionOutline(body)
    let value = place
    for name in text.names(under: "env") {
      let place = self.place(of: scalar, place, offset: start + name.offset)
      switch environment.lookUp(name.name) {
      case .value(let value): environmentValues[name.name] = value
      case .missing:
        guard !name.hasDefault, !note(unset: name.name, at: place, in: value) else { continue }
        error(
          at: place,
          "the environment variable \(name.name) is not set",
          Nearest.name(to: name.name, among: environment.names).map { "did you mean \($0)?" }
            ?? "set it, or name a file in \(name.name)_FILE, or write `env.\(name.name) ?? '…'`"
        )
      case .unreadableFile:
        error(at: place, "the file that \(name.name)_FILE names can't be read", "it must be a readable UTF-8 file")
      }
    }
    for name in text.names(under: "$params") {
      parameterUses.append(
        (path, Located(value: name.name, place: self.place(of: scalar, place, offset: start + name.offset)))
      )
    }
  }

  /// A place in a scalar, where its text stands in the file as it is; else the scalar's own.
  private func place(of scalar: YAMLScalar, _ place: TextPosition, offset: Int) -> TextPosition {
    guard let start = scalar.verbatimStart else { return place }
    let bytes = scalar.text.utf8.prefix(max(0, offset))
    let scalars = bytes.count { $0 & 0xC0 != 0x80 }
    return TextPosition(line: start.line, column: start.column + scalars)
  }
}

extension TemplateParts {
  /// The mistake of a text that was meant as one `${…}` and is none: the `}` is missing, or one inside of the expression
  /// ends it. Nil where something stands around a `${…}` that is an expression.
  fileprivate func mistake(lookups: Set<String>) -> (message: String, offset: Int)? {
    if unclosed == 0 { return ("${ is not closed: } is missing", 0) }
    guard case .expression(let first)? = parts.first else { return nil }
    do throws(ExpressionError) {
      _ = try Expression(String(first), lookups: lookups)
      return nil
    } catch {
      return (error.message, offset(of: first) + error.offset)
    }
  }
}

extension YAMLNode {
  /// The nearest node on a template's path.
  fileprivate func descendant(at path: [TemplatePathComponent]) -> YAMLNode {
    guard let step = path.first else { return self }
    let next: YAMLNode?
    switch step {
    case .name(let name): next = entries?.first { $0.key.value == name }?.value
    case .index(let index): next = elements.flatMap { $0.indices.contains(index) ? $0[index] : nil }
    }
    return next?.descendant(at: Array(path.dropFirst())) ?? self
  }
}

extension String {
  /// Without white space at both ends; of the same text, so that places can be computed.
  fileprivate var trimmed: Substring {
    let start = drop(while: \.isWhitespace)
    guard let last = start.lastIndex(where: { !$0.isWhitespace }) else { return start }
    return start[...last]
  }
}
