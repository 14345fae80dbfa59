internal import Definitions
internal import Expressions
internal import JSON
internal import TableEncoding
internal import TableModel

/// Maps one item after another: what is reused from item to item lives here.
struct ItemMapping {
  let plan: MappingPlan
  /// The first problem with the item that did not cost the row.
  private(set) var warning: String?
  /// Why ``soleRow(in:source:)`` has made none.
  private(set) var misfit: String?
  var builder = RowBuilder()
  var values: [Value] = []
  var errors: [String?] = []
  /// The memory of the values' texts.
  let texts = TextArena()
  /// The item can only be read: it is the service's own, and another table keeps it.
  var isReadOnly = false
  /// No upstream keeps it, and no other table.
  var takesPatches = false
  /// By section, once they are needed: how each of its sorts orders texts. Nil: by their bytes.
  private var textOrders: [Int: [TextOrder?]] = [:]

  /// The table's `find`; nil where it has none.
  var finding: FindMapping?
  /// The key of the group that the item is in.
  var group: SortKey?

  private let madeDirectly: Unmanaged<DirectRow>?

  init(plan: MappingPlan) {
    self.plan = plan
    finding = plan.find.map { FindMapping($0) }
    madeDirectly = plan.directRow.map { .passUnretained($0) }
  }

  /// The row of an upstream's item that is made straight from it; nil: what is in scope tells.
  @inline(__always)
  mutating func directRow(of item: JSONView) -> Row? {
    // The plan has it.
    madeDirectly.flatMap { direct in direct._withUnsafeGuaranteedRef { $0.row(of: item, with: &builder.writer) } }
  }

  /// The row of an upstream's item, where that is all that becomes of it; nil: the outcome tells.
  mutating func soleRow(in scope: Scope, source: String) -> Row? {
    guard plan.onlyMakesRows else { return nil }
    prepare(for: source, givenID: nil)
    do {
      let id = try identity(givenID: nil, plan.rowIDs[0], scope)
      let type = try plan.readsTypes ? plan.sectionPlans[0].rowType?.evaluate(in: scope) ?? .null : .null
      return try row(id, type: type, scope)
    } catch {
      misfit = (error as? Misfit)?.reason ?? "`row.type`: \(error)"
      return nil
    }
  }

  /// Returns the outcome of an item whose expressions took too much work, even if a failure there would only be a
  /// warning.
  mutating func unfit(
    _ outcome: MappedItem.Outcome,
    of source: String,
    because error: EvaluationError,
    givenID: String?,
    _ scope: Scope
  ) -> MappedItem.Outcome {
    switch outcome {
    case .skipped(var skip, let address):
      if !skip.reason.contains(error.message) { skip.reason += "; \(error)" }
      return .skipped(skip, address)
    // It may be another caller's.
    case .unplaced where plan.sectionPlans.askForCallers(of: source): return outcome
    case .unplaced(let address): return .skipped(MappedItem.Skip(reason: warning ?? error.message), address)
    case .placed(let placement, _):
      let id = placement.row.id
      let skip = MappedItem.Skip(id: id, reason: warning ?? error.message)
      let address = givenID == nil ? nil : MappedItem.Address(id: id, permissions: addressed(scope))
      return .skipped(skip, address)
    }
  }

  /// Returns the permissions of an item without a row, however much work the rest of it was.
  private mutating func addressed(_ scope: Scope) -> Permissions {
    var scope = scope
    scope.work = Budget(1_000_000)
    return permissions(scope)
  }

  private mutating func prepare(for source: String, givenID: String?) {
    isReadOnly =
      givenID != nil
      && (plan.definition.isFamily && !plan.definition.isEditedByCallers || source != plan.definition.source)
    takesPatches = plan.actions.isEmpty || !isReadOnly && !plan.upstreams.contains(source)
  }

  /// Returns the outcome of the item in scope, which came from `source`.
  mutating func outcome(in scope: Scope, source: String, givenID: String?) -> MappedItem.Outcome {
    prepare(for: source, givenID: givenID)
    var (id, type): (String?, String?)
    do {
      let taking = try plan.takesAll ? Taking(first: 0) : sections(from: source, scope)
      guard let section = taking.first else { return .unplaced(address(nil, of: source, givenID: givenID, scope)) }
      var group: MappedItem.GroupKey?
      if plan.isGrouped, case .groups(let groups, _) = plan.sections {
        guard let key = try groupKey(groups, scope) else {
          return .unplaced(address(nil, of: source, givenID: givenID, scope))
        }
        group = key
        self.group = key.key
      }
      let identity = try identity(givenID: givenID, plan.rowIDs[section], scope)
      id = identity
      let typeValue = try plan.readsTypes ? plan.sectionPlans[section].rowType?.evaluate(in: scope) ?? .null : .null
      let row: Row
      do throws(Misfit) {
        row = try self.row(identity, type: typeValue, scope)
      } catch {
        type = typeValue.text
        throw error
      }
      let first = MappedItem.Placement(section: section, group: group, row: row, sortKeys: sortKeys(section, scope))
      if taking.others.isEmpty { return .placed(first) }
      let others = taking.others.map { section in
        let row = row.renamed("\(row.id)@\(plan.sectionPlans[section].id)")
        return MappedItem.Placement(section: section, row: row, sortKeys: sortKeys(section, scope))
      }
      return .placed(first, others: others)
    } catch let error as Misfit {
      let skip = MappedItem.Skip(id: id, type: type, reason: error.reason, field: error.field)
      return .skipped(skip, address(id, of: source, givenID: givenID, scope))
    } catch {
      let skip = MappedItem.Skip(id: id, type: type, reason: "`row.type`: \(error)")
      return .skipped(skip, address(id, of: source, givenID: givenID, scope))
    }
  }

  /// The sections that take an item: mostly one.
  private struct Taking {
    var first: Int?
    var others: [Int] = []

    mutating func append(_ section: Int) {
      if first == nil { first = section } else { others.append(section) }
    }
  }

  /// Begins an item: the warnings of the one before it are reported, and its texts are written.
  mutating func begin() {
    (warning, misfit) = (nil, nil)
    texts.removeAll()
  }

  /// Says what goes wrong with this item though it has its row.
  mutating func warn(_ text: @autoclosure () -> String) {
    if warning == nil { warning = text() }
  }

  private mutating func sections(from source: String, _ scope: Scope) throws(Misfit) -> Taking {
    switch plan.sections {
    case .groups: return Taking(first: 0)
    case .list(let sections, let firstMatch):
      var taking = Taking()
      for (index, section) in sections.enumerated() where section.source == source {
        if let predicate = section.predicate {
          do throws(EvaluationError) {
            if try !predicate.isTrue(in: scope) { continue }
          } catch {
            switch sections.doubt(about: section, in: scope) {
            case .isPassedOver: continue
            case .isHidden:
              warn(section.warningOfDoubt)
              return taking
            case .isReported: throw Misfit(reason: "`where` of the section “\(section.id)”: \(error)")
            }
          }
        }
        taking.append(index)
        if firstMatch { break }
      }
      return taking
    }
  }

  /// Returns the address by which an item of a local source without a row is edited.
  private mutating func address(_ id: String?, of source: String, givenID: String?, _ scope: Scope) -> MappedItem
    .Address?
  {
    guard let givenID else { return nil }
    let id = id ?? (try? identity(givenID: givenID, plan.rowIDs(of: source), scope)) ?? givenID
    return MappedItem.Address(id: id, permissions: addressed(scope))
  }

  private func identity(givenID: String?, _ template: TemplateList?, _ scope: Scope) throws(Misfit) -> String {
    guard let template else {
      if let givenID { return givenID }
      throw Misfit(reason: "the table has no `row.id`, which only the items of a local source can do without")
    }
    if case .json(let item) = scope.item, let text = template.text(0, of: item) {
      if let refusal = RowIdentity.refusal(of: text) { throw Misfit(reason: "`row.id` \(refusal)") }
      return text
    }
    let value: Value
    do throws(EvaluationError) {
      value = try template.value(at: 0, in: scope, arena: texts)
    } catch {
      throw Misfit(reason: "`row.id`: \(error)")
    }
    switch value.kind {
    case .string, .number:
      guard let text = value.text else { break }
      if let refusal = RowIdentity.refusal(of: text) { throw Misfit(reason: "`row.id` \(refusal)") }
      return text
    case .null:
      if let givenID { return givenID }
    case .boolean, .array, .object: break
    }
    throw Misfit(reason: "`row.id` is \(value.sample); a text or a number is expected")
  }

  /// A key that can't be evaluated is a warning, and sorts as one that is not there.
  private mutating func sortKeys(_ section: Int, _ scope: Scope) -> [SortKey] {
    guard plan.sorts else { return [] }
    let number = section
    let section = plan.sectionPlans[number]
    guard !section.sort.isEmpty else { return [] }
    let orders = textOrders(number, scope)
    return zip(section.sort, orders).map { sort, order in
      do throws(EvaluationError) {
        let value = try sort.key.evaluate(in: scope)
        // It is compared with those of other rows, as often as there are halves of them.
        try scope.work?.charge(value.byteCount * (order == nil ? 40 : 200))
        return SortKey(value, textsBy: order)
      } catch {
        let place = section.id.isEmpty ? "" : " of the section “\(section.id)”"
        warn("`sort`\(place): “\(sort.key)”: \(error); sorted as if it had no value")
        return .none
      }
    }
  }

  private mutating func textOrders(_ section: Int, _ scope: Scope) -> [TextOrder?] {
    if let orders = textOrders[section] { return orders }
    let orders = plan.sectionPlans[section].sort.map { sort in
      do throws(EvaluationError) {
        return TextOrder(locale: try sort.locale?.text(in: scope), isNatural: sort.isNatural)
      } catch {
        warn("`sort.locale`: \(error); sorted as in no language")
        return TextOrder(locale: nil, isNatural: sort.isNatural)
      }
    }
    textOrders[section] = orders
    return orders
  }

  /// The group that an item is in; nil where it is in none, as its key is a list or an object.
  private mutating func groupKey(
    _ groups: GroupsDefinition,
    _ scope: Scope
  ) throws(Misfit) -> MappedItem.GroupKey? {
    let value: Value
    do throws(EvaluationError) {
      value = try groups.key.evaluate(in: scope)
      try scope.work?.charge(value.byteCount * 40)
    } catch {
      throw Misfit(reason: "`groupBy`: \(error)")
    }
    switch value.kind {
    case .array, .object:
      // The same words for each such item, so that they are said once.
      warn("`groupBy`: “\(groups.key)” is \(value.sample) for some items, which no section takes; group by a text")
      return nil
    case .null: return .absent
    case .boolean, .number, .string:
      guard let text = value.text, !text.isEmpty else { return .absent }
      return MappedItem.GroupKey(id: text, key: SortKey(value))
    }
  }
}
