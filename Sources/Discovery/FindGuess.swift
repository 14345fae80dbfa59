/// Guesses of searches, filters and sorts that people may want.
struct FindGuess {
  /// Expressions of the texts that the cell shows.
  let search: [String]
  let filters: [Choice]
  let sorts: [Choice]

  /// A filter or a sort.
  struct Choice {
    var name: String
    var title: String
    /// The expression.
    var by: String
    var evidence: String
    var descends = false
    /// Texts are in the order of a dictionary, numbers in them in that of numbers: Item 9, Item 10.
    var isNatural = false
  }

  private static let mostFilters = 3
  private static let mostSorts = 3

  init(_ fields: [Field], cell: CellGuess) {
    let fields = fields.filter(\.path.canBeBare)
    let texts = [cell.title] + cell.others.filter { $0.name == "subtitle" }
    search = texts.flatMap { [$0.path].compactMap(\.self) + $0.further }.filter(\.canBeBare).map(\.expression)
    let own = fields.filter { $0.path.names.dropLast().allSatisfy(Wrapper.names.contains) && !$0.path.last.isEmpty }
    var names: Set<String> = []
    let filters = own.filter { Self.isFilter($0) && $0.path != cell.title.path }.compactMap { field in
      Choice(field, evidence: "\(field.distinct.count.grouped) values")
    }
    self.filters = Array(filters.filter { names.insert($0.name).inserted }.prefix(Self.mostFilters))
    names = []
    var sorts: [Choice] = []
    if let path = cell.title.path, let field = fields.first(where: { $0.path == path }),
      var choice = Choice(field, evidence: "the title")
    {
      choice.isNatural = field.isText
      sorts.append(choice)
    }
    for part in cell.others where part.name == "date" || part.type == "optional number" {
      guard let path = part.path, let field = fields.first(where: { $0.path == path }),
        var choice = Choice(field, evidence: part.name == "date" ? "the newest first" : "the largest first")
      else { continue }
      choice.descends = true
      if let filter = Self.order(of: field, as: part.type) {
        choice.by = "\(field.valueWithoutEmpty) | \(filter)"
      }
      sorts.append(choice)
    }
    self.sorts = Array(sorts.filter { names.insert($0.name).inserted }.prefix(Self.mostSorts))
  }

  /// The filter that gives texts the order of what they say. As texts, 100.00 is before 9.50, and 22:00Z before
  /// 23:00+02:00.
  private static func order(of field: Field, as type: String) -> String? {
    guard field.isText else { return nil }
    return switch type {
    case "optional number": "float"
    case "optional date": field.isOfOneFormInUTC ? nil : "timestamp"
    default: nil
    }
  }

  /// A member with few values, each of which several items have.
  private static func isFilter(_ field: Field) -> Bool {
    guard field.items > 3, field.present * 2 >= field.items, (2...30).contains(field.distinct.count),
      field.distinct.count * 2 <= field.present, field.averageBytes <= 40
    else { return false }
    return field.isBoolean
      || field.isText && !field.isMostly(.url) && !field.isMostly(.moment) && !field.isMostly(.number)
  }

  /// Writes `find`, where there is something to be found by.
  func write(_ writer: inout DraftWriter) {
    guard !search.isEmpty || !filters.isEmpty || !sorts.isEmpty else { return }
    writer.write(2, "find:", "what people may search, filter and sort by")
    if !search.isEmpty {
      writer.write(3, "prompt: Search", "stands in the empty search field")
      writer.write(3, "search: [\(search.map(DraftWriter.quoted).joined(separator: ", "))]")
    }
    Self.write("filters", filters, &writer)
    Self.write("sorts", sorts, &writer)
  }

  private static func write(_ key: String, _ choices: [Choice], _ writer: inout DraftWriter) {
    guard !choices.isEmpty else { return }
    writer.write(3, "\(key):")
    for choice in choices {
      let by = DraftWriter.quoted(choice.by)
      let order = choice.descends ? ", order: descending" : choice.isNatural ? ", natural: true, locale: en" : ""
      writer.write(
        4,
        "\(choice.name): {title: \(DraftWriter.quoted(choice.title)), by: \(by)\(order)}",
        choice.evidence
      )
    }
  }
}

extension FindGuess.Choice {
  /// Nil where the member's name gives none.
  init?(_ field: Field, evidence: String) {
    guard let name = SourceName(Self.words(field.path.last))?.text else { return nil }
    self.init(name: name, title: SourceName.title(name), by: field.path.expression, evidence: evidence)
  }

  /// `firstSeen` → `first Seen`.
  private static func words(_ name: String) -> String {
    var words = ""
    for character in name {
      if character.isUppercase, words.last?.isLowercase == true { words.append(" ") }
      words.append(character)
    }
    return words
  }
}
