internal import Definitions
internal import Expressions
internal import TableEncoding
internal import TableModel

/// A table's definition, compiled: what every item of every refresh goes through.
final class MappingPlan: Sendable {
  let definition: TableDefinition
  /// In the order in which the sections name them.
  let sources: [SourcePlan]
  let registry: TypeRegistry
  /// What takes an item that no representation takes, in order: the table's cell, `$default`.
  let defaults: [RepresentationPlan]
  /// What `can` says where the configuration does not: whether there is somebody to take such an edit.
  let canEdit: Bool
  let canMove: Bool
  let sections: SectionsPlan
  let sectionPlans: [SectionPlan]
  /// There is one section or all are groups, and no condition.
  let takesAll: Bool
  /// Where they are the same for all rows.
  let permissions: Permissions?
  /// Of all that is evaluated for an item.
  let dependencies: Dependencies

  struct SourcePlan: Sendable {
    var name: String
    /// Nil: the response itself.
    var items: Expression?
  }

  init(
    table: TableDefinition,
    cells: [CellDefinition],
    representations: [String: RepresentationDefinition],
    sources: [SourceDefinition]
  ) throws(DefinitionError) {
    let compiler = PlanCompiler(table: table, cells: cells, representations: representations)
    let plans = try compiler.representations()
    definition = table
    registry = TypeRegistry(plans)
    var defaults: [RepresentationPlan] = []
    if let cell = table.cell { defaults.append(.cell(try compiler.plan(cell, path: "cell"))) }
    if let plan = plans["$default"] { defaults.append(plan) }
    self.defaults = defaults
    let isLocal = sources.contains { source in
      guard case .local = source.kind else { return false }
      return source.name == table.source
    }
    canEdit = isLocal || table.edits.patch != nil || table.edits.delete != nil
    canMove = isLocal || table.edits.move != nil
    let sections = try SectionsPlan(table, compiler: compiler)
    self.sections = sections
    sectionPlans = sections.plans
    takesAll = sections.plans.count == 1 && sections.plans[0].predicate == nil
    permissions = Permissions(table.can, canEdit: canEdit, canMove: canMove)
    self.sources = sections.sourceNames.map { name in
      var items: Expression?
      for source in sources where source.name == name {
        if case .upstream(let upstream) = source.kind { items = upstream.items }
      }
      return SourcePlan(name: name, items: items)
    }
    var dependencies = sections.itemDependencies
    for template in [table.rowID, table.rowType] { dependencies.formUnion(template?.dependencies ?? []) }
    for plan in registry.plans + defaults { dependencies.formUnion(plan.dependencies) }
    for rule in [table.can.edit, table.can.move, table.can.select] {
      if case .expression(let expression) = rule { dependencies.formUnion(expression.dependencies) }
    }
    self.dependencies = dependencies
  }

  var readsResponse: Bool { dependencies.contains(.response) || sections.modelDependencies.contains(.response) }
}

extension Permissions {
  /// Nil where an expression decides.
  fileprivate init?(_ rules: PermissionsDefinition, canEdit: Bool, canMove: Bool) {
    self = []
    for (rule, permission) in [(rules.edit, Permissions.edit), (rules.move, .move), (rules.select, .select)] {
      switch rule {
      case .expression: return nil
      case .constant(let holds): if holds { insert(permission) }
      case .whereEditable: if permission == .move ? canMove : canEdit { insert(permission) }
      }
    }
  }
}
