import TableDiff
import TableModel

#if canImport(Glibc)
import Glibc
#endif

// `DiffBenchmarks` prints everything; `DiffBenchmarks profile 1000 a [cold]` repeats one shape's diff, for a profiler, and
// prints the fastest of them in milliseconds; `DiffBenchmarks long` prints the long sections alone.
let arguments = CommandLine.arguments.dropFirst()
if arguments.first == "long" {
  printLongSections()
} else if arguments.first == "profile" {
  for shape in Shape.asked where arguments.contains(String(shape.name.prefix { $0 != " " })) {
    let versions = Versions(shape)
    let apart = versions.apart
    let isCold = arguments.contains("cold")
    let clock = ContinuousClock()
    let times = (0..<(Int(arguments.dropFirst().first ?? "") ?? 1)).map { _ in
      clock.measure {
        if isCold { diff(fingerprinted(versions.old), fingerprinted(apart)) } else { diff(versions.old, versions.new) }
      }
    }
    print(shape.name, number((times.min() ?? .zero) / .milliseconds(1), 4))
  }
} else {
  printShapes()
  printCurves()
  printLongSections()
}

func printShapes() {
  print(
    """
    Milliseconds, medians. 10 sections of 1,000 rows where nothing else is said.
    "at hand": fingerprints as the service keeps them, unchanged rows are shared by both versions.
    "apart": every row is another object with bytes of its own, as after a restart.
    "new cold": apart, and first the fingerprints of all rows and the digests of all sections of the new version are
    computed from the rows' bytes, as they lie in memory: all that a service can lack, which has the old version.
    "cold": the same for both versions. The limit holds for this.
    "stdlib": difference(from:) on the rows' ids alone, in one array; it finds no updates, and moves as removals and
    insertions. Of the shuffles it gets one section (⅒), for the whole would take it minutes.

    """
  )
  let report = Report([
    "shape", "operations", "at hand", "limit", "apart", "new cold", "cold", "limit", "stdlib", "stdlib ÷ at hand",
  ])
  for shape in Shape.asked {
    let versions = Versions(shape)
    let (old, new, apart) = (versions.old, versions.new, versions.apart)
    let operations = Changeset(from: old, to: new).stages.reduce(0) {
      $0 + $1.rows.delete.count + $1.rows.insert.count + $1.rows.move.count + $1.rows.update.count
        + $1.sections.move.count
    }
    let isShuffle = shape.name.contains("shuffled")
    let compared = isShuffle ? Versions(Shape.shuffledSections.with(sections: 1, rowsPerSection: 1000)) : versions
    let (oldIDs, newIDs) = (compared.old.ids, compared.new.ids)
    let atHand = median { diff(old, new) }
    let library = median { sink &+= newIDs.difference(from: oldIDs).count }
    report.row([
      shape.name, String(operations), number(atHand, 4), shape.limit.map { number($0, 3) } ?? "",
      number(median { diff(old, apart) }, 3), number(median { diff(old, fingerprinted(apart)) }, 2),
      number(median { diff(fingerprinted(old), fingerprinted(apart)) }, 2), shape.coldLimit.map { number($0, 0) } ?? "",
      number(library, 2) + (isShuffle ? " ⅒" : ""), number(library / atHand * (isShuffle ? 10 : 1), 0),
    ])
  }
}

func printCurves() {
  print(
    """

    Nanoseconds a row, fingerprints at hand, by the number of rows. Below each, "memory": reading and writing the same
    rows without comparing anything (see MemoryWalk); what grows with it is the caches' doing.

    """
  )
  var sizes = [10_000, 30_000, 100_000, 300_000, 1_000_000]
  var report = Report(["shape"] + sizes.map { "\($0 / 1000)k" } + ["growth"], first: 54)
  func curve(_ name: String, _ shape: (Int) -> Shape) {
    var (diffs, walks): ([Double], [Double]) = ([], [])
    for size in sizes {
      let versions = Versions(shape(size))
      let walk = MemoryWalk(versions)
      let scale = 1_000_000 / Double(versions.rowCount)
      diffs.append(median(budget: .milliseconds(200)) { diff(versions.old, versions.new) } * scale)
      walks.append(median(budget: .milliseconds(200)) { walk.run() } * scale)
    }
    for (name, times) in [(name, diffs), ("  memory", walks)] {
      report.row([name] + times.map { number($0, 1) } + ["× " + number(times[times.count - 1] / times[0], 1)])
    }
  }
  for shape in [Shape.updates, .deletesAndInserts, .moves, .shuffledSections, .shuffled] {
    curve("\(shape.name), sections of 1,000") { shape.with(sections: $0 / 1000, rowsPerSection: 1000) }
  }
  for shape in [Shape.updates, .sectionsDeletedAndInserted, .sectionsMoved, .sectionsShuffled] {
    curve("\(shape.name), sections of one row") { shape.with(sections: $0, rowsPerSection: 1) }
  }
  print("\nShapes that have made other algorithms quadratic:\n")
  sizes = [10_000, 100_000, 1_000_000]
  report = Report(["shape"] + sizes.map { "\($0 / 1000)k" } + ["growth"], first: 54)
  for shape in Shape.pathological {
    curve("\(shape.name), one section") { shape.with(sections: 1, rowsPerSection: $0) }
  }
}
