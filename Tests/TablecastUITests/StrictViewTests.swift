import Foundation
import Testing

@testable import TablecastClient
@testable import TablecastUI

/// The driver against views that refuse what UIKit and AppKit raise exceptions for.
@MainActor
@Suite struct StrictViewTests {
  /// `TABLECAST_BATCHES=100000` is the long run; `TABLECAST_SEED` repeats one.
  private static let batches = number("TABLECAST_BATCHES") ?? 800
  private static let firstSeed = UInt64(number("TABLECAST_SEED") ?? 1)

  private static func number(_ name: String) -> Int? { ProcessInfo.processInfo.environment[name].flatMap { Int($0) } }

  @Test func aTableViewTakesEveryBatch() throws { try run { StrictListView() } }
  @Test func aViewOfLinesTakesEveryBatch() throws { try run { StrictLineView() } }

  /// Seed after seed, until there were so many batches.
  private func run<View: StrictView>(_ make: () -> View) throws {
    var (batches, seed) = (0, Self.firstSeed)
    while batches < Self.batches {
      var simulation = try Simulation(seed: seed, make())
      for step in 0..<500 {
        try simulation.step()
        guard simulation.view.violations.isEmpty else {
          Issue.record("seed \(seed), step \(step): \(simulation.view.violations)")
          return
        }
      }
      let violations = try simulation.end()
      guard violations.isEmpty else {
        Issue.record("seed \(seed), at the end: \(violations)")
        return
      }
      try #require(simulation.view.batches > 30, "seed \(seed) animates next to nothing")
      batches += simulation.view.batches
      seed += 1
    }
    print("\(View.self): \(batches) batches, seeds \(Self.firstSeed)..<\(seed)")
  }
}
