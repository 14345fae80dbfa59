import Definitions
import TableModel

/// The parameters of a family: what a reference may and must name.
struct FamilyParameters: Sendable {
  private let table: String
  private let declared: [ParameterDefinition]

  /// A value is at most so long, in bytes.
  private static let maximumLength = 256

  init(_ definition: TableDefinition) { (table, declared) = (definition.name, definition.parameters) }

  /// The values in the order of their names, defaults filled in; each is there and matches its pattern.
  func values(of reference: TableReference, _ caller: CallerFields = CallerFields([]))
    throws(TableError) -> [TableReference.Parameter]
  {
    if let unknown = reference.parameters.first(where: { given in !declared.contains { $0.name == given.name } }) {
      let names = declared.map { "`\($0.name)`" }.joined(separator: ", ")
      throw .malformed(
        "The table `\(table)` has no parameter `\(unknown.name)`\(names.isEmpty ? "" : ": \(names) are its own").",
        field: unknown.name
      )
    }
    for (index, given) in reference.parameters.enumerated().dropFirst()
    where given.name == reference.parameters[index - 1].name {
      throw .malformed("The parameter `\(given.name)` stands twice.", field: given.name)
    }
    var values: [TableReference.Parameter] = []
    for parameter in declared {
      let given = reference.parameters.first { $0.name == parameter.name }?.value
      guard let value = given ?? parameter.defaultValue ?? parameter.defaultTemplate.flatMap(caller.text) else {
        throw .malformed(
          "The parameter `\(parameter.name)` is missing: `\(table);\(parameter.name)=…`, matching `\(parameter.pattern)`.",
          field: parameter.name
        )
      }
      guard value.utf8.count <= Self.maximumLength else {
        throw .malformed(
          "The parameter `\(parameter.name)` is longer than \(Self.maximumLength) bytes.",
          field: parameter.name
        )
      }
      guard parameter.admits(value) else {
        throw .malformed(
          "The parameter `\(parameter.name)` does not match its pattern `\(parameter.pattern)`.",
          field: parameter.name
        )
      }
      values.append(TableReference.Parameter(name: parameter.name, value: value))
    }
    return values.sorted { $0.name < $1.name }
  }

  /// Returns whether these values, of an existing member, may still stand.
  func allow(_ values: [TableReference.Parameter]) -> Bool {
    values.allSatisfy { value in
      declared.contains { $0.name == value.name && $0.admits(value.value) }
    }
  }
}
