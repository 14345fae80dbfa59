import Testing

/// The service as a process, with its database in a folder of its own. One after the other: they kill and measure.
@Suite(.serialized) struct DurabilityTests {
  @Test func nothingAcknowledgedIsLostInACrash() throws {
    try expectSuccess(Proof(script: "crash.py", arguments: ["--rounds", "10"]))
  }

  private func expectSuccess(_ proof: Proof) throws {
    let outcome = try proof.run()
    print("\(proof.script): \(outcome.output)")
    #expect(outcome.status == 0 || outcome.status == Proof.skipped, "\(proof.script): \(outcome.output)")
  }
}
