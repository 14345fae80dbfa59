import JSON
import Testing

@Suite struct StreamTests {
  /// Half a minute in which nothing happens but the stream's signs of life.
  @Test func aViewThatIsFollowedIsNotIdle() throws {
    let service = try ServiceProcess("views: {idle: 20s}\n" + todo)
    let row = try service.mirror("todo").id("A")
    let tap = try service.request("POST", "/v1/tables/todo/rows/\(row)/tap?view=mine").json
    let stream = try service.client()
    try stream.send("GET", "/v1/tables/todo/stream?view=mine&after=\(tap["cursor"]?.text ?? "")")
    _ = try stream.receiveHead("the stream's head")
    for _ in 0..<2 { #expect(try stream.receiveChunk("a sign of life") == ": still here\n\n") }
    let mine = try service.mirror("todo", query: "?view=mine")
    #expect(mine.row(row)?["payload"]?["isExpanded"] == true)
    #expect(mine.cursor == tap["cursor"]?.text)
  }
}
