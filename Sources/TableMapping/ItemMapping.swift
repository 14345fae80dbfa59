internal import Definitions
internal import Expressions
internal import TableEncoding
internal import TableModel

/// Maps one item after another: what is reused from item to item lives here.
struct ItemMapping {
  let plan: TablePlan
  private(set) var warning: String?
  private var builder = RowBuilder()
  private var values: [Value] = []
  private var errors: [String?] = []
  /// Of the values.
  private let texts = TextArena()

  init(plan: TablePlan) { self.plan = plan }

  /// What becomes of the item in scope. `json` gives its text, `source` the place of its source in the plan.
  mutating func outcome(
    in scope: Scope,
    source: String,
    givenID: String?,
    json: () -> String
  ) -> MappedItem.Outcome {
    var (id, type): (String?, String?)
    warning = nil
    do {
      let sections = try plan.takesAll ? Self.firstSection : sections(from: source, scope)
      if sections.isEmpty { return .unplaced(address(nil, givenID: givenID, scope)) }
      let identity = try identity(givenID: givenID, scope)
      id = identity
      let typeValue = try plan.definition.rowType?.evaluate(in: scope) ?? .null
      let row: Row
      do throws(Misfit) {
        row = try self.row(identity, type: typeValue, scope, json: json)
      } catch {
        type = typeValue.text
        throw error
      }
      let first = try placement(row, section: sections[0], isFirst: true, scope)
      if sections.count == 1 { return .placed(first) }
      var others: [MappedItem.Placement] = []
      for section in sections.dropFirst() {
        others.append(try placement(row, section: section, isFirst: false, scope))
      }
      return .placed(first, others: others)
    } catch let error as Misfit {
      let skip = MappedItem.Skip(id: id, type: type, reason: error.reason, field: error.field)
      return .skipped(skip, address(id, givenID: givenID, scope))
    } catch {
      let skip = MappedItem.Skip(id: id, type: type, reason: "\(error)")
      return .skipped(skip, address(id, givenID: givenID, scope))
    }
  }

  private static let firstSection = [0]

  private func sections(from source: String, _ scope: Scope) throws(Misfit) -> [Int] {
    switch plan.sections {
    case .groups: return [0]
    case .list(let sections, let firstMatch):
      var taking: [Int] = []
      for (index, section) in sections.enumerated() where section.source == source {
        if let predicate = section.predicate {
          do throws(EvaluationError) {
            if try !predicate.isTrue(in: scope) { continue }
          } catch {
            throw Misfit(reason: "`where` of the section “\(section.id)”: \(error)")
          }
        }
        taking.append(index)
        if firstMatch { break }
      }
      return taking
    }
  }

  /// What an item of a local source is edited by that has no row.
  private mutating func address(_ id: String?, givenID: String?, _ scope: Scope) -> MappedItem.Address? {
    guard let givenID else { return nil }
    let id = id ?? (try? identity(givenID: givenID, scope)) ?? givenID
    return MappedItem.Address(id: id, permissions: permissions(scope))
  }

  private func identity(givenID: String?, _ scope: Scope) throws(Misfit) -> String {
    guard let template = plan.definition.rowID else {
      if let givenID { return givenID }
      throw Misfit(reason: "the table has no `row.id`, which only the items of a local source can do without")
    }
    let value: Value
    do throws(EvaluationError) {
      value = try template.evaluate(in: scope)
    } catch {
      throw Misfit(reason: "`row.id`: \(error)")
    }
    switch value.kind {
    case .string, .number:
      if let text = value.text, !text.isEmpty { return text }
    case .null, .boolean, .array, .object: break
    }
    if let givenID, value.isNull { return givenID }
    let seen = value.kind == .string ? "an empty text" : value.sample
    throw Misfit(reason: "`row.id` is \(seen); a text or a number is expected")
  }

  /// The row by the type's representation, else by the table's defaults. Throws why the first choice was none.
  private mutating func row(
    _ id: String,
    type: Value,
    _ scope: Scope,
    json: () -> String
  ) throws(Misfit) -> Row {
    var first: Misfit?
    let own = type.isNull ? nil : plan.registry.plan(forType: type)
    if let own {
      do throws(Misfit) {
        if let row = try row(id, by: own, scope) { return row }
      } catch {
        first = error
      }
    }
    for plan in plan.defaults {
      do throws(Misfit) {
        if let row = try row(id, by: plan, scope) { return row }
      } catch {
        if first == nil { first = error }
      }
    }
    if let first { throw first }
    if plan.hasBuiltInCell {
      values = [BuiltInCell.title(of: scope.item, json: json)]
      let permissions = permissions(scope)
      return builder.row(id: id, chain: [Self.builtInLayout], values: values, permissions: permissions)
    }
    let name = type.text.map { "the type “\($0)”" } ?? "an item without a type"
    throw Misfit(
      reason: own == nil
        ? "no representation takes \(name), and there is neither a `$default` nor a `cell` of the table"
        : "no case of the representation of \(name) holds, and there is neither a `$default` nor a `cell` of the table"
    )
  }

  private static let builtInLayout = CellLayout(
    identifier: BuiltInCell.definition.identifier,
    fields: [CellLayout.Field(name: "title", slot: 0)]
  )

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
      throw Misfit(reason: "`when`: \(error)")
    }
    let chain = try cell.dependencies.contains(.id) ? fill(cell, scope.naming(id)) : fill(cell, scope)
    var select = Value.null
    if let template = cell.select {
      do throws(EvaluationError) {
        select = try evaluate(template, id: id, scope)
      } catch {
        warning = "`select` of \(cell.cell): \(error); the row \(id) leads nowhere"
      }
    }
    let permissions = permissions(scope)
    return builder.row(id: id, chain: chain, values: values, permissions: permissions, select: select)
  }

  private func evaluate(_ template: Template, id: String, _ scope: Scope) throws(EvaluationError) -> Value {
    try template.evaluate(in: template.dependencies.contains(.id) ? scope.naming(id) : scope)
  }

  /// A header or footer for what is in scope.
  mutating func model(_ cell: CellPlan, in scope: Scope) throws(Misfit) -> CellModel? {
    let chain = try fill(cell, scope)
    return chain.first.map { builder.cellModel($0, values: values) }
  }

  /// Evaluates the fields and gives the cells that they fit, in order.
  private mutating func fill(_ cell: CellPlan, _ scope: Scope) throws(Misfit) -> [CellLayout] {
    values.removeAll(keepingCapacity: true)
    errors.removeAll(keepingCapacity: true)
    texts.removeAll()
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
      var fitting = Array(cell.layouts[..<position])
      for rest in cell.chain[(position + 1)...] where rest.misfit(values, errors: errors) == nil {
        fitting.append(rest.layout)
      }
      guard fitting.isEmpty else { return fitting }
      throw misfit
    }
    return cell.layouts
  }

  private mutating func permissions(_ scope: Scope) -> Permissions {
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
        warning = "`can.\(name)`: \(error); taken as false"
        return false
      }
    }
  }

  private func placement(
    _ row: Row,
    section: Int,
    isFirst: Bool,
    _ scope: Scope
  ) throws(Misfit) -> MappedItem.Placement {
    var group: MappedItem.GroupKey?
    if case .groups(let groups, _) = plan.sections {
      do throws(EvaluationError) {
        group = try groupKey(groups, scope)
      } catch {
        throw Misfit(reason: "`groupBy`: \(error)")
      }
    }
    let plan = plan.sectionPlans[section]
    let sortKeys = plan.sort.map { sort in
      SortKey((try? sort.key.evaluate(in: scope)) ?? .null)
    }
    let row = isFirst ? row : row.renamed("\(row.id)@\(plan.id)")
    return MappedItem.Placement(section: section, group: group, row: row, sortKeys: sortKeys)
  }

  private func groupKey(_ groups: GroupsDefinition, _ scope: Scope) throws(EvaluationError) -> MappedItem.GroupKey {
    let value = try groups.key.evaluate(in: scope)
    let text = value.text ?? ""
    return text.isEmpty
      ? MappedItem.GroupKey(id: "none", key: .none) : MappedItem.GroupKey(id: text, key: SortKey(value))
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
