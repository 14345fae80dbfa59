internal import JSON

/// Reads why an upstream refused what it was sent, member by member, in the forms that frameworks use:
///
/// - Django REST framework: `{"state": ["…"], "address": {"street": ["…"]}, "non_field_errors": ["…"]}`
/// - Rails, Laravel, ASP.NET, Jira: `{"errors": {"name": ["…"], "base": ["…"]}}`, also with one text for a list
/// - FastAPI: `{"detail": [{"loc": ["body", "name"], "msg": "…"}]}`
/// - RFC 9457, JSON:API: `{"errors": [{"detail": "…", "pointer": "#/name"}]}`, or `source.pointer`
/// - GitHub, Spring, Symfony, GraphQL's user errors: `[{"field": "name", "message": "…"}]` under `errors`, `violations` …
/// - Stripe: `{"error": {"param": "name", "message": "…"}}`; OData: `{"error": {"details": [{"target": "Name", "message": "…"}]}}`
/// - Zendesk: `{"details": {"subject": [{"description": "…"}]}}`; WordPress: `{"data": {"params": {"status": "…"}}}`
///
/// Bounded in names, texts and depth, whatever the answer is. Pure.
struct RefusalReader {
  private(set) var fields: [FieldReasons] = []
  /// Reasons that belong to no member.
  private(set) var general: [String] = []
  private var places: [String: Int] = [:]
  private var texts = 0

  private static let maximumFields = 64
  private static let maximumReasons = 8
  private static let maximumTexts = 256
  private static let maximumDepth = 6
  private static let maximumName = 200

  /// Members that stand for the whole.
  private static let wholes: Set = ["non_field_errors", "__all__", "base", "_schema", "_errors", "formErrors", ""]
  /// Members that hold such reasons, beside their other forms.
  private static let containers = [
    "errors", "detail", "details", "error", "violations", "fieldViolations", "invalid-params", "invalidParams",
    "fieldErrors", "field_errors", "issues", "errorMessages", "userErrors",
  ]
  /// Members that are objects with reasons by member's name.
  private static let maps: Set = ["errors", "fieldErrors", "field_errors"]
  private static let messages = [
    "detail", "message", "msg", "defaultMessage", "description", "reason", "title", "error", "code",
  ]

  /// Reads a whole answer.
  init(answer root: JSONView) {
    guard root.kind == .object else {
      if root.kind == .array { read(root, in: "errors", depth: 0) }
      return
    }
    for name in Self.containers {
      if let member = root[name], member.kind == .array || member.kind == .object { read(member, in: name, depth: 0) }
    }
    if fields.isEmpty, let parameters = root["data"]?["params"], parameters.kind == .object {
      readMap(parameters, under: "", depth: 0)
    }
    readIfMap(root)
  }

  /// Reads an expression's value against an edit: one reason, a list of them, or reasons by member's name.
  init(refusal: JSONView) {
    read(refusal, in: "error", depth: 0)
    readIfMap(refusal)
  }

  /// Reads an object as a map of reasons, where nothing was found otherwise.
  private mutating func readIfMap(_ object: JSONView) {
    guard fields.isEmpty, general.isEmpty, object.kind == .object, Self.isMap(object, depth: 0) else { return }
    readMap(object, under: "", depth: 0)
  }

  /// Reads the value at the configured place of the reasons.
  init(reasons: JSONView) { read(reasons, in: "errors", depth: 0) }

  // MARK: Forms

  private mutating func read(_ value: JSONView, in container: String, depth: Int) {
    guard depth < Self.maximumDepth, texts < Self.maximumTexts else { return }
    switch value.kind {
    case .array:
      for element in value.elements {
        guard texts < Self.maximumTexts else { return }
        if element.kind == .object { readEntry(element, depth: depth + 1) } else { add(element, to: "") }
      }
    case .object:
      if Self.name(in: value) != nil {
        readEntry(value, depth: depth + 1)
      } else if Self.maps.contains(container) || container == "details" && Self.hasEntries(value) {
        readMap(value, under: "", depth: depth + 1)
      } else {
        for name in Self.containers {
          if let member = value[name], member.kind == .array || member.kind == .object {
            read(member, in: name, depth: depth + 1)
          }
        }
      }
    case .string: add(value, to: "")
    case .null, .bool, .integer, .unsigned, .double: break
    }
  }

  /// One reason: an object that names a member beside its words.
  private mutating func readEntry(_ entry: JSONView, depth: Int) {
    if let name = Self.name(in: entry), let text = Self.message(in: entry) { return add(text, to: name) }
    let before = texts
    for name in Self.containers where name != "detail" && name != "error" {
      if let member = entry[name], member.kind == .array || member.kind == .object {
        read(member, in: name, depth: depth + 1)
      }
    }
    if texts == before, let text = Self.message(in: entry) { add(text, to: "") }
  }

  /// Reasons by the names of members.
  private mutating func readMap(_ map: JSONView, under prefix: String, depth: Int) {
    guard depth < Self.maximumDepth else { return }
    for member in map.members {
      guard texts < Self.maximumTexts else { return }
      let own = String(member.name)
      let name = Self.wholes.contains(own) ? String(prefix.dropLast()) : prefix + own
      readReasons(member.value, of: name, depth: depth)
    }
  }

  private mutating func readReasons(_ value: JSONView, of name: String, depth: Int) {
    switch value.kind {
    case .string: add(value, to: name)
    case .array:
      for (index, element) in value.elements.enumerated() {
        guard texts < Self.maximumTexts else { return }
        if element.kind == .object, Self.message(in: element) == nil {
          readMap(element, under: "\(name).\(index).", depth: depth + 1)
        } else {
          readReasons(element, of: name, depth: depth + 1)
        }
      }
    case .object:
      guard depth < Self.maximumDepth else { return }
      if let text = Self.message(in: value) {
        add(text, to: name)
      } else {
        readMap(value, under: name + ".", depth: depth + 1)
      }
    case .null, .bool, .integer, .unsigned, .double: break
    }
  }

  /// Returns whether all members of an object have reasons: lists of texts, or such objects.
  private static func isMap(_ object: JSONView, depth: Int) -> Bool {
    guard depth < maximumDepth, object.count > 0 else { return false }
    return object.members.allSatisfy { member in
      switch member.value.kind {
      case .array:
        member.value.count > 0
          && member.value.elements.allSatisfy {
            $0.kind == .string || $0.kind == .object && ($0.count == 0 || isMap($0, depth: depth + 1))
          }
      case .object: isMap(member.value, depth: depth + 1)
      case .null, .bool, .integer, .unsigned, .double, .string: false
      }
    }
  }

  /// Returns whether all members of an object have lists of reasons.
  private static func hasEntries(_ object: JSONView) -> Bool {
    object.count > 0
      && object.members.allSatisfy { member in
        member.value.kind == .array && member.value.count > 0
          && member.value.elements.allSatisfy { $0.kind == .string || $0.kind == .object && message(in: $0) != nil }
      }
  }

  // MARK: Words

  private static func message(in entry: JSONView) -> String? {
    for name in messages {
      guard let text = entry[name]?.string.map({ String($0) }), !text.isEmpty else { continue }
      return name == "code" ? text.replacing("_", with: " ") : text
    }
    return nil
  }

  /// The member that an entry names, dotted.
  private static func name(in entry: JSONView) -> String? {
    if let source = entry["source"], source.kind == .object {
      return name(of: source["pointer"]) ?? name(of: source["parameter"])
    }
    for key in ["pointer", "field", "loc", "propertyPath", "property", "param", "target"] {
      if let name = name(of: entry[key]) { return name }
    }
    // GraphQL's `path` names what failed in the query, with `locations` beside it.
    if entry["locations"] == nil, entry["extensions"] == nil, let name = name(of: entry["path"]) { return name }
    return entry["reason"] == nil ? nil : name(of: entry["name"])
  }

  /// A name, a JSON pointer (RFC 6901) or a list of steps, without the envelope that it begins with.
  private static func name(of value: JSONView?) -> String? {
    guard let value else { return nil }
    var steps: [String]
    switch value.kind {
    case .string:
      let text = String(value.string.map { String($0) } ?? "")
      guard text.utf8.count <= maximumName else { return nil }
      let start = text.hasPrefix("#/") ? 2 : text.hasPrefix("/") ? 1 : 0
      if start > 0 {
        let parts = text.dropFirst(start).split(separator: "/")
        steps = parts.map { String($0).replacing("~1", with: "/").replacing("~0", with: "~") }
      } else {
        steps = text.split(separator: ".").map(String.init)
      }
    case .array:
      guard value.count <= 16 else { return nil }
      steps = value.elements.compactMap { step in step.string.map { String($0) } ?? step.int64.map(String.init) }
    case .null, .bool, .integer, .unsigned, .double, .object: return nil
    }
    if steps.starts(with: ["data", "attributes"]) || steps.starts(with: ["data", "relationships"]) {
      steps.removeFirst(2)
    } else if steps.count > 1, ["body", "query", "path", "header", "formData", "input"].contains(steps[0]) {
      steps.removeFirst()
    }
    let name = steps.joined(separator: ".")
    return name.isEmpty || name.utf8.count > maximumName || wholes.contains(name) ? nil : name
  }

  private mutating func add(_ text: JSONView, to name: String) {
    if let text = text.string.map({ String($0) }), !text.isEmpty { add(text, to: name) }
  }

  private mutating func add(_ text: String, to name: String) {
    texts += 1
    guard !name.isEmpty else {
      if general.count < Self.maximumReasons { general.append(text) }
      return
    }
    if let place = places[name] {
      let known = fields[place].reasons
      if known.count < Self.maximumReasons, !known.contains(text) { fields[place].reasons.append(text) }
    } else if fields.count < Self.maximumFields, name.utf8.count <= Self.maximumName {
      places[name] = fields.count
      fields.append(FieldReasons(name: name, reasons: [text]))
    }
  }
}

extension RefusalReader {
  /// All of it in one line.
  ///
  /// - Parameter words: what the upstream says of the whole.
  func summary(after words: String?) -> String? {
    let reasons = fields.map { "\($0.name): \($0.reasons.joined(separator: " "))" }
    var general = general
    if let words, !general.contains(words), !fields.contains(where: { $0.reasons.contains(words) }) {
      general.insert(words, at: 0)
    }
    // Words such as Laravel's repeat the first reason.
    let own = general.isEmpty ? nil : general.joined(separator: " ")
    if let own, let first = fields.first?.reasons.first, own.contains(first) { return own }
    let all = [own, reasons.isEmpty ? nil : reasons.joined(separator: "; ")].compactMap(\.self)
    return all.isEmpty ? nil : all.joined(separator: " — ")
  }
}
