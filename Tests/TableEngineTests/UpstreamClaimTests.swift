import Testing

@testable import TableEngine

/// How long an edit that is sent to an upstream is one replica's alone.
@Suite struct UpstreamClaimTests {
  @Test(
    arguments: [
      ([], Duration.seconds(120)), ([.seconds(10)], .seconds(120)),
      ([.seconds(10), .seconds(600), .seconds(1)], .seconds(660)),
    ] as [([Duration], Duration)]
  )
  func aKeyIsClaimedForLongerThanAnUpstreamMayTake(timeouts: [Duration], claim: Duration) {
    #expect(UpstreamChange.claim(timeouts: timeouts) == claim)
  }

  /// A replica that dies with it keeps others from editing until then.
  @Test(arguments: [.seconds(1), .seconds(10), .seconds(600)] as [Duration])
  func aTurnIsClaimedForLittleLongerThanTheSourceMayTake(timeout: Duration) {
    let lifetime = ConditionalTurn.lifetime(timeout: timeout)
    #expect(lifetime >= timeout + .seconds(15) && lifetime <= timeout + .seconds(60))
  }
}
