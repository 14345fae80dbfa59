internal import JSON

/// By what the items are put into sections.
struct SectionGuess: Sendable {
  var path: MemberPath
  /// How many items have each value: `open 20, closed 10`.
  var evidence: String

  private static let names = [
    "state", "status", "type", "category", "kind", "priority", "severity", "stage", "group", "department", "phase",
    "level", "class",
  ]

  /// The likeliest one first; a member that has two to twelve values in nine tenths of the items.
  static func candidates(_ fields: [Field], of items: [JSONValue]) -> [SectionGuess] {
    fields.compactMap { field -> (rank: Int, guess: SectionGuess)? in
      let depth = field.path.names.dropLast().filter { !Wrapper.names.contains($0) }.count
      var name = field.path.last.lowercased()
      // `status.name`, as Jira and Redmine have it.
      var isNamed = depth == 0
      if depth == 1, ["name", "value", "label", "title"].contains(name), let parent = field.path.names.dropLast().last {
        (name, isNamed) = (parent.lowercased(), true)
      }
      guard isNamed, field.path.canBeBare, field.isText, field.present * 10 >= field.items * 9,
        (2...12).contains(field.distinct.count),
        field.items >= field.distinct.count * 2, field.averageBytes <= 40, !field.has(.empty),
        let rank = names.firstIndex(of: name)
      else { return nil }
      var counts: [(value: String, count: Int)] = []
      for item in items {
        guard let value = item[field.path]?.text else { continue }
        if let index = counts.firstIndex(where: { $0.value == value }) {
          counts[index].count += 1
        } else {
          counts.append((value, 1))
        }
      }
      let said = counts.prefix(6).map { "\($0.value.singleLine) \($0.count.grouped)" }.joined(separator: ", ")
      return (rank, SectionGuess(path: field.path, evidence: said + (counts.count > 6 ? ", …" : "")))
    }
    .sorted { $0.rank < $1.rank }.map(\.guess)
  }
}

extension String {
  /// Not too long for a comment.
  var singleLine: String {
    let line = withoutControls
    return line.count > 60 ? line.prefix(60) + "…" : line
  }

  /// Without what would end a comment's line.
  var withoutControls: String {
    String(
      unicodeScalars.map { scalar in
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: " "
        default: Character(scalar)
        }
      }
    )
  }
}
