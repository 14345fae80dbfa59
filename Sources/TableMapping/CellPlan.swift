internal import Definitions
internal import Expressions
internal import JSON
internal import TableEncoding

/// A cell mapping, compiled: a template for every declared field, and the cells that can be filled from the same
/// values where this one can't be shown.
final class CellPlan: Sendable {
  let cell: String
  /// The values of the fields, a slot for each, in the order of the declaration. Null for a field that the payload
  /// leaves out, false for the one that a tap toggles.
  let templates: TemplateList
  /// By slot: integers are written without a fraction.
  let areIntegers: [Bool]
  /// The cell itself, then those of its fallbacks that its fields can fill.
  let chain: [Candidate]
  /// The layouts of the fallback chain: the first, and the others.
  let layout: CellLayout
  let fallbacks: ArraySlice<CellLayout>
  /// The writer of payloads straight from the items, where that is possible.
  let direct: DirectPayload?
  let select: Template?
  let dependencies: Dependencies
  /// The members of the item that the plan reads.
  let itemSelection: MemberSelection

  struct Candidate: Sendable {
    var layout: CellLayout
    var checks: [Check]
  }

  /// A candidate's condition on the value in a slot.
  struct Check: Sendable {
    var field: String
    var slot: Int
    var type: FieldType
    var isOptional: Bool
  }

  init(_ mapping: CellMapping, definition: CellDefinition, fallbacks: [CellDefinition]) {
    cell = definition.identifier
    let templates = Dictionary(
      (mapping.payload.members ?? []).map { ($0.name, $0.template) },
      uniquingKeysWith: { first, _ in first }
    )
    let fields = definition.fields.map { field in
      templates[field.name] ?? Template(constant: field.name == definition.expands ? .bool(false) : .null)
    }
    self.templates = TemplateList(fields)
    areIntegers = definition.fields.map { $0.type == .integer }
    var slots: [String: Int] = [:]
    for (slot, field) in definition.fields.enumerated() { slots[field.name] = slot }
    let own = Self.candidate(definition, slots: slots)
    let others = fallbacks.compactMap { cell in
      cell.fields.allSatisfy { $0.isOptional || slots[$0.name] != nil } ? Self.candidate(cell, slots: slots) : nil
    }
    (chain, layout) = ([own] + others, own.layout)
    self.fallbacks = others.map(\.layout)[...]
    direct =
      others.isEmpty ? DirectPayload(own, templates: self.templates, constants: fields.map(\.constant)) : nil
    select = mapping.select ?? definition.select
    var dependencies = select?.dependencies ?? []
    var selection = select?.itemSelection ?? MemberSelection()
    for template in fields {
      dependencies.formUnion(template.dependencies)
      selection.formUnion(template.itemSelection)
    }
    (self.dependencies, itemSelection) = (dependencies, selection)
  }

  /// With those of its fields that have a slot to be filled from.
  private static func candidate(_ cell: CellDefinition, slots: [String: Int]) -> Candidate {
    var layout: [CellLayout.Field] = []
    var checks: [Check] = []
    for field in cell.fields {
      guard let slot = slots[field.name] else { continue }
      layout.append(CellLayout.Field(name: field.name, slot: slot))
      checks.append(Check(field: field.name, slot: slot, type: field.type, isOptional: field.isOptional))
    }
    return Candidate(
      layout: CellLayout(identifier: cell.identifier, fields: layout, expands: cell.expands),
      checks: checks
    )
  }
}

extension CellPlan.Candidate {
  /// Why the values don't fit this cell; nil: they do.
  @inline(__always)
  func misfit(_ values: [Value], errors: [String?]) -> Misfit? {
    // In place: a copy of each check would count the references in it.
    checks.withUnsafeBufferPointer { checks in
      for index in checks.indices {
        if case .null = values[checks[index].slot] {
          if checks[index].isOptional, errors.isEmpty { continue }
          if let misfit = misfit(checks[index], errors) { return misfit }
        } else if !checks[index].type.admits(values[checks[index].slot]) {
          let problem = "is \(values[checks[index].slot].sample)"
          return Misfit(cell: layout.identifier, check: checks[index], problem: problem)
        }
      }
      return nil
    }
  }

  private func misfit(_ check: CellPlan.Check, _ errors: [String?]) -> Misfit? {
    if check.slot < errors.count, let error = errors[check.slot] {
      return Misfit(cell: layout.identifier, check: check, problem: "has no value (\(error))")
    }
    return check.isOptional ? nil : Misfit(cell: layout.identifier, check: check, problem: "is null")
  }
}

/// Why a cell does not take an item.
struct Misfit: Error {
  var reason: String
  /// An expression failed: a mistake, where else the item is only not the cell's.
  var isFailure = false
  /// The field of the cell's payload that is to blame.
  var field: String?

  init(reason: String, isFailure: Bool = false) { (self.reason, self.isFailure) = (reason, isFailure) }

  init(cell: String, check: CellPlan.Check, problem: String) {
    field = check.field
    reason = "the field “\(check.field)” of \(cell) \(problem); \(check.type.expectation) is expected"
  }
}
