internal import JSON

/// A guess at the identity of a list's items.
struct IdentityGuess: Sendable, Equatable {
  /// As the configuration writes it under `row.id`: `${id}`.
  var template: String
  var paths: [MemberPath]
  /// Why it is taken for one: `1,200 of 1,200 unique`.
  var evidence: String
  /// It is a hash of the whole item: an item that changes counts as another one.
  var isContent = false

  /// The identity of an item, to be compared; nil where a part is missing.
  func identity(of item: JSONValue) -> String? {
    if isContent { return String(decoding: item.bytes, as: UTF8.self) }
    var parts: [String] = []
    for path in paths {
      guard let text = item[path]?.identityText else { return nil }
      parts.append(text)
    }
    return parts.joined(separator: "/")
  }

  /// Says of how many items it is true.
  mutating func recount(_ items: [JSONValue]) {
    guard !isContent else { return }
    let unique = Set(items.compactMap(identity)).count
    evidence = "\(paths.count > 1 ? "together " : "")\(unique.grouped) of \(items.count.grouped) unique"
  }

  /// Possible identities, the likeliest first. The last one is a hash of the whole item.
  ///
  /// - Parameter noun: what one item is called, `issue`: `issue_id` identifies it.
  static func candidates(_ fields: [Field], of items: [JSONValue], noun: String?) -> [IdentityGuess] {
    let scalar = fields.filter {
      $0.isScalar && $0.isAlwaysThere && !$0.has(.empty) && !$0.has(.control) && $0.booleans == 0 && $0.doubles == 0
    }
    let unique = scalar.filter { $0.isUnique && $0.averageBytes <= 300 }
    let ranked = unique.map { (score(of: $0, noun), $0) }
      .enumerated().sorted { ($0.element.0, $1.offset) > ($1.element.0, $0.offset) }
      .map(\.element)
    var found = ranked.filter { $0.0 > 0 }.map { IdentityGuess(sole: $0.1) }
    if found.isEmpty { found += pairs(scalar, items) }
    // Prometheus' `metric.instance`: a text that stands deep in the item still tells more than all of the item.
    if found.isEmpty {
      found += ranked.map(\.1).filter { $0.isText && !$0.isMostly(.moment) && $0.averageBytes <= 100 }.prefix(2)
        .map { IdentityGuess(sole: $0) }
    }
    let content = IdentityGuess(
      template: "${$item | hash}",
      paths: [],
      evidence: "no member tells the items apart: an item that changes counts as another one",
      isContent: true
    )
    return found + [content]
  }

  private init(sole field: Field) {
    (template, paths) = ("${\(field.path.expression)}", [field.path])
    evidence = "\(field.present.grouped) of \(field.items.grouped) unique"
  }

  private init(template: String, paths: [MemberPath], evidence: String, isContent: Bool = false) {
    (self.template, self.paths, self.evidence, self.isContent) = (template, paths, evidence, isContent)
  }

  /// Two members that together are unique.
  private static func pairs(_ fields: [Field], _ items: [JSONValue]) -> [IdentityGuess] {
    let likely = fields.filter { $0.averageBytes <= 80 && $0.distinct.count > 1 }
      .sorted { $0.distinct.count > $1.distinct.count }.prefix(8)
    for (index, first) in likely.enumerated() {
      for second in likely.dropFirst(index + 1) {
        let guess = IdentityGuess(
          template: "${\(first.path.expression)}/${\(second.path.expression)}",
          paths: [first.path, second.path],
          evidence: "together \(items.count.grouped) of \(items.count.grouped) unique; neither is alone"
        )
        let identities = Set(items.compactMap(guess.identity))
        if identities.count == items.count { return [guess] }
      }
    }
    return []
  }

  private static let names: [String: Double] = [
    "id": 100, "_id": 98, "uuid": 96, "guid": 95, "gid": 92, "uid": 92, "key": 90, "slug": 85, "sha": 84, "number": 80,
    "iid": 79, "code": 78, "symbol": 77, "fingerprint": 90, "isbn": 76, "doi": 82, "ean": 76, "sku": 76, "login": 66,
    "username": 66,
    "name": 60, "email": 62, "url": 50, "uri": 50, "link": 48, "href": 48, "html_url": 48, "title": 25, "date": 40,
    "node_id": 72,
  ]

  private static func score(of field: Field, _ noun: String?) -> Double {
    let name = field.path.last
    let lower = name.lowercased()
    var score = names[lower] ?? 0
    if score == 0 {
      let stem = lower.replacing("_", with: "")
      if let noun, stem == noun + "id" {
        score = 94
      } else if lower.hasSuffix("_id") || name.hasSuffix("Id") || name.hasSuffix("ID") {
        score = 70
      } else if lower.hasSuffix("key") || lower.hasSuffix("code") || lower.hasSuffix("number")
        || lower.hasSuffix("slug")
      {
        score = 58
      } else if lower.hasSuffix("id"), field.integers == field.present {
        score = 56
      } else if field.isMostly(.uuid) {
        score = 65
      } else if field.isText && !field.isMostly(.moment) && field.averageBytes <= 100 {
        score = 15
      } else if field.isText && field.averageBytes <= 100 {
        score = 8
      } else if field.integers == field.present {
        score = 5
      }
    }
    // Members of a wrapper such as `attributes` count as the item's own.
    let depth = field.path.names.dropLast().filter { !Wrapper.names.contains($0) }.count
    score -= Double(depth) * 30 + (field.path.names.count > 1 ? 1 : 0)
    // A count or a price that happens to differ everywhere.
    if field.isNumber, score < 40 { score -= 3 }
    return score
  }
}

/// Members that hold an item's own: JSON:API's `attributes`, GeoJSON's `properties`, Airtable's and Jira's `fields` …
enum Wrapper {
  static let names: Set<String> = [
    "attributes", "properties", "fields", "_source", "node", "data", "metadata", "snippet", "volumeInfo", "value",
    "item", "sys",
  ]
}

extension JSONValue {
  /// As `row.id` makes it a text; nil for what identifies nothing.
  var identityText: String? {
    switch self {
    case .string(let text): text.isEmpty ? nil : text
    case .integer(let number): String(number)
    case .unsigned(let number): String(number)
    default: nil
    }
  }
}

extension Int {
  /// 1200 → `1,200`.
  var grouped: String {
    let digits = String(magnitude)
    var text = ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index) % 3 == 0 { text += "," }
      text.append(digit)
    }
    return (self < 0 ? "-" : "") + text
  }
}
