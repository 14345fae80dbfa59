import Foundation
import JSON
import TestSupport
import Testing

/// Taps that are repeated at another replica, as behind a load balancer.
@Suite struct ReplicaTapTests {
  @Test(arguments: ["open/rows/1/tap", "open/rows/1/tap?view=v", "notes/rows/1/tap?view=v"])
  func aRepeatElsewhereShowsWhatTheTapHasDone(target: String) throws {
    let set = try ReplicaSet(2)
    for replica in set.replicas { try replica.follow("open", until: "is ready") { $0.state == "ready" } }
    for number in 0..<20 {
      let taps = try set.replicas.map { replica in
        try replica.request("POST", "/v1/tables/\(target)", ["Idempotency-Key": "tap-\(number)"])
      }
      #expect(taps.map(\.status) == [200, 200], "\(taps[1].text)")
      #expect(try taps[1].json["cursor"] == taps[0].json["cursor"])
      #expect(try taps[1].json["row"] == taps[0].json["row"], "tap \(number)")
      #expect(try taps[1].json["row"]?["payload"]?["isOpen"] == .bool(number % 2 == 0))
    }
  }
}
