internal import TableModel

/// The sections of a layout in their order, with sums of what all of them take.
///
/// A value whose copies share the sections: to change one after a copy costs a reference to each, and a copy of that one.
struct LayoutSections: Sendable, RandomAccessCollection {
  private var boxes: [Box]

  /// `@unchecked Sendable`: a box is changed only where nobody else refers to it.
  private final class Box: @unchecked Sendable {
    var section: LayoutSection

    init(_ section: LayoutSection) { self.section = section }
  }

  init(_ sections: some Sequence<LayoutSection>) { boxes = sections.map(Box.init) }

  var startIndex: Int { 0 }
  var endIndex: Int { boxes.count }

  subscript(place: Int) -> LayoutSection {
    _read { yield boxes[place].section }
    _modify {
      if !isKnownUniquelyReferenced(&boxes[place]) { boxes[place] = Box(boxes[place].section) }
      yield &boxes[place].section
    }
  }

  mutating func append(_ section: LayoutSection) { boxes.append(Box(section)) }

  mutating func insert(_ section: LayoutSection, at place: Int) { boxes.insert(Box(section), at: place) }

  mutating func remove(at place: Int) -> LayoutSection { boxes.remove(at: place).section }

  /// Keeps the first ones, and puts others behind them.
  mutating func replace(from place: Int, with sections: some Sequence<LayoutSection>) {
    boxes.replaceSubrange(place..., with: sections.map(Box.init))
  }

  /// The sections that are shown. O(sections).
  var shown: [Section] { boxes.compactMap(\.section.shown) }
}

/// The sums of what sections' headers and footers take.
struct ModelTotals: Sendable, Equatable {
  /// Their cost, in steps.
  private(set) var work = 0
  /// How many sections have headers and footers that take more than they may.
  private(set) var excesses = 0
  /// How many rows are shown.
  private(set) var rows = 0

  mutating func add(_ section: LayoutSection) { count(section, 1) }
  mutating func remove(_ section: LayoutSection) { count(section, -1) }

  private mutating func count(_ section: LayoutSection, _ sign: Int) {
    if let own = section.modelWork { work += sign * own } else { excesses += sign }
    rows += sign * (section.shown?.rows.count ?? 0)
  }
}

extension LayoutSections {
  /// O(sections).
  var totals: ModelTotals { reduce(into: ModelTotals()) { $0.add($1) } }
}
