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
  /// The budget of one item after the other.
  private let work = Budget()

  /// - Parameter scope: With the source's responses, where expressions read them.
  init(source: MappingPlan.SourcePlan, plan: MappingPlan, lookups: Lookups, scope: Scope) {
    (self.source, self.lookups, self.scope) = (source, lookups, scope)
    looksUp = !lookups.plans.isEmpty
    mapping = ItemMapping(plan: plan)
    // Each thread has a budget and shared values of its own.
    (self.scope.work, self.scope.sharedValues) = (work, SharedValues())
  }

  /// Makes an item `$parent` of those that come next.
  mutating func enter(_ parent: Value) { scope.parent = parent }

  /// - Parameter bytes: how many the item has, as its source gave it.
  mutating func item(at index: Int, _ value: Value, bytes: Int, givenID: String? = nil) -> MappedItem {
    scope.item = value
    scope.index = index
    mapping.begin()
    work.restart()
    if givenID == nil, !looksUp {
      if let row = mapping.soleRow(in: scope, source: source.name), mapping.warning == nil, !work.isExhausted {
        let work = MappingBudget.work(work.spent, bytes: bytes)
        return MappedItem(source: source.number, index: index, row: row, work: work)
      }
      // To find the reason would cost as much again.
      if work.isExhausted { return exhausted(at: index, bytes, reason: mapping.misfit ?? mapping.warning) }
      work.restart()
    }
    let keys = !looksUp ? [] : lookups.look(into: &scope) { mapping.warn($0) }
    var outcome = mapping.outcome(in: scope, source: source.name, givenID: givenID)
    if work.isExhausted {
      outcome = mapping.unfit(outcome, of: source.name, because: work.failure, givenID: givenID, scope)
    }
    let parts = MappedItem.Parts(
      source: source.number,
      index: index,
      outcome: outcome,
      work: MappingBudget.work(work.spent, bytes: bytes),
      lookupKeys: keys,
      warning: mapping.warning
    )
    return .item(parts, givenID: givenID)
  }

  /// For what is mapped of a list: what no expression reads of its elements is not parsed.
  func reader(of list: ListedText) -> ListReader { ListReader(list, selecting: mapping.plan.itemSelection) }

  /// One that is not JSON is marked as such.
  mutating func item(at index: Int, _ element: Int, of reader: ListReader) -> MappedItem {
    do throws(JSONError) {
      return item(at: index, try reader.unmanagedElement(element), bytes: reader.byteCount(of: element))
    } catch {
      return malformed(at: index, error)
    }
  }

  /// One that is not JSON is marked as such.
  mutating func item(at index: Int, _ bytes: UnsafeRawBufferPointer, givenID: String? = nil) -> MappedItem {
    do throws(JSONError) {
      let document = try Document(bytes)
      let item = item(at: index, Value(try document.unmanagedRoot()), bytes: bytes.count, givenID: givenID)
      return withExtendedLifetime(document) { item }
    } catch {
      return malformed(at: index, error, givenID: givenID)
    }
  }

  private mutating func item(at index: Int, _ view: JSONView, bytes: Int) -> MappedItem {
    if !looksUp, let row = mapping.directRow(of: view) {
      return MappedItem(source: source.number, index: index, row: row)
    }
    return item(at: index, Value(view), bytes: bytes)
  }

  private func exhausted(at index: Int, _ bytes: Int, reason: String?) -> MappedItem {
    let skip = MappedItem.Skip(reason: reason ?? work.failure.message)
    let work = MappingBudget.work(work.spent, bytes: bytes)
    return .item(.init(source: source.number, index: index, outcome: .skipped(skip), work: work), givenID: nil)
  }

  /// How the reason of an item that is not JSON begins.
  static let notJSON = "the item is not JSON: "

  private func malformed(at index: Int, _ error: JSONError, givenID: String? = nil) -> MappedItem {
    let skip = MappedItem.Skip(id: givenID, reason: Self.notJSON + "\(error)")
    let parts = MappedItem.Parts(source: source.number, index: index, outcome: .skipped(skip), isMalformed: true)
    return .item(parts, givenID: givenID)
  }
}
