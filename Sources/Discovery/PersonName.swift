/// A person's name in two members: the title is both.
struct PersonName {
  let given: Field
  let family: Field

  /// `Dr`, `Ms`.
  private static let title = "title"
  private static let givenNames: Set = ["firstname", "givenname", "given", "forename", "first"]
  private static let familyNames: Set = ["lastname", "familyname", "family", "surname", "last"]

  /// - Parameter field: one of the two, or the title of the person; nil where not both names are beside it.
  init?(beside field: Field, among fields: [Field]) {
    let name = field.path.plainLast
    guard name == Self.title || Self.givenNames.contains(name) || Self.familyNames.contains(name) else { return nil }
    let beside = fields.filter { $0.path.names.dropLast() == field.path.names.dropLast() && $0.path.lists.isEmpty }
    func find(_ names: Set<String>) -> Field? {
      beside.first { other in
        // The first and the last of something else are numbers, moments or URLs.
        other.isText && other.present * 10 >= other.items * 9 && names.contains(other.path.plainLast)
          && ![Field.Form.number, .moment, .day, .url].contains(where: other.isMostly)
      }
    }
    guard let given = find(Self.givenNames), let family = find(Self.familyNames) else { return nil }
    (self.given, self.family) = (given, family)
  }

  func has(_ field: Field) -> Bool { field.path == given.path || field.path == family.path }

  var value: String {
    let both = "(\(given.path.expression) + ' ' + \(family.path.expression)) | trim"
    let isAlwaysThere = [given, family].contains { $0.isAlwaysThere && !$0.has(.empty) }
    return isAlwaysThere ? "${\(both)}" : "${\(both) | default('untitled')}"
  }
}
