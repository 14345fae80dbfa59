import TableModel

/// How one version of a table became the next.
struct Shape: Sendable {
  let name: String
  let sections: Int
  let rowsPerSection: Int
  /// What it may take in milliseconds: with fingerprints at hand, and without.
  var limit: Double?
  var coldLimit: Double?
  /// Takes the old sections' drafts to the new ones.
  let change: @Sendable (inout [Draft], inout SplitMix64) -> Void

  /// A section before its rows are made.
  struct Draft: Equatable {
    var id: Int
    var rows: [RowDraft]

    /// By new section: whether it is as it was.
    static func areSame(_ old: [Draft], _ new: [Draft]) -> [Bool] {
      new.map { old.indices.contains($0.id) && old[$0.id] == $0 }
    }
  }

  struct RowDraft: Equatable {
    var id: Int
    var content: Int = 0
  }

  func with(sections: Int, rowsPerSection: Int) -> Shape {
    Shape(name: name, sections: sections, rowsPerSection: rowsPerSection, change: change)
  }

  func drafts() -> (old: [Draft], new: [Draft]) {
    let old = (0..<sections).map { section in
      Draft(id: section, rows: (0..<rowsPerSection).map { RowDraft(id: section * rowsPerSection + $0) })
    }
    var new = old
    var random = SplitMix64(state: 42)
    change(&new, &random)
    return (old, new)
  }
}

extension Shape {
  static let updates = Shape(
    name: "a   1 % updates",
    sections: 10,
    rowsPerSection: 1000,
    limit: 0.15,
    coldLimit: 2
  ) { sections, random in
    for section in sections.indices {
      for row in sections[section].rows.indices where Int.random(in: 0..<100, using: &random) == 0 {
        sections[section].rows[row].content += 1
      }
    }
  }

  static let deletesAndInserts = Shape(
    name: "b   5 % deleted, 5 % inserted",
    sections: 10,
    rowsPerSection: 1000,
    limit: 0.15,
    coldLimit: 2
  ) { sections, random in
    for section in sections.indices {
      let count = sections[section].rows.count
      for number in 0..<count / 20 {
        sections[section].rows.remove(at: Int.random(in: 0..<sections[section].rows.count, using: &random))
        let id = -1 - sections[section].id * count - number
        let place = Int.random(in: 0...sections[section].rows.count, using: &random)
        sections[section].rows.insert(RowDraft(id: id), at: place)
      }
    }
  }

  static let moves = Shape(
    name: "c   5 % moved",
    sections: 10,
    rowsPerSection: 1000,
    limit: 0.15,
    coldLimit: 2
  ) { sections, random in
    for section in sections.indices {
      for _ in 0..<sections[section].rows.count / 20 {
        let row = sections[section].rows.remove(at: Int.random(in: 0..<sections[section].rows.count, using: &random))
        sections[section].rows.insert(row, at: Int.random(in: 0...sections[section].rows.count, using: &random))
      }
    }
  }

  static let shuffledSections = Shape(
    name: "d   each section shuffled",
    sections: 10,
    rowsPerSection: 1000,
    limit: 1,
    coldLimit: 2
  ) { sections, random in
    for section in sections.indices { sections[section].rows.shuffle(using: &random) }
  }

  static let shuffled = Shape(
    name: "d2  everything shuffled",
    sections: 10,
    rowsPerSection: 1000,
    limit: 1
  ) { sections, random in
    var rows = sections.flatMap(\.rows).shuffled(using: &random)
    for section in sections.indices {
      let count = sections[section].rows.count
      sections[section].rows = rows.suffix(count)
      rows.removeLast(count)
    }
    sections.shuffle(using: &random)
  }

  static let longSection = Shape(
    name: "e   1 × 100,000: 100 ins, del, upd",
    sections: 1,
    rowsPerSection: 100_000,
    limit: 1.5,
    coldLimit: 20
  ) { sections, random in
    for number in 0..<100 {
      sections[0].rows.remove(at: Int.random(in: 0..<sections[0].rows.count, using: &random))
      let place = Int.random(in: 0...sections[0].rows.count, using: &random)
      sections[0].rows.insert(RowDraft(id: -1 - number), at: place)
      sections[0].rows[Int.random(in: 0..<sections[0].rows.count, using: &random)].content += 1
    }
  }

  static let unchanged = Shape(
    name: "f   nothing changed",
    sections: 10,
    rowsPerSection: 1000,
    limit: 0.005
  ) { _, _ in }

  static let sectionsDeletedAndInserted = Shape(
    name: "5 % of sections deleted, 5 % inserted",
    sections: 10_000,
    rowsPerSection: 1
  ) { sections, random in
    let count = sections.count
    let inserted = (0..<count / 20).map { Draft(id: count + $0, rows: [RowDraft(id: -1 - $0)]) }
    sections.removeAll { _ in Int.random(in: 0..<20, using: &random) == 0 }
    sections = scattered(inserted, among: sections, using: &random)
  }

  static let sectionsMoved = Shape(name: "5 % of sections moved", sections: 10_000, rowsPerSection: 1) {
    sections,
    random in
    var moved: [Draft] = []
    sections.removeAll { section in
      guard Int.random(in: 0..<20, using: &random) == 0 else { return false }
      moved.append(section)
      return true
    }
    moved.shuffle(using: &random)
    sections = scattered(moved, among: sections, using: &random)
  }

  static let sectionsShuffled = Shape(name: "sections shuffled", sections: 10_000, rowsPerSection: 1) {
    sections,
    random in
    sections.shuffle(using: &random)
  }

  /// All of `some`, in their order, at random places between `others`.
  private static func scattered<Element>(
    _ some: [Element],
    among others: [Element],
    using random: inout SplitMix64
  ) -> [Element] {
    var isOfSome = [Bool](repeating: false, count: some.count + others.count)
    for index in 0..<some.count { isOfSome[index] = true }
    isOfSome.shuffle(using: &random)
    var (some, others) = (some.makeIterator(), others.makeIterator())
    return isOfSome.compactMap { $0 ? some.next() : others.next() }
  }

  static let asked = [updates, deletesAndInserts, moves, shuffledSections, shuffled, longSection, unchanged]

  /// Shapes that have made other algorithms quadratic, each with one section.
  static let pathological: [Shape] = [
    Shape(name: "reversed", sections: 1, rowsPerSection: 100_000) { sections, _ in sections[0].rows.reverse() },
    Shape(name: "rotated by one", sections: 1, rowsPerSection: 100_000) { sections, _ in
      sections[0].rows.append(sections[0].rows.removeFirst())
    },
    Shape(name: "rotated by half", sections: 1, rowsPerSection: 100_000) { sections, _ in
      let half = sections[0].rows.count / 2
      sections[0].rows = Array(sections[0].rows[half...] + sections[0].rows[..<half])
    },
    Shape(name: "odd rows first, then even", sections: 1, rowsPerSection: 100_000) { sections, _ in
      let rows = sections[0].rows
      sections[0].rows = rows.filter { $0.id % 2 == 1 } + rows.filter { $0.id % 2 == 0 }
    },
    Shape(name: "neighbours exchanged", sections: 1, rowsPerSection: 100_000) { sections, _ in
      for row in stride(from: 0, to: sections[0].rows.count - 1, by: 2) { sections[0].rows.swapAt(row, row + 1) }
    },
    Shape(name: "every other row exchanged", sections: 1, rowsPerSection: 100_000) { sections, _ in
      for row in stride(from: 0, to: sections[0].rows.count, by: 2) { sections[0].rows[row].id = -1 - row }
    },
    Shape(name: "blocks of 17 reversed", sections: 1, rowsPerSection: 100_000) { sections, _ in
      for block in stride(from: 0, to: sections[0].rows.count - 17, by: 17) {
        sections[0].rows[block..<block + 17].reverse()
      }
    },
    Shape(name: "all new", sections: 1, rowsPerSection: 100_000) { sections, _ in
      for row in sections[0].rows.indices { sections[0].rows[row].id = -1 - row }
    },
    Shape(name: "shuffled", sections: 1, rowsPerSection: 100_000) { sections, random in
      sections[0].rows.shuffle(using: &random)
    },
  ]
}

/// A small generator with a seed, so that every run measures the same (Steele, Lea, Flood 2014).
struct SplitMix64: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }
}
