import JSON
import TestSupport
import Testing

/// Tables that are larger than any buffer.
@Suite struct LargeStreamTests {
  /// 30 rows of 110 KB.
  private static let items = (0..<30).map { number in
    "      - {title: \"\(number) \(String(repeating: "x", count: 110_000))\", section: today}"
  }

  @Test func aTableOfThreeMegabytesHasAStream() throws {
    let service = try ServiceProcess(
      """
      store: memory
      tables:
        large:
          source:
            local:
              items:
      \(Self.items.map { "      " + $0 }.joined(separator: "\n"))
          can: {edit: true}

      """
    )
    let stream = try service.client()
    try stream.send("GET", "/v1/tables/large/stream")
    _ = try stream.receiveHead("the stream's head")
    let snapshot = try stream.receiveChunk("the table")
    #expect(snapshot.utf8.count > 3_300_000 && snapshot.hasSuffix("\n\n"))
    let row = try service.mirror("large").id("29 " + String(repeating: "x", count: 110_000))
    _ = try service.request("DELETE", "/v1/tables/large/items/\(row)")
    let event = try stream.receiveChunk("the change")
    #expect(event.contains("\"delete\"") && event.utf8.count < 1000)
  }
}
