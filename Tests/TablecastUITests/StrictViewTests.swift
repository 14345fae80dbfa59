import Foundation
import Testing

@testable import TablecastClient
@testable import TablecastUI

/// The driver against views that refuse what UIKit and AppKit raise exceptions for.
@MainActor
@Suite struct StrictViewTests {
  /// `TABLECAST_BATCHES=100000` is the long run, for which `Tests/StrictViews` builds the same with optimisation;
  /// `TABLECAST_SEED` repeats one.
  private static let batches = number("TABLECAST_BATCHES") ?? 800
  private static let firstSeed = UInt64(number("TABLECAST_SEED") ?? 1)

  private static func number(_ name: String) -> Int? { ProcessInfo.processInfo.environment[name].flatMap { Int($0) } }

  @Test func aTableViewTakesEveryBatch() throws { try run { StrictListView() } }
  @Test func aViewOfLinesTakesEveryBatch() throws { try run { StrictLineView() } }

  /// Seed after seed, until there were so many batches.
  private func run<View: StrictView>(_ make: () -> View) throws {
    var (batches, seed, progress) = (0, Self.firstSeed, Progress())
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
      progress.note { "\(View.self): \(batches) of \(Self.batches) batches, seed \(seed)" }
    }
    Progress.say("\(View.self): \(batches) batches, seeds \(Self.firstSeed)..<\(seed)")
  }
}

/// Says now and then how far a long run is.
private struct Progress {
  private var last = ContinuousClock.now

  mutating func note(_ text: () -> String) {
    guard last.duration(to: .now) > .seconds(30) else { return }
    last = .now
    Self.say(text())
  }

  /// At once, into a file too: `print` waits until there is more to write.
  static func say(_ text: String) { FileHandle.standardOutput.write(Data((text + "\n").utf8)) }
}
