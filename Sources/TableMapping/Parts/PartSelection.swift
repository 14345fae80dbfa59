internal import Definitions
internal import Expressions
internal import JSON
internal import TableModel

/// The part of a common mapping that one member shows: where its items stand, and which section takes each. A value.
struct PartSelection: Sendable {
  private(set) var items: [Item] = []

  struct Item: Sendable {
    var position: Int32
    /// Among the table's declared sections.
    var section: UInt16
    /// Why a section could not be asked; nil: the section takes it.
    var failure: String?
  }

  /// Asks the sections of one member.
  struct Chooser {
    private let sections: [SectionPlan]
    private var scope: Scope
    private let reading: ItemReading
    private let index: PartIndex?
    /// The budget of one item after the other.
    private let work = Budget()
    /// For whoever runs the service.
    private(set) var warning: String?
    /// The steps that all items have left.
    private var left: Int
    /// The key that the items found are equal to; nil: each is asked.
    let key: PartIndex.Key?

    init(_ own: MappingPlan, _ common: CommonMapping, _ variables: MappingVariables) {
      (sections, index, scope) = (own.sectionPlans, common.index, variables.scope)
      let scope = scope
      let value = common.group.plan.equality.flatMap { try? $0.ofMember.evaluate(in: scope) }
      key = common.index == nil ? nil : value.flatMap { PartIndex.Key($0) }
      let selection = sections.reduce(into: MemberSelection()) {
        $0.formUnion($1.predicate?.itemSelection ?? MemberSelection())
      }
      reading = ItemReading(common.source, reading: selection)
      left = MappingBudget.maximumWork(ofItems: common.source.items.count, each: own.workPerItem)
      (self.scope.work, self.scope.sharedValues) = (work, SharedValues())
    }

    /// The sections' conditions have taken more work than they may.
    var isExhausted: Bool { left < 0 }

    /// Nil: no section takes the item.
    mutating func choice(_ position: Int32) -> Item? {
      if isExhausted || key.map({ index?.mayTake(position, $0) == false }) ?? false { return nil }
      work.restart()
      defer { left -= MappingBudget.work(work.spent, bytes: reading.byteCount(at: Int(position))) }
      return reading.withItem(at: Int(position)) { item in
        scope.item = item
        for (number, section) in sections.enumerated() {
          do throws(EvaluationError) {
            if try section.predicate?.isTrue(in: scope) ?? true {
              return Item(position: position, section: UInt16(truncatingIfNeeded: number))
            }
          } catch {
            switch sections.doubt(about: section, in: scope) {
            case .isPassedOver: continue
            case .isHidden:
              warning = section.warningOfDoubt
              return nil
            case .isReported: break
            }
            let failure = "`where` of the section “\(section.id)”: \(error)"
            return Item(position: position, section: UInt16(truncatingIfNeeded: number), failure: failure)
          }
        }
        return nil
      }
    }
  }

  /// Selects among all items. O(items that may be taken).
  init(of common: CommonMapping, _ chooser: inout Chooser) {
    let candidates = chooser.key.flatMap { key in common.index?.candidates(key) }
    for position in candidates ?? common.source.items.indices.map({ Int32($0) }) {
      if let item = chooser.choice(position) { items.append(item) }
    }
  }

  /// After a change of some items: those that are as they were are not asked again. Returns whether the member shows others
  /// now, or in another order. O(items shown + items changed).
  mutating func follow(_ turnover: CommonMapping.Turnover, _ chooser: inout Chooser) -> Bool {
    let changed = Set(turnover.changed)
    var kept: [Item] = []
    kept.reserveCapacity(items.count)
    for item in items {
      var item = item
      if let places = turnover.places {
        item.position = places[Int(item.position)]
        guard item.position >= 0 else { continue }
      } else if changed.contains(item.position) {
        continue
      }
      kept.append(item)
    }
    var isOther = kept.count < items.count
    let come = turnover.changed.compactMap { chooser.choice($0) }
    if !come.isEmpty {
      isOther = true
      kept += come
    }
    let isInOrder = zip(kept, kept.dropFirst()).allSatisfy { $0.position < $1.position }
    if !isInOrder {
      isOther = true
      kept.sort { $0.position < $1.position }
    }
    items = kept
    return isOther
  }
}
