import Testing

/// The service as a process, with its database in a folder of its own. One after the other: they kill and measure.
@Suite(.serialized) struct DurabilityTests {
  @Test func nothingAcknowledgedIsLostInACrash() throws {
    try expectSuccess(Proof(script: "crash.py", arguments: ["--rounds", "10"]))
  }

  @Test func oneTableIsLinearisable() throws {
    try expectSuccess(Proof(script: "linearise.py"))
  }

  @Test(arguments: ["full", "truncated", "damaged", "newer", "locked"])
  func theDiskIsNotTrusted(fault: String) throws {
    try expectSuccess(Proof(script: "faults.py", arguments: [fault]))
  }

  private func expectSuccess(_ proof: Proof) throws {
    let outcome = try proof.run()
    print("\(proof.script): \(outcome.output)")
    #expect(outcome.status == 0 || outcome.status == Proof.skipped, "\(proof.script): \(outcome.output)")
  }
}
