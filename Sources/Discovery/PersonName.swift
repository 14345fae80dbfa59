/// A person's name in two members: the title is both.
struct PersonName {
  let given: Field
  let family: Field

  private static let givenNames: Set = ["firstname", "givenname", "given", "forename", "first"]
  private static let familyNames: Set = ["lastname", "familyname", "family", "surname", "last"]

  /// - Parameter field: one of the two; nil where it is none, or the other is not beside it.
  init?(with field: Field, among fields: [Field]) {
    let beside = fields.filter { $0.path.names.dropLast() == field.path.names.dropLast() && $0.path.lists.isEmpty }
    func find(_ names: Set<String>) -> Field? {
      beside.first { other in
        other.isText && other.present * 10 >= other.items * 9
          && names.contains(other.path.last.lowercased().filter { $0 != "_" && $0 != "-" })
      }
    }
    guard let given = find(Self.givenNames), let family = find(Self.familyNames),
      field.path == given.path || field.path == family.path
    else { return nil }
    (self.given, self.family) = (given, family)
  }

  var value: String { "${(\(given.path.expression) + ' ' + \(family.path.expression)) | trim}" }
}
