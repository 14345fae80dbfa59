import TableEngine
import TableModel
import TestSupport
import Testing

/// Beside a list of all changes, looked through.
@Suite struct ForgottenChangesTests {
  @Test(arguments: 0..<50 as Range<UInt64>) func theFirstRowIsThatOfAListOfAll(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let (epoch, history) = (Epoch.random(), UInt64.random(in: 1...8, using: &random))
    func cursor(_ version: UInt64) -> Cursor { Cursor(epoch: epoch, version: version) }
    var changes = ForgottenChanges()
    var (rows, current): ([UInt64: Range<Int>], UInt64) = ([:], .random(in: 1...20, using: &random))
    var sizes: [UInt64: ForgottenChanges.Size] = [:]
    // What came before is not known.
    var start = current
    for _ in 0..<200 {
      let made = (0..<Int.random(in: 0...4, using: &random)).map { _ in randomRows(&random) }
      if Int.random(in: 0..<60, using: &random) == 0 {
        // Some went by unnoted.
        current += UInt64.random(in: 1...3, using: &random)
        start = current
      }
      let previous = current
      for made in made {
        current += 1
        rows[current] = made
      }
      let oldest = current >= history ? current - history + 1 : 1
      for version in previous...current where sizes[version] == nil { sizes[version] = randomSize(&random) }
      let size = try #require(sizes[previous])
      let steps = zip(made, previous + 1...current + 1).compactMap { rows, version in
        sizes[version].map { ForgottenChanges.Step(rows: rows, size: $0) }
      }
      changes.note(steps, after: cursor(previous), size, oldest: cursor(oldest))
      let after = UInt64.random(in: 0...current, using: &random)
      let from = Bool.random(using: &random) ? 0 : Int.random(in: 0..<15_000, using: &random)
      let window = try #require(WindowRange(from: from, rows: .random(in: 1...10_000, using: &random)))
      let found = changes.isAffected(window, after: cursor(after), until: cursor(oldest))
      guard after >= start else {
        #expect(changes.isAffected(after: cursor(after), until: cursor(oldest)) == nil)
        #expect(found == nil && changes.size(at: cursor(after)) == nil, "seed \(seed), after \(after)")
        continue
      }
      #expect(changes.size(at: cursor(after)) == sizes[after], "seed \(seed), after \(after)")
      let expected =
        after < oldest
        && (after + 1...oldest).compactMap { rows[$0] }.contains { $0.lowerBound < window.end && $0.upperBound > from }
      #expect(found == expected, "seed \(seed), after \(after), \(window)")
      guard after < oldest else { continue }
      let isOther = (after + 1...oldest).contains { rows[$0] != nil } || sizes[after] != sizes[oldest]
      #expect(
        changes.isAffected(after: cursor(after), until: cursor(oldest)) == isOther,
        "seed \(seed), after \(after)"
      )
    }
    let (other, window) = (Cursor(epoch: .random(), version: current), try #require(WindowRange(10)))
    #expect(changes.isAffected(window, after: other, until: cursor(current)) == nil)
    #expect(changes.isAffected(window, after: other, until: other) == nil)
  }

  private func randomSize(_ random: inout SeededGenerator) -> ForgottenChanges.Size {
    let skipped = Int.random(in: 0..<2, using: &random)
    return ForgottenChanges.Size(of: Table(name: "t", title: "T", state: .ready, skippedItems: skipped))
  }

  private func randomRows(_ random: inout SeededGenerator) -> Range<Int>? {
    switch Int.random(in: 0..<4, using: &random) {
    case 0: Int.random(in: 0..<5, using: &random)..<Int.max
    case 1: nil
    case 2: Int.random(in: 0..<12_000, using: &random)..<Int.max
    default: Int.random(in: 0..<12_000, using: &random)..<Int.random(in: 12_000..<20_000, using: &random)
    }
  }

  /// Beyond what is noted of windows out of the middle nothing is known of them; those at the beginning are.
  @Test func windowsAtTheBeginningAreKnownForLonger() throws {
    let (epoch, size) = (Epoch.random(), ForgottenChanges.Size(of: Table(name: "t", title: "T", state: .ready)))
    func cursor(_ version: UInt64) -> Cursor { Cursor(epoch: epoch, version: version) }
    var changes = ForgottenChanges()
    for version in 1...3_000 as ClosedRange<UInt64> {
      let step = ForgottenChanges.Step(rows: 60..<70, size: size)
      changes.note([step], after: cursor(version), size, oldest: cursor(version))
    }
    let (first, behind) = (try #require(WindowRange(50)), try #require(WindowRange(from: 80, rows: 50)))
    let reached = try #require(WindowRange(from: 65, rows: 50))
    #expect(changes.isAffected(first, after: cursor(1), until: cursor(3_000)) == false)
    #expect(changes.isAffected(behind, after: cursor(1), until: cursor(3_000)) == nil)
    #expect(changes.isAffected(behind, after: cursor(2_500), until: cursor(3_000)) == false)
    #expect(changes.isAffected(reached, after: cursor(2_500), until: cursor(3_000)) == true)
  }
}
