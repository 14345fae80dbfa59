internal import JSON

/// A guess at the cell: its title and its other fields, with the members of items that fill them.
struct CellGuess: Sendable {
  var title: Part
  var others: [Part] = []
  /// Why the title may be another one; nil where it is likely.
  var titleDoubt: String?

  /// A field of the cell, and what fills it.
  struct Part: Sendable {
    var name: String
    /// As the configuration writes it: `optional url`.
    var type: String
    /// A template: `${title}`.
    var value: String
    var evidence: String
    /// An image to be looked at.
    var sample: String?
    var path: MemberPath?
    /// Members that are shown beside it.
    var further: [MemberPath] = []
    /// Other templates that would fit.
    var runnersUp: [String] = []
  }

  var hasImage: Bool { others.contains { $0.name == "imageName" } }

  mutating func remove(_ name: String) { others.removeAll { $0.name == name } }

  /// - Parameters:
  ///   - identity: shown where no member makes a title.
  ///   - section: what the sections say already.
  init(_ fields: [Field], of items: [JSONValue], identity: IdentityGuess, section: MemberPath?) {
    let stem = identity.paths.count == 1 ? identity.paths.first.flatMap(\.identifiedNoun) : nil
    let titles = (fields + items.fields(inLists: true))
      .map { field in
        // A number that the item has, where a text says what it is.
        let isIdentity = identity.paths == [field.path] && Self.titles[field.path.last.lowercased()] == nil
        let person = PersonName(beside: field, among: fields)
        return (Self.titleScore(field, of: stem, person) - (isIdentity ? 6 : 0), field)
      }
      .filter { $0.0 > 10 }.enumerated().sorted { ($0.element.0, $1.offset) > ($1.element.0, $0.offset) }
    let best = titles.first?.element.0 ?? 0
    var used = Set([section].compactMap(\.self))
    if let field = titles.first?.element.1 {
      title = Part(
        name: "title",
        type: "string",
        value: Self.text(field, otherwise: "'untitled'"),
        evidence: "in \(field.present.grouped) of \(field.items.grouped)",
        path: field.path,
        runnersUp: titles.dropFirst().prefix(2).map { Self.text($0.element.1, otherwise: "'untitled'") }
      )
      used.insert(field.path)
      if let person = PersonName(beside: field, among: fields), person.has(field) {
        title.runnersUp = [title.value] + title.runnersUp.prefix(1)
        (title.value, title.path, title.further) = (person.value, person.given.path, [person.family.path])
        used.formUnion([person.given.path, person.family.path])
      }
      if title.further.isEmpty, field.items > 3, field.distinct.count * 3 < field.items {
        titleDoubt =
          "the title may be another one: `\(field.path.description)` has \(field.distinct.count.grouped) values"
          + " in \(field.items.grouped) items"
      } else if best < Self.named {
        titleDoubt = "the title is a guess: nothing but its values speaks for `\(field.path.description)`"
      }
    } else {
      title = Part(name: "title", type: "string", value: identity.template, evidence: "no member looks like a title")
      if !items.isEmpty { titleDoubt = "no member looks like a title: the identity stands in its place" }
      if !identity.isContent, let path = identity.paths.first, identity.paths.count == 1 {
        title.value = "${\(path.expression) | string}"
      }
    }
    if let subtitle = Self.best(fields, used.union(identity.paths), Self.subtitleScore) {
      used.insert(subtitle.path)
      others.append(Self.optional("subtitle", "string", subtitle, Self.text(subtitle, otherwise: nil)))
    }
    if let image = Self.best(fields, used, Self.imageScore) {
      used.insert(image.path)
      // One text that the type refuses would cost its item the row.
      let type = image.isAlways(.urlField) ? "url" : "string"
      var part = Self.optional("imageName", type, image, "${\(image.valueWithoutEmpty)}")
      part.sample = image.sample?.text
      others.append(part)
    }
    if let date = Self.best(fields, used, Self.dateScore) {
      used.insert(date.path)
      let isMoment = date.isNumber || date.isAlways(.dateField)
      let value = date.valueWithoutEmpty
      others.append(
        Self.optional("date", isMoment ? "date" : "string", date, isMoment ? "${\(value) | date}" : "${\(value)}")
      )
    }
    let amounts = Money.candidates(fields, of: items).filter { !used.contains($0.amount.path) }.prefix(1)
    used.formUnion(amounts.map(\.amount.path))
    others += amounts.compactMap { money in
      let name = Self.camelCased(money.name)
      guard !name.isEmpty, !["title", "subtitle", "imageName", "date"].contains(name) else { return nil }
      var part = Self.optional(name, money.isExact ? "string" : "number", money.amount, money.value)
      part.evidence += money.isExact ? "" : ": whole numbers, which may be cents"
      return part
    }
    others += Self.figures(fields, used).filter { figure in !others.contains { $0.name == figure.name } }
  }

  // MARK: What suits what

  /// Titles of less have no name that speaks for them.
  private static let named = 24.0

  private static let titles: [String: Double] = [
    "title": 100, "name": 98, "full_name": 90, "namewithowner": 90, "fullname": 90, "display_name": 96,
    "displayname": 96, "subject": 90,
    "headline": 92,
    "summary": 80, "label": 76, "caption": 70, "question": 70, "text": 50, "content": 46, "body": 40, "description": 44,
    "username": 60, "login": 62, "symbol": 50, "code": 42, "email": 40, "message": 48, "place": 44, "key": 30,
    "slug": 34, "rendered": 60,
    "common": 70, "original_title": 60, "long_name": 60, "model": 45, "filename": 60, "path": 36, "alertname": 80,
    "en": 50, "sentence": 40,
  ]

  /// Names of an item's owners and parts: their names are not its own.
  private static let others = [
    "user", "author", "owner", "account", "creator", "assign", "customer", "artist", "channel", "company", "billing",
    "shipping", "sender",
    "actor", "reporter", "vendor", "organization", "team", "group", "parent", "namespace", "project", "license", "type",
    "status", "priority",
    "category", "language", "milestone", "head", "base", "repo", "details", "by", "person", "contact", "source",
    "location",
  ]

  /// - Parameters:
  ///   - noun: what the identity says that an item is: `track`, of `trackId`.
  ///   - person: whose name or title it is.
  private static func titleScore(_ field: Field, of noun: String?, _ person: PersonName?) -> Double {
    let name = field.path.last.lowercased()
    // A member whose name says that it is the title may be missing in some items, even of a short list.
    let isMostlyThere = field.present * 10 >= field.items * 9
    guard field.isText, isMostlyThere || (titles[name] ?? 0) >= 90 && field.present * 3 >= field.items * 2,
      !field.isMostly(.url), !field.isMostly(.moment), !field.isMostly(.uuid), !field.isMostly(.number)
    else { return 0 }
    // The title of a person is no name: Dr, Ms.
    if let person, !person.has(field) { return 0 }
    var score = person == nil ? titles[name] ?? 0 : 88
    let isListed = field.path.endsInList
    if isListed, score < 60, !Self.isTitle(name) { return 0 }
    if score == 0 {
      if Self.isTitle(name) {
        score = noun.map(name.hasPrefix) == true ? 86 : 62
      } else if let noun, noun.utf8.count > 2, name.hasSuffix(noun) {
        // `strMeal`, beside `idMeal`.
        score = 70
      } else if let said = Self.lastWords.first(where: name.hasSuffix) {
        score = (titles[said] ?? 0) * 0.9
      } else if name.hasSuffix("_id") || name.hasSuffix("type") || name == "status" || name == "state" {
        score = 5
      } else {
        score = 18 + 3 * Double(field.distinct.count) / Double(max(field.items, 1))
      }
    }
    // WordPress has `title.rendered`; a name of somebody else's stands deeper.
    let parents = field.path.names.dropLast().filter { !Wrapper.names.contains($0) }
    for parent in parents {
      let parent = parent.lowercased()
      if let parentScore = titles[parent] ?? (Self.isTitle(parent) ? 72 : nil), parentScore >= 70,
        ["rendered", "en", "common", "text", "plain_text", "value", "official"].contains(name)
      {
        score = max(score, parentScore - 2)
      } else {
        score -= Self.others.contains { parent.contains($0) } ? 60 : field.path.lists.isEmpty || isListed ? 12 : 42
      }
    }
    if field.items > 2 {
      if field.distinct.count == 1 { score -= 50 } else if field.distinct.count * 4 < field.items { score -= 15 }
    }
    if field.averageBytes > 300 { score -= 12 }
    if field.averageBytes < 2 { score -= 10 }
    if !isMostlyThere { score *= Double(field.present) / Double(field.items) }
    return score
  }

  /// The endings of longer names: `product_description`.
  private static let lastWords = ["description", "subject", "summary", "headline", "caption", "message", "question"]

  private static func isTitle(_ name: String) -> Bool {
    name.hasSuffix("title") || name.hasSuffix("name") || name.hasSuffix("label")
  }

  private static func subtitleScore(_ field: Field) -> Double {
    guard field.isText, field.present * 4 >= field.items, !field.isMostly(.url), !field.isMostly(.moment),
      !field.isMostly(.day),
      !field.isMostly(.uuid), !field.isMostly(.number)
    else { return 0 }
    let scores: [String: Double] = [
      "subtitle": 100, "description": 90, "summary": 85, "excerpt": 80, "abstract": 75, "body": 60, "content": 55,
      "text": 55,
      "author": 60, "artist": 60, "login": 50, "username": 45, "email": 45, "name": 40, "status": 38, "state": 36,
      "location": 45,
      "address": 45, "city": 42, "country": 40, "category": 40, "type": 30, "brand": 42, "language": 35, "tagline": 80,
      "headline": 70,
      "display_name": 35, "displayname": 40, "title": 35, "rendered": 30, "company": 42, "place": 40, "department": 40,
      "message": 50,
    ]
    // Any other text of the item's own, where nothing has a better name.
    guard
      let score = scores[field.path.last.lowercased()]
        ?? (field.path.names.count == 1 && field.averageBytes > 3 ? 10 : nil)
    else {
      return 0
    }
    return score - Double(field.path.names.dropLast().filter { !Wrapper.names.contains($0) }.count) * 8
      - (field.distinct.count == 1 && field.items > 2 ? 40 : 0)
  }

  private static func imageScore(_ field: Field) -> Double {
    guard field.isText, field.isMostly(.url), field.present * 2 >= field.items else { return 0 }
    let name = field.path.description.lowercased()
    let words = [
      "image", "img", "thumb", "avatar", "icon", "picture", "photo", "cover", "poster", "logo", "artwork", "flag",
      "media",
    ]
    let isNamed = words.contains { name.contains($0) }
    guard field.isMostly(.imageURL) || isNamed, !name.contains("_html"), !name.hasSuffix(".html") else { return 0 }
    return (field.isMostly(.imageURL) ? 50 : 0) + (isNamed ? 40 : 0) - Double(field.path.names.count) * 4
  }

  /// Seconds or milliseconds of the years that the filter `date` takes: microseconds and nanoseconds are beyond.
  private static let unixTimes: Range<Int64> = 100_000_001..<253_402_300_800_000

  private static func dateScore(_ field: Field) -> Double {
    let name = field.path.last.lowercased()
    let isUnixTime =
      field.isNumber && field.doubles == 0
      && (name.hasSuffix("time") || name.hasSuffix("timestamp") || name.hasSuffix("_at")
        || name.hasSuffix("date") || name.hasSuffix("_utc") || name.hasPrefix("created") || name.hasPrefix("updated"))
      && field.distinct.allSatisfy { unixTimes.contains(Int64($0) ?? 0) }
    guard field.present * 2 >= field.items,
      isUnixTime || field.isText && (field.isMostly(.moment) || field.isMostly(.day))
    else { return 0 }
    let order = ["updated", "modified", "published", "created", "date", "start", "due", "time"]
    let rank = order.firstIndex { name.contains($0) } ?? order.count
    return 100 - Double(rank) * 5 - Double(field.path.names.count) * 3
  }

  private static func best(_ fields: [Field], _ used: Set<MemberPath>, _ score: (Field) -> Double) -> Field? {
    fields.filter { !used.contains($0.path) }.map { (score($0), $0) }.filter { $0.0 > 0 }
      .enumerated().max { ($0.element.0, $1.offset) < ($1.element.0, $0.offset) }?.element.1
  }

  /// Up to three numbers and two booleans, under their own names.
  private static func figures(_ fields: [Field], _ used: Set<MemberPath>) -> [Part] {
    let own = fields.filter { field in
      let depth = field.path.names.dropLast().filter { !Wrapper.names.contains($0) }.count
      let name = field.path.last.lowercased()
      return depth == 0 && !used.contains(field.path) && field.present * 2 >= field.items && field.distinct.count > 1
        && !name.hasSuffix("id") && name != "number" && name != "key" && dateScore(field) == 0
    }
    let numbers = own.filter {
      $0.isNumber || ($0.isText && $0.isMostly(.number) && $0.isNumericByName)
    }.prefix(3)
      .map { field in
        optional(
          Self.camelCased(field.path.last),
          field.isNumber || field.isAlways(.number) ? "number" : "string",
          field,
          field.isAlways(.number) ? "${\(field.valueWithoutEmpty) | float}" : "${\(field.valueWithoutEmpty)}"
        )
      }
    let booleans = own.filter(\.isBoolean).prefix(2).map {
      optional(Self.camelCased($0.path.last), "boolean", $0, "${\($0.path.expression)}")
    }
    var names: Set<String> = ["title", "subtitle", "imageName", "date"]
    return (numbers + booleans).filter { !$0.name.isEmpty && names.insert($0.name).inserted }
  }

  // MARK: Writing

  private static func optional(_ name: String, _ type: String, _ field: Field, _ value: String) -> Part {
    Part(
      name: name,
      type: "optional \(type)",
      value: value,
      evidence: "in \(field.present.grouped) of \(field.items.grouped)",
      path: field.path
    )
  }

  private static func text(_ field: Field, otherwise: String?) -> String {
    var value = field.path.expression
    if field.has(.empty) || (otherwise != nil && !field.isAlwaysThere), let otherwise {
      value += " | default(\(otherwise))"
    }
    if field.has(.markup) { value += " | stripHtml" }
    if field.averageBytes > 120 { value += " | truncate(160)" }
    return "${\(value)}"
  }

  /// `stargazers_count` → `stargazersCount`; empty where nothing is left of it.
  private static func camelCased(_ name: String) -> String {
    let words = name.split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
    guard let first = words.first, first.first?.isNumber == false else { return "" }
    return words.dropFirst().reduce(first.prefix(1).lowercased() + first.dropFirst()) {
      $0 + $1.prefix(1).uppercased() + $1.dropFirst()
    }
  }
}

extension MemberPath {
  /// The noun of an identity: `track` for `trackId`, `track_id` or `idTrack`; nil where the name says `id` alone, or something else.
  fileprivate var identifiedNoun: String? {
    let name = last.lowercased()
    if last.hasPrefix("id"), last.dropFirst(2).first?.isUppercase == true { return String(name.dropFirst(2)) }
    guard name.hasSuffix("id"), name.utf8.count > 4 else { return nil }
    let noun = name.dropLast(2)
    return String(noun.hasSuffix("_") ? noun.dropLast() : noun)
  }
}

extension Field {
  /// A text of digits may be a code: it is a number where its name says so.
  fileprivate var isNumericByName: Bool {
    let name = path.last.lowercased()
    return ["price", "amount", "total", "cost", "value", "rate", "score", "percent", "volume", "balance", "mag"]
      .contains { name.contains($0) }
  }
}
