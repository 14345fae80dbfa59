internal import Definitions
internal import Expressions
internal import JSON
internal import TableFinding

/// The expressions of a table's `find`, compiled.
final class FindPlan: Sendable {
  let definition: FindDefinition
  let schema: FindSchema
  /// Headers or footers read the items, so that rows have them with them.
  let keepsItems: Bool
  /// They read the keys of groups.
  let keepsKeys: Bool
  let dependencies: Dependencies
  let itemSelection: MemberSelection

  /// Nil where the table offers nothing.
  init?(_ table: TableDefinition, _ sections: SectionsPlan) {
    guard let find = table.find else { return nil }
    definition = find
    schema = FindSchema(find, table.sections)
    keepsItems = sections.plans.contains(where: \.readsItems)
    if case .groups = sections {
      keepsKeys = sections.modelDependencies.contains(.key)
    } else {
      keepsKeys = false
    }
    var (dependencies, selection): (Dependencies, MemberSelection) = ([], keepsItems ? .whole : MemberSelection())
    for expression in find.expressions {
      dependencies.formUnion(expression.dependencies)
      selection.formUnion(expression.itemSelection)
    }
    for sort in find.sorts { dependencies.formUnion(sort.locale?.dependencies ?? []) }
    (self.dependencies, itemSelection) = (dependencies, selection)
  }
}

extension FindSchema {
  init(_ find: FindDefinition, _ sections: SectionsDefinition) {
    self.init(
      definition: find.identity,
      presentation: find.presentation + "\n" + sections.models.joined(separator: "\n"),
      isSearched: !find.search.isEmpty,
      filters: find.filters.map(\.id),
      sorts: find.sorts.map { Sort(id: $0.id, isDescending: $0.isDescending, keepsSections: $0.keepsSections) }
    )
  }
}

/// Makes what rows are found by, of one item after the other.
struct FindMapping {
  let plan: FindPlan
  /// By sort, once they are needed.
  private var textOrders: [TextOrder?]?
  private var writer = JSONWriter(capacity: 256)

  /// The cost of folding a byte, in steps.
  private static let stepsOfByte = 20

  init(_ plan: FindPlan) { self.plan = plan }

  /// - Parameters:
  ///   - group: the key of the group that the item is in.
  ///   - warn: told what goes wrong: then the item is not found by that.
  mutating func record(_ scope: Scope, group: SortKey?, _ warn: (String) -> Void) -> [UInt8] {
    var record = FindRecord()
    var texts: [String] = []
    for expression in plan.definition.search {
      guard let value = evaluated(expression, "search", scope, warn) else { continue }
      Self.collect(value, into: &texts)
    }
    do throws(EvaluationError) {
      try scope.work?.charge(texts.reduce(0) { $0 + $1.utf8.count } * Self.stepsOfByte)
      record.set(texts: texts)
    } catch {
      warn("`find.search`: \(error)")
    }
    for filter in plan.definition.filters {
      let value = evaluated(filter.value, "filters.\(filter.id)", scope, warn)
      record.values.append(value.map { Self.values(of: $0) } ?? [])
    }
    let orders = orders(scope, warn)
    for (sort, order) in zip(plan.definition.sorts, orders) {
      let value = evaluated(sort.key, "sorts.\(sort.id)", scope, warn)
      record.keys.append(value.map { SortKey($0, textsBy: order).ordered } ?? [])
    }
    if plan.keepsItems {
      writer.removeAll()
      scope.item.write(to: &writer)
      record.item = writer.bytes
    }
    if plan.keepsKeys, let group {
      writer.removeAll()
      group.value.write(to: &writer)
      record.group = writer.bytes
    }
    return record.bytes(of: plan.schema)
  }

  private func evaluated(_ expression: Expression, _ name: String, _ scope: Scope, _ warn: (String) -> Void) -> Value? {
    do throws(EvaluationError) {
      let value = try expression.evaluate(in: scope)
      try scope.work?.charge(value.byteCount * Self.stepsOfByte)
      return value
    } catch {
      warn("`find.\(name)`: “\(expression)”: \(error); not found by it")
      return nil
    }
  }

  /// Texts, numbers and booleans, and those in lists and objects.
  private static func collect(_ value: Value, into texts: inout [String]) {
    if let text = value.text {
      texts.append(text)
    } else if let elements = value.elements {
      for element in elements { collect(element, into: &texts) }
    } else if let members = value.members {
      for member in members { collect(member.value, into: &texts) }
    }
  }

  /// Each element of a list is a value, once. An object has no values.
  private static func values(of value: Value) -> [[UInt8]] {
    var values: [[UInt8]] = []
    var known: Set<[UInt8]> = []
    for element in value.elements ?? [value] {
      let text: String
      switch element.kind {
      case .null: text = ""
      case .array, .object: continue
      case .boolean, .number, .string: text = element.text ?? ""
      }
      let bytes = Array((text.isEmpty ? "none" : text).utf8)
      if known.insert(bytes).inserted { values.append(bytes) }
    }
    return values
  }

  private mutating func orders(_ scope: Scope, _ warn: (String) -> Void) -> [TextOrder?] {
    if let textOrders { return textOrders }
    let orders = plan.definition.sorts.map { sort in
      do throws(EvaluationError) {
        return TextOrder(locale: try sort.locale?.text(in: scope), isNatural: sort.isNatural)
      } catch {
        warn("`find.sorts.\(sort.id).locale`: \(error); sorted as in no language")
        return TextOrder(locale: nil, isNatural: sort.isNatural)
      }
    }
    textOrders = orders
    return orders
  }
}

extension SortKey {
  /// Bytes that compare as ascending keys do: a kind, then the value. None where there is no value.
  var ordered: [UInt8] {
    switch self {
    case .none: []
    case .bool(let value): [0x10, value ? 1 : 0]
    case .integer(let value):
      Self.ordered(Double(value), beside: value.subtractingReportingOverflow(Self.near(value)).partialValue)
    case .unsigned(let value):
      Self.ordered(Double(value), beside: Int64(truncatingIfNeeded: value &- Self.near(value)))
    case .number(let value): Self.ordered(value == 0 ? 0 : value, beside: 0)
    case .text(let text): [0x30] + Array(text.utf8)
    case .ordered(let key): [0x30] + key
    }
  }

  /// The number that is left of it as a `Double`: integers beyond 2⁵³ are more than these.
  private static func near(_ value: Int64) -> Int64 { Int64(exactly: Double(value)) ?? .max }
  private static func near(_ value: UInt64) -> UInt64 { UInt64(exactly: Double(value)) ?? .max }

  private static func ordered(_ number: Double, beside rest: Int64) -> [UInt8] {
    let bits = number.bitPattern
    let ordered = bits >> 63 == 1 ? ~bits : bits | 1 << 63
    var key: [UInt8] = [0x20]
    withUnsafeBytes(of: ordered.bigEndian) { key.append(contentsOf: $0) }
    // Within 2¹¹ of it.
    withUnsafeBytes(of: UInt16(clamping: rest + 0x8000).bigEndian) { key.append(contentsOf: $0) }
    return key
  }
}

extension SectionsDefinition {
  /// Its headers and footers, as texts.
  fileprivate var models: [String] {
    let models: [CellMapping?] =
      switch self {
      case .single(let section): [section.header, section.footer]
      case .list(let sections, _): sections.flatMap { [$0.header, $0.footer] }
      case .groups(let groups): [groups.header, groups.footer]
      }
    return models.map { model in model.map { "\($0)" } ?? "-" }
  }
}
