internal import Definitions
internal import Expressions
internal import JSON
internal import TableEncoding
internal import TableModel

/// A table's definition, compiled: what every item of every refresh goes through.
final class MappingPlan: Sendable {
  let definition: TableDefinition
  /// In the order in which the sections name them.
  let sources: [SourcePlan]
  /// The sources that are known to be upstreams.
  let upstreams: Set<String>
  /// None where no expression reads them.
  let lookups: [LookupPlan]
  let actions: [ActionPlan]
  /// Nil: the table offers nothing to be found by.
  let find: FindPlan?
  let registry: TypeRegistry
  /// The representations for an item that no other one takes, in order: the table's cell, `$default`.
  let defaults: [RepresentationPlan]
  /// The default of `can`: whether somebody takes such an edit.
  let canEdit: Bool
  let canMove: Bool
  let sections: SectionsPlan
  let sectionPlans: [SectionPlan]
  /// By section: the template of its rows' identities, alone in a list; nil where it has none.
  let rowIDs: [TemplateList?]
  // Asked for every item; stored, so that the answer counts no references.
  let isGrouped: Bool
  let sorts: Bool
  let readsTypes: Bool
  /// The cell of a table in which one cell takes every item without a type.
  let soleCell: CellPlan?
  /// There is one section or all are groups, and no condition.
  let takesAll: Bool
  /// Items have nothing but rows: in one section, and in their order.
  let onlyMakesRows: Bool
  /// The permissions, where all rows have the same.
  let permissions: Permissions?
  /// The maker of rows straight from the items, where that is possible.
  let directRow: DirectRow?
  /// The dependencies of everything that is evaluated for an item.
  let dependencies: Dependencies
  /// The members of items that are read: others need not be parsed.
  let itemSelection: MemberSelection
  /// The most work of a mapping for each item of a source (``MappingBudget``).
  let workPerItem: Int

  struct SourcePlan: Sendable {
    var name: String
    /// Its place among the plan's sources.
    var number = 0
    /// Its items are the service's own.
    var isLocal = false
    /// Nil: the response itself.
    var items: Expression?
    /// The list of each item, whose elements are the rows; nil: the items are.
    var expands: Expression?
    /// The most items of all these lists.
    var maxItems = Int.max
    var failsWhenMore = false

    init(_ name: String, among sources: [SourceDefinition]) {
      self.name = name
      switch sources.first(where: { $0.name == name })?.kind {
      case .upstream(let upstream):
        items = upstream.items
        (maxItems, failsWhenMore) = (upstream.maxItems, upstream.whenMore == .fail)
      case .local: isLocal = true
      case nil: break
      }
    }
  }

  init(
    table: TableDefinition,
    cells: [CellDefinition],
    representations: [String: RepresentationDefinition],
    sources: [SourceDefinition],
    workPerItem: Int,
    find: FindPlan? = nil
  ) throws(DefinitionError) {
    self.workPerItem = workPerItem
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
    canEdit = isLocal || [table.edits.patch, table.edits.delete, table.edits.replace].contains { $0 != nil }
    canMove = isLocal || table.edits.move != nil
    let callersLookups = table.lookups.filter { lookup in
      guard lookup.on.callerUse.isEmpty else { return true }
      guard case .upstream(let upstream)? = sources.first(where: { $0.name == lookup.source })?.kind else {
        return false
      }
      return !upstream.callerUse.isEmpty
    }
    let sections = try SectionsPlan(table, callersLookups: Set(callersLookups.map(\.name)), compiler: compiler)
    self.sections = sections
    sectionPlans = sections.plans
    rowIDs = sections.plans.map { $0.rowID.map { TemplateList([$0]) } }
    isGrouped = if case .groups = sections { true } else { false }
    sorts = sections.plans.contains { !$0.sort.isEmpty }
    readsTypes = sections.plans.contains { $0.rowType != nil }
    soleCell = if defaults.count == 1, case .cell(let cell) = defaults[0] { cell } else { nil }
    takesAll = sections.plans.count == 1 && sections.plans[0].predicate == nil
    onlyMakesRows = takesAll && !isGrouped && !sorts
    permissions = Permissions(table.can, canEdit: canEdit, canMove: canMove)
    self.sources = sections.sourceNames.enumerated().map { number, name in
      var plan = SourcePlan(name, among: sources)
      plan.number = number
      if name == table.source { plan.expands = table.items }
      return plan
    }
    upstreams = Set(sources.filter { if case .upstream = $0.kind { true } else { false } }.map(\.name))
    actions = table.actions.map { ActionPlan($0) }
    let find = find ?? FindPlan(table, sections)
    self.find = find
    directRow = DirectRow(
      rowID: rowIDs.first.flatMap(\.self),
      cell: soleCell,
      permissions: permissions,
      onlyMakesRows: onlyMakesRows,
      readsTypes: readsTypes,
      actions: actions,
      isFound: find != nil
    )
    var (dependencies, selection) = (sections.itemDependencies, sections.itemSelection)
    for template in sections.plans.flatMap({ [$0.rowID, $0.rowType] }) {
      dependencies.formUnion(template?.dependencies ?? [])
    }
    for plan in registry.plans + defaults {
      dependencies.formUnion(plan.dependencies)
      selection.formUnion(plan.itemSelection)
    }
    for rule in [table.can.edit, table.can.move, table.can.select] {
      guard case .expression(let expression) = rule else { continue }
      dependencies.formUnion(expression.dependencies)
      selection.formUnion(expression.itemSelection)
    }
    if let find {
      dependencies.formUnion(find.dependencies)
      selection.formUnion(find.itemSelection)
    }
    for action in actions {
      dependencies.formUnion(action.dependencies)
      selection.formUnion(action.itemSelection)
    }
    lookups =
      dependencies.contains(.lookups)
      ? table.lookups.map { LookupPlan($0, source: SourcePlan($0.source, among: sources)) } : []
    for lookup in lookups {
      dependencies.formUnion(lookup.on.dependencies)
      selection.formUnion(lookup.on.itemSelection)
    }
    (self.dependencies, itemSelection) = (dependencies, selection)
  }

  /// True if documents must be parsed as a whole.
  var readsResponses: Bool {
    !dependencies.union(sections.modelDependencies).isDisjoint(with: [.response, .pages])
  }

  /// True if a change of a few items can be laid out without the others: all are the service's own, and none sees more
  /// than itself and what is looked up elsewhere.
  var laysOutEdits: Bool {
    isOfOneList && sources[0].isLocal && !dependencies.contains(.index)
      && !lookups.contains { $0.source.name == sources[0].name }
  }

  /// True if a change of a few of a source's items can be shown in place: no header, footer or other item sees them.
  var keepsPlaces: Bool { isOfOneList && !sources[0].isLocal && !sectionPlans.contains(where: \.readsItems) }

  /// True if each item of one source is a row's, and nothing is read of responses as a whole.
  var isOfOneList: Bool { sources.count == 1 && sources[0].expands == nil && !readsResponses }

  /// Returns the templates that name the rows of a source's items.
  func rowIDs(of source: String) -> TemplateList? {
    sectionPlans.firstIndex { $0.source == source }.flatMap { rowIDs[$0] }
  }
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
