import Testing

@testable import TablecastClient
@testable import TablecastUI

/// Each rule of the driver broken once: the simulator notices, so that its silence means something.
@MainActor
@Suite struct FaultTests {
  @Test(arguments: Fault.allCases) func aBrokenRuleIsNoticed(_ fault: Fault) throws {
    let notices = try notices { FaultyView($0, fault) }
    #expect(notices.contains { $0.contains(fault.notice) }, "\(fault): \(notices)")
  }

  @Test func withoutAFaultNothingIsNoticed() throws {
    #expect(try notices { $0 }.isEmpty)
  }

  /// The same for lines, where the plan is what can be wrong.
  @Test func aPlanThatCountsAsUIKitDoesIsNoticed() throws {
    let notices = try lineNotices { _, old, new in
      let (before, after) = (ListLine.all(of: old), ListLine.all(of: new))
      let gone = before.indices.filter { !after.contains(before[$0]) }.map { SequentialOperation.remove($0) }
      return gone + after.indices.filter { !before.contains(after[$0]) }.map { SequentialOperation.insert($0) }
    }
    #expect(notices.contains { $0.contains("lines stand elsewhere") || $0.contains("isn't there") }, "\(notices)")
  }

  @Test func aRowOutOfADeletedSectionThatIsOnlyMovedIsNoticed() throws {
    let notices = try lineNotices { _, old, new in
      SequentialOperation.between(ListLine.all(of: old), ListLine.all(of: new))
    }
    #expect(notices.contains { $0.contains("a line shows an old row") }, "\(notices)")
  }

  private func notices(_ shownTo: @escaping (StrictListView) -> any ListView) throws -> [String] {
    for seed in UInt64(0)..<6 {
      // The driver doesn't keep its view.
      var kept: (any ListView)?
      var simulation = try Simulation(seed: seed, StrictListView()) { view in
        let shown = shownTo(view)
        kept = shown
        return shown
      }
      let notices = try run(&simulation)
      withExtendedLifetime(kept) {}
      if !notices.isEmpty { return notices }
    }
    return []
  }

  private func lineNotices(_ plan: @escaping StrictLineView.Plan) throws -> [String] {
    for seed in UInt64(0)..<40 {
      let view = StrictLineView()
      view.plan = plan
      var simulation = try Simulation(seed: seed, view)
      let notices = try run(&simulation)
      if !notices.isEmpty { return notices }
    }
    return []
  }

  private func run<View: StrictView>(_ simulation: inout Simulation<View>) throws -> [String] {
    for _ in 0..<200 {
      try simulation.step()
      if !simulation.view.violations.isEmpty { return simulation.view.violations }
    }
    return try simulation.end()
  }
}
