internal import Expressions
internal import JSON

/// Makes mapped items of a source's texts, on one thread.
struct ItemMapper {
  private let source: MappingPlan.SourcePlan
  private let lookups: Lookups
  /// Asked for each item, without counting a reference.
  private let looksUp: Bool
  private var mapping: ItemMapping
  private(set) var scope: Scope

  /// - Parameter scope: With the source's responses, where expressions read them.
  init(source: MappingPlan.SourcePlan, plan: MappingPlan, lookups: Lookups, scope: Scope) {
    (self.source, self.lookups, self.scope) = (source, lookups, scope)
    looksUp = !lookups.plans.isEmpty
    mapping = ItemMapping(plan: plan)
  }

  mutating func item(at index: Int, _ value: Value, givenID: String? = nil) -> MappedItem {
    scope.item = value
    scope.index = index
    mapping.begin()
    if givenID == nil, !looksUp, let row = mapping.soleRow(in: scope, source: source.name),
      mapping.warning == nil
    {
      return MappedItem(source: source.number, index: index, row: row)
    }
    let keys = !looksUp ? [] : lookups.look(into: &scope) { mapping.warn($0) }
    let outcome = mapping.outcome(in: scope, source: source.name, givenID: givenID)
    return MappedItem.item(
      source: source.number,
      givenID: givenID,
      index: index,
      outcome: outcome,
      lookupKeys: keys,
      warning: mapping.warning
    )
  }

  /// For what is mapped of a list: what no expression reads of its elements is not parsed.
  func reader(of list: ListedText) -> ListReader { ListReader(list, selecting: mapping.plan.itemSelection) }

  /// One that is not JSON is marked as such.
  mutating func item(at index: Int, _ element: Int, of reader: ListReader) -> MappedItem {
    do throws(JSONError) {
      return item(at: index, try reader.unmanagedElement(element))
    } catch {
      return malformed(at: index, error)
    }
  }

  /// One that is not JSON is marked as such.
  mutating func item(at index: Int, _ bytes: UnsafeRawBufferPointer, givenID: String? = nil) -> MappedItem {
    do throws(JSONError) {
      let document = try Document(bytes)
      let item = item(at: index, Value(try document.unmanagedRoot()), givenID: givenID)
      return withExtendedLifetime(document) { item }
    } catch {
      return malformed(at: index, error, givenID: givenID)
    }
  }

  private mutating func item(at index: Int, _ view: JSONView) -> MappedItem {
    if !looksUp, let row = mapping.directRow(of: view) {
      return MappedItem(source: source.number, index: index, row: row)
    }
    return item(at: index, Value(view))
  }

  private func malformed(at index: Int, _ error: JSONError, givenID: String? = nil) -> MappedItem {
    let skip = MappedItem.Skip(id: givenID, reason: "the item is not JSON: \(error)")
    return .item(source: source.number, givenID: givenID, index: index, outcome: .skipped(skip), isMalformed: true)
  }
}
