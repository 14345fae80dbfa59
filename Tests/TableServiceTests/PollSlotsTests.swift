import Testing

@testable import TableService

@Suite struct PollSlotsTests {
  @Test(arguments: [
    (0.0, 0, 20.0), (19.75, 0, 0.25), (20, 1, 20), (1_700_000_005, 85_000_000, 15),
  ]) func slotsFollowEachOther(seconds: Double, present: Int64, remaining: Double) {
    let slots = PollSlots(at: seconds)
    #expect(slots.present == present && slots.remaining == remaining && slots.next == present + 1)
  }
}
