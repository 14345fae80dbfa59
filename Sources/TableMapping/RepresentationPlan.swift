internal import Definitions
internal import Expressions
internal import JSON

/// How a type of item is shown, compiled: every `use` is resolved, so that nothing is looked up by name and no
/// circle can be left.
indirect enum RepresentationPlan: Sendable {
  case cell(CellPlan)
  case cases([Case])

  struct Case: Sendable {
    var when: Expression?
    var plan: RepresentationPlan
  }

  /// The cell for what is in scope; nil where no case holds.
  func cell(in scope: borrowing Scope) throws(EvaluationError) -> CellPlan? {
    switch self {
    case .cell(let plan): return plan
    case .cases(let cases):
      for candidate in cases {
        if let when = candidate.when, try !when.isTrue(in: scope) { continue }
        if let plan = try candidate.plan.cell(in: scope) { return plan }
      }
      return nil
    }
  }

  var dependencies: Dependencies {
    switch self {
    case .cell(let plan): plan.dependencies
    case .cases(let cases):
      cases.reduce(into: []) { dependencies, candidate in
        dependencies.formUnion(candidate.when?.dependencies ?? [])
        dependencies.formUnion(candidate.plan.dependencies)
      }
    }
  }

  /// The members of the item that the plan reads.
  var itemSelection: MemberSelection {
    switch self {
    case .cell(let plan): plan.itemSelection
    case .cases(let cases):
      cases.reduce(into: MemberSelection()) { selection, candidate in
        selection.formUnion(candidate.when?.itemSelection ?? MemberSelection())
        selection.formUnion(candidate.plan.itemSelection)
      }
    }
  }

  /// The cell that is shown where no condition holds; nil where there is always one.
  var unconditionalCell: CellPlan? {
    switch self {
    case .cell(let plan): plan
    case .cases(let cases): cases.first { $0.when == nil }?.plan.unconditionalCell
    }
  }
}
