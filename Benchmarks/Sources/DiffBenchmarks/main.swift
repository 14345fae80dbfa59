import TableDiff
import TableModel

// Swift's `print` knows no widths, and Foundation is not worth its while here.
func column(_ text: String, _ width: Int) -> String {
  String(repeating: " ", count: max(0, width - text.count)) + text
}

func number(_ value: Double, _ digits: Int) -> String {
  var scale = 1.0
  for _ in 0..<digits { scale *= 10 }
  let rounded = Int(value * scale + 0.5)
  let fraction = String(rounded % Int(scale))
  return "\(rounded / Int(scale))." + String(repeating: "0", count: digits - fraction.count) + fraction
}

/// Keeps the optimiser from dropping what is measured.
nonisolated(unsafe) var sink = 0

func diff(_ old: Table, _ new: Table) { sink &+= Changeset(from: old, to: new).stages.count }

func ids(_ table: Table) -> [String] { table.sections.flatMap { $0.rows.map(\.id) } }

print("Milliseconds, medians. \"shared\": fingerprints at hand, unchanged rows are shared, as in the service;")
print("\"apart\": at hand, but every row is another object, so equal ones are compared by bytes; \"cold\": the new")
print("version's rows and fingerprints are made too; \"cold, both\": those of both versions.")
print("\"stdlib\": difference(from:) on the rows' ids alone, all in one array; a shuffle takes it too long, so it")
print("gets a tenth of one (1,000 rows) there.\n")
let name = "shape".padded(36)
print(name + ["shared", "apart", "cold", "cold, both", "stdlib", "operations"].map { column($0, 12) }.joined())
for shape in Shape.asked {
  let (oldDrafts, newDrafts) = shape.drafts()
  let (oldSource, newSource) = (Source(oldDrafts), Source(newDrafts))
  let old = oldSource.table()
  let shared = newSource.table(after: old)
  let apart = newSource.table()
  let changeset = Changeset(from: old, to: shared)
  let operations = changeset.stages.reduce(0) {
    $0 + $1.rows.delete.count + $1.rows.insert.count + $1.rows.move.count + $1.rows.update.count
      + $1.sections.move.count
  }
  let isShuffle = shape.name.contains("shuffled")
  let (oldIDs, newIDs) = isShuffle ? tenth(shape) : (ids(old), ids(shared))
  let columns = [
    number(median { diff(old, shared) }, 4),
    number(median { diff(old, apart) }, 4),
    number(median { diff(old, newSource.table()) }, 3),
    number(median { diff(oldSource.table(), newSource.table()) }, 3),
    number(median { sink &+= newIDs.difference(from: oldIDs).count }, 3) + (isShuffle ? " ⅒" : ""),
    String(operations),
  ]
  print(shape.name.padded(36) + columns.map { column($0, 12) }.joined())
}

/// One section of a shuffle.
func tenth(_ shape: Shape) -> ([String], [String]) {
  let (old, new) = Shape.shuffledSections.with(sections: 1, rowsPerSection: 1000).drafts()
  return (ids(Source(old).table()), ids(Source(new).table()))
}

print("\nNanoseconds a row, fingerprints at hand, sections of 1,000 rows:\n")
let sizes = [10_000, 30_000, 100_000, 300_000, 1_000_000]
print("shape".padded(36) + sizes.map { column(String($0), 12) }.joined())
for shape in [Shape.updates, .deletesAndInserts, .moves, .shuffledSections, .shuffled] {
  print(
    shape.name.padded(36)
      + sizes.map { size in column(nanoseconds(shape.with(sections: size / 1000, rowsPerSection: 1000)), 12) }.joined()
  )
}

print("\nNanoseconds a row, fingerprints at hand, one section (the last line: sections of one row):\n")
let longSizes = [10_000, 100_000, 1_000_000]
print("shape".padded(36) + longSizes.map { column(String($0), 12) }.joined())
for shape in Shape.pathological {
  print(
    shape.name.padded(36)
      + longSizes.map { size in
        let isManySections = shape.sections > 1
        return column(
          nanoseconds(shape.with(sections: isManySections ? size : 1, rowsPerSection: isManySections ? 1 : size)),
          12
        )
      }.joined()
  )
}

func nanoseconds(_ shape: Shape) -> String {
  let (old, new) = shape.drafts()
  let oldTable = Source(old).table()
  let newTable = Source(new).table(after: oldTable)
  let rows = shape.sections * shape.rowsPerSection
  return number(median(budget: .milliseconds(500)) { diff(oldTable, newTable) } * 1_000_000 / Double(rows), 1)
}

extension String {
  func padded(_ width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
