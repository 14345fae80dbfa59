import TableDiff
import TableModel

/// Keeps the optimiser from dropping what is measured.
nonisolated(unsafe) var sink = 0

/// The median time of a call in milliseconds, over as many rounds as fit the budget (3 at least, 401 at most).
func median(budget: Duration = .milliseconds(500), _ body: () -> Void) -> Double {
  let clock = ContinuousClock()
  body()
  var times: [Duration] = []
  let start = clock.now
  while times.count < 3 || (times.count < 401 && clock.now - start < budget) { times.append(clock.measure(body)) }
  times.sort()
  return times[times.count / 2] / .milliseconds(1)
}

func diff(_ old: Table, _ new: Table) { sink &+= Changeset(from: old, to: new).stages.count }

/// All that a diff needs and that a version has at hand in the service: each row's key, computed from its id and its
/// bytes as they lie in memory, and each section's digest. The rows' objects exist.
func fingerprinted(_ table: Table) -> Table {
  var hashes: UInt64 = 0
  let sections = table.sections.map { section in
    let rows = Array(section.rows)
    rows.withUnsafeBufferPointer { rows in
      // Bare references: to retain each row costs as much as to fingerprint it, and a mapper has it at hand.
      rows.withMemoryRebound(to: Unmanaged<Row>.self) { rows in
        for row in rows {
          let key = row._withUnsafeGuaranteedRef { RowKey(id: $0.id, encoded: $0.encoded) }
          hashes ^= key.identity.rawValue ^ key.content.first ^ key.content.second
        }
      }
    }
    return Section(id: section.id, rows: rows)
  }
  sink &+= Int(truncatingIfNeeded: hashes)
  return Table(table, sections: sections)
}

/// What memory alone costs: reads and writes what a diff must, and decides nothing.
///
/// It walks the sections and row references of both versions, and for each row that an operation names reads one slot
/// of a table as large as a hash table of them, at a random place, and writes the operation down with the row's
/// id. Where a diff's cost per row grows with the table as this one's does, caches explain it.
struct MemoryWalk {
  /// The rows of the sections that stand side by side and are not the same.
  private let changed: [(old: [Row], new: [Row])]
  private let named: [Unmanaged<Row>]
  private let slots: [UInt64]

  init(_ versions: Versions) {
    changed = zip(versions.old.sections, versions.new.sections).filter { $0 !== $1 }
      .map { (Array($0.rows), Array($1.rows)) }
    var named: [Row] = []
    for stage in Changeset(from: versions.old, to: versions.new).stages {
      // As a diff meets them: operations that take away stand in the old order.
      named += stage.rows.delete.compactMap { versions.old[at: $0.at] }
      named += stage.rows.move.compactMap { versions.old[at: $0.from] }
      named += stage.rows.insert.map(\.row) + stage.rows.update.map(\.row)
    }
    self.named = named.map(Unmanaged.passUnretained)
    slots = [UInt64](repeating: 1, count: max(1, named.count * 2))
  }

  func run() {
    var count: UInt64 = 0
    for (first, second) in changed {
      count &+= UInt64(first.count ^ second.count)
      first.withUnsafeBufferPointer { first in
        second.withUnsafeBufferPointer { second in
          for row in 0..<min(first.count, second.count) where first[row] === second[row] { count &+= 1 }
        }
      }
    }
    var operations: [Changeset.RowMove] = []
    operations.reserveCapacity(named.count)
    for row in named {
      row._withUnsafeGuaranteedRef { row in
        let slot = Int(row.key.identity.rawValue % UInt64(slots.count))
        count &+= slots[slot]
        let path = IndexPath(section: 0, row: slot)
        operations.append(.init(from: path, to: path, id: row.id))
      }
    }
    sink &+= Int(truncatingIfNeeded: count) &+ operations.count
  }
}
