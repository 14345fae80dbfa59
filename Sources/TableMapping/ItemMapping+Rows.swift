internal import Definitions
internal import Expressions
internal import JSON
internal import TableEncoding
internal import TableModel

extension ItemMapping {
  /// The row by the type's representation, else by the table's defaults. Throws why the first choice was none.
  mutating func row(_ id: String, type: Value, _ scope: Scope) throws(Misfit) -> Row {
    if finding != nil {
      var warnings: [String] = []
      builder.findable = finding?.record(scope, group: group) { warnings.append($0) } ?? []
      if let first = warnings.first { warn(first) }
    }
    if type.isNull, let cell = plan.soleCell { return try row(id, in: cell, scope) }
    var first: Misfit?
    let own = type.isNull ? nil : plan.registry.plan(forType: type)
    if let own, let row = row(id, by: own, scope, &first) { return row }
    for plan in plan.defaults {
      guard let row = row(id, by: plan, scope, &first) else { continue }
      // That a type's cells don't take an item is what defaults are for; a condition that fails is a mistake.
      if let first, first.isFailure { warn("\(first.reason); the row \(id) is shown by default") }
      return row
    }
    if let first { throw first }
    let name = type.text.map { "the type “\($0)”" } ?? "an item without a type"
    throw Misfit(
      reason: own == nil
        ? "no representation takes \(name), and there is neither a `$default` nor a `cell` of the table"
        : "no case of the representation of \(name) holds, and there is neither a `$default` nor a `cell` of the table"
    )
  }

  /// Nil where no case of the representation holds, or its cells don't take the item; the first such is told.
  private mutating func row(
    _ id: String,
    by representation: RepresentationPlan,
    _ scope: Scope,
    _ first: inout Misfit?
  ) -> Row? {
    do throws(Misfit) {
      return try row(id, by: representation, scope)
    } catch {
      if first == nil { first = error }
      return nil
    }
  }

  /// Nil where no case of the representation holds.
  private mutating func row(
    _ id: String,
    by representation: RepresentationPlan,
    _ scope: Scope
  ) throws(Misfit) -> Row? {
    let cell: CellPlan
    do throws(EvaluationError) {
      guard let found = try representation.cell(in: scope) else { return nil }
      cell = found
    } catch {
      throw Misfit(reason: "`when`: \(error)", isFailure: true)
    }
    return try row(id, in: cell, scope)
  }

  private mutating func row(_ id: String, in cell: CellPlan, _ scope: Scope) throws(Misfit) -> Row {
    if let direct = cell.direct, case .json(let item) = scope.item {
      var expansion: Range<Int>?
      builder.begin(id: id, cell: cell.layout)
      if direct.write(item, to: &builder.writer, expansion: &expansion) {
        let select = select(cell, id, scope)
        let permissions = permissions(scope)
        return builder.end(
          id: id,
          cell: cell.layout,
          expansion: expansion,
          permissions: permissions,
          actions: actions(of: id, scope),
          select: select
        )
      }
    }
    let others = try cell.dependencies.contains(.id) ? fill(cell, scope.naming(id)) : fill(cell, scope)
    let select = select(cell, id, scope)
    let permissions = permissions(scope)
    return builder.row(
      id: id,
      cell: others?.first ?? cell.layout,
      fallbacks: others?.dropFirst() ?? cell.fallbacks,
      values: values,
      permissions: permissions,
      actions: actions(of: id, scope),
      select: select
    )
  }

  private mutating func select(_ cell: CellPlan, _ id: String, _ scope: Scope) -> Value {
    guard let template = cell.select else { return .null }
    do throws(EvaluationError) {
      return try evaluate(template, id: id, scope)
    } catch {
      warn("`select` of \(cell.cell): \(error); the row \(id) leads nowhere")
      return .null
    }
  }

  /// Returns the actions that the item offers. An action whose condition fails to evaluate is not offered, which is a
  /// warning.
  private mutating func actions(of id: String, _ scope: Scope) -> [RowAction] {
    guard !plan.actions.isEmpty else { return [] }
    var actions: [RowAction] = []
    for action in plan.actions where takesPatches || !action.isPatch {
      do throws(EvaluationError) {
        let scope = action.dependencies.contains(.id) ? scope.naming(id) : scope
        if let action = try action.action(in: scope) { actions.append(action) }
      } catch {
        warn("the action `\(action.id)`: \(error); not offered")
      }
    }
    return actions
  }

  private func evaluate(_ template: Template, id: String, _ scope: Scope) throws(EvaluationError) -> Value {
    try template.evaluate(in: template.dependencies.contains(.id) ? scope.naming(id) : scope)
  }

  /// A header or footer for what is in scope.
  mutating func model(_ cell: CellPlan, in scope: Scope) throws(Misfit) -> CellModel? {
    texts.removeAll()
    let others = try fill(cell, scope)
    return builder.cellModel(others?.first ?? cell.layout, values: values)
  }

  /// Evaluates the fields and gives the cells that they fit, in order, at least one; nil: they fit all that the plan has.
  private mutating func fill(_ cell: CellPlan, _ scope: Scope) throws(Misfit) -> [CellLayout]? {
    values.removeAll(keepingCapacity: true)
    errors.removeAll(keepingCapacity: true)
    for slot in 0..<cell.templates.count {
      do throws(EvaluationError) {
        var value = try cell.templates.value(at: slot, in: scope, arena: texts)
        if cell.areIntegers[slot], case .number(let number) = value, let integer = Int64(exactly: number) {
          value = .integer(integer)
        }
        values.append(value)
      } catch {
        values.append(.null)
        if errors.isEmpty { errors = [String?](repeating: nil, count: cell.templates.count) }
        errors[slot] = error.message
      }
    }
    for position in cell.chain.indices {
      guard let misfit = cell.chain[position].misfit(values, errors: errors) else { continue }
      // One does not fit: only now is a list of those that do worth its memory.
      var fitting = cell.chain[..<position].map(\.layout)
      for rest in cell.chain[(position + 1)...] where rest.misfit(values, errors: errors) == nil {
        fitting.append(rest.layout)
      }
      guard fitting.isEmpty else { return fitting }
      throw misfit
    }
    return nil
  }

  mutating func permissions(_ scope: Scope) -> Permissions {
    let permissions = configuredPermissions(scope)
    return isReadOnly ? permissions.intersection(.select) : permissions
  }

  private mutating func configuredPermissions(_ scope: Scope) -> Permissions {
    if let constant = plan.permissions { return constant }
    var permissions: Permissions = []
    let can = plan.definition.can
    if holds(can.edit, "edit", scope) { permissions.insert(.edit) }
    if holds(can.move, "move", scope) { permissions.insert(.move) }
    if holds(can.select, "select", scope) { permissions.insert(.select) }
    return permissions
  }

  private mutating func holds(_ rule: PermissionsDefinition.Rule, _ name: String, _ scope: Scope) -> Bool {
    switch rule {
    case .constant(let value): return value
    case .whereEditable: return name == "move" ? plan.canMove : plan.canEdit
    case .expression(let expression):
      do throws(EvaluationError) {
        return try expression.isTrue(in: scope)
      } catch {
        warn("`can.\(name)`: \(error); taken as false")
        return false
      }
    }
  }
}

extension Scope {
  /// `$id` is the row's.
  fileprivate func naming(_ id: String) -> Scope {
    var scope = self
    scope.id = .string(id)
    return scope
  }
}
