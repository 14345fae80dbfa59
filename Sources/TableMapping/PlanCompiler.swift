internal import Definitions
internal import Expressions

/// Resolves the names in a table's definition: cells, representations, and what they `use`.
struct PlanCompiler {
  private let table: TableDefinition
  private let cells: [String: CellDefinition]
  private let shared: [String: RepresentationDefinition]

  init(table: TableDefinition, cells: [CellDefinition], representations: [String: RepresentationDefinition]) {
    self.table = table
    self.cells = Dictionary(cells.map { ($0.identifier, $0) }, uniquingKeysWith: { first, _ in first })
    shared = representations
  }

  /// By type of item: the shared ones and the table's own over them.
  func representations() throws(DefinitionError) -> [String: RepresentationPlan] {
    var plans: [String: RepresentationPlan] = [:]
    for name in Set(table.representations.keys).union(shared.keys).sorted() {
      plans[name] = try resolve(name, from: [], path: "representations.\(name)")
    }
    return plans
  }

  func plan(_ mapping: CellMapping, path: String) throws(DefinitionError) -> CellPlan {
    guard let definition = cells[mapping.cell] else {
      throw error(path, "no cell “\(mapping.cell)” is declared under `cells`")
    }
    return CellPlan(mapping, definition: definition, fallbacks: try fallbacks(of: definition))
  }

  func optionalPlan(_ mapping: CellMapping?, path: String) throws(DefinitionError) -> CellPlan? {
    guard let mapping else { return nil }
    return try plan(mapping, path: path)
  }

  private func fallbacks(of cell: CellDefinition) throws(DefinitionError) -> [CellDefinition] {
    var chain: [CellDefinition] = []
    var seen: Set = [cell.identifier]
    var next = cell.fallback
    while let name = next {
      guard let fallback = cells[name] else {
        throw error("cells.\(chain.last?.identifier ?? cell.identifier).fallback", "no cell “\(name)” is declared")
      }
      guard seen.insert(name).inserted else {
        throw error("cells.\(cell.identifier).fallback", "“\(name)” falls back on itself in the end")
      }
      chain.append(fallback)
      next = fallback.fallback
    }
    return chain
  }

  /// The place where a name was found: a table's own representation may build on the shared one of the same name.
  private struct Step: Hashable {
    var name: String
    var isShared: Bool
  }

  private func resolve(_ name: String, from steps: [Step], path: String) throws(DefinitionError) -> RepresentationPlan {
    let isOwn = steps.last == Step(name: name, isShared: false)
    let definition: RepresentationDefinition
    let step: Step
    if let own = table.representations[name], !isOwn {
      (definition, step) = (own, Step(name: name, isShared: false))
    } else if let common = shared[name] {
      (definition, step) = (common, Step(name: name, isShared: true))
    } else if isOwn {
      throw error(path, "“\(name)” uses itself, and there is no shared representation of the name")
    } else {
      throw error(path, "no representation “\(name)” is declared")
    }
    guard !steps.contains(step) else {
      let circle = (steps.map(\.name) + [name]).joined(separator: " → ")
      throw error(path, "representations use each other in a circle: \(circle)")
    }
    return try compile(definition, steps: steps + [step], path: path)
  }

  private func compile(
    _ definition: RepresentationDefinition,
    steps: [Step],
    path: String
  ) throws(DefinitionError) -> RepresentationPlan {
    switch definition {
    case .cell(let mapping):
      return .cell(try plan(mapping, path: path))
    case .use(let name):
      return try resolve(name, from: steps, path: path)
    case .cases(let cases):
      var plans: [RepresentationPlan.Case] = []
      for (index, candidate) in cases.enumerated() {
        let plan = try compile(candidate.representation, steps: steps, path: "\(path).cases[\(index)]")
        plans.append(RepresentationPlan.Case(when: candidate.when, plan: plan))
      }
      return .cases(plans)
    }
  }

  private func error(_ path: String, _ message: String) -> DefinitionError {
    DefinitionError(table: table.name, path: path, message: message)
  }
}
