import Definitions
import Dispatch
import JSON
import TestSupport
import Testing

@testable import Upstream

@Suite(.serialized) struct LoadTests {
  @Test func requestsToOneHostAreLimitedAndReused() async throws {
    let upstream = try MisbehavingUpstream()
    let client = try TransferClient(requestsPerHost: 4)
    let url = try #require(UpstreamURL(upstream.base + "/delay?ms=5"))
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<200 {
        group.addTask {
          let result = await client.send(TransferRequest(url: url))
          #expect((try? result.get().status) == 200)
        }
      }
    }
    let state = try await upstream.log(client)
    #expect(state["peak"] == .integer(4))
    guard case .integer(let connections)? = state["connections"] else { return #expect(Bool(false)) }
    #expect(connections <= 5)
  }

  /// A long body never grows by being copied, and has room for a parser's padding behind it.
  @Test(arguments: [("/items?n=20000", 1...8192), ("/items?n=20", 0...8192)])
  func bodiesHaveTheRoomThatTheyNeed(_ path: String, _ room: ClosedRange<Int>) async throws {
    let upstream = try MisbehavingUpstream()
    let url = try #require(UpstreamURL(upstream.base + path))
    let body = try await TransferClient().send(TransferRequest(url: url)).get().body
    #expect(room.contains(body.capacity - body.count), "\(body.count) bytes in \(body.capacity)")
  }

  /// However many requests wait of one lane: another's first is not behind them.
  @Test func lanesTakeTurns() async throws {
    let upstream = try MisbehavingUpstream()
    let queue = DispatchQueue(label: "test")
    let client = try TransferClient(queue: queue, requestsPerHost: 1)
    let url = try #require(UpstreamURL(upstream.base + "/delay?ms=5"))
    let recorder = Recorder<String>()
    let (crowded, other) = (client.makeLane(), client.makeLane())
    // All of them wait before the first has ended.
    queue.suspend()
    for _ in 0..<20 { client.send(TransferRequest(url: url).on(crowded)) { _ in recorder.append("crowded") } }
    client.send(TransferRequest(url: url).on(other)) { _ in recorder.append("other") }
    queue.resume()
    let turn = await recorder.first(21).firstIndex(of: "other")
    #expect(turn.map { $0 < 8 } ?? false, "\(turn ?? -1)")
  }

  @Test func cancelledWhileItWaitsForItsTurn() async throws {
    let upstream = try MisbehavingUpstream()
    let queue = DispatchQueue(label: "test")
    let client = try TransferClient(queue: queue, requestsPerHost: 1)
    let url = try #require(UpstreamURL(upstream.base + "/delay?ms=50"))
    let recorder = Recorder<Bool>()
    let transfers = (0..<5).map { _ in
      client.send(TransferRequest(url: url)) { result in recorder.append((try? result.get()) != nil) }
    }
    transfers[1].cancel()
    transfers[3].cancel()
    #expect(await recorder.first(5).count { $0 } == 3)
  }

  @Test func twoHundredSourcesOnOneQueue() async throws {
    let upstream = try MisbehavingUpstream()
    let client = try TransferClient()
    let recorder = Recorder<String>()
    let sources = try (0..<200).map { index in
      try Source.onRequest("\(upstream.base)/items?n=3&i=\(index)", client: client, recorder: recorder) {
        $0.every = .seconds(1)
        $0.timeout = .seconds(5)
        $0.stallTimeout = .seconds(5)
      }
    }
    for source in sources { source.start() }
    let words = await recorder.first(400)
    #expect(words.allSatisfy { $0 == "content 3" || $0 == "unchanged" })
    for source in sources { source.stop() }
    guard case .integer(let connections)? = try await upstream.log(client)["connections"] else {
      return #expect(Bool(false))
    }
    #expect(connections <= 9)
  }
}
