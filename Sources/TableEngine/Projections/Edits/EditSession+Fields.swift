import Definitions
import JSON
import TableStore

/// The checks of edits by `local.fields`.
extension EditSession {
  /// - Parameters:
  ///   - item: with what makes it one of its section.
  ///   - sent: as the client has sent it.
  ///   - defaults: whose members an item gets that it lacks.
  func checkFields(adding item: JSONValue, sent: JSONValue, over defaults: JSONValue) throws(TableError) {
    guard let fields = content.local?.definition.fields else { return }
    let faults = fields.faults(writing: sent, making: item.completed(by: defaults), by: .whole)
    if !faults.isEmpty { throw .unwritable(faults) }
  }

  /// - Parameter isPlacement: the patch is the service's own, and makes the item one of a section.
  func checkFields(
    patching item: ItemID,
    with patch: JSONValue,
    isPlacement: Bool = false
  ) throws(TableError) {
    guard let local = content.local, let fields = local.definition.fields, let stored = local.items[item],
      let old = try? JSONValue(parsing: stored.body)
    else { return }
    let faults = fields.faults(
      writing: patch,
      making: old.merging(patch: patch),
      by: isPlacement ? .placement(of: old) : .patch(of: old)
    )
    if !faults.isEmpty { throw .unwritable(faults) }
  }
}

extension TableError {
  /// Returns the refusal of members that may not be written as they were sent.
  fileprivate static func unwritable(_ faults: [ItemFields.Fault]) -> TableError {
    let words = faults.prefix(3).map { "`\($0.name)` \($0.reason)" }.joined(separator: "; ")
    let more = faults.count > 3 ? "; and \(faults.count - 3) more" : ""
    let first = faults.first?.name
    var error = TableError.unprocessable(
      words + more + ".",
      field: faults.allSatisfy { $0.name == first } ? first : nil
    )
    for fault in faults {
      if let known = error.fields.firstIndex(where: { $0.name == fault.name }) {
        error.fields[known].reasons.append(fault.reason)
      } else {
        error.fields.append(FieldFault(name: fault.name, reasons: [fault.reason]))
      }
    }
    return error
  }
}

extension JSONValue {
  /// With those members of another object that it lacks.
  fileprivate func completed(by other: JSONValue) -> JSONValue {
    guard case .object(let members) = self, case .object(let others) = other else { return self }
    return .object(members + others.filter { self[$0.name] == nil })
  }
}
