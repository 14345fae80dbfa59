import Foundation
import JSON
import TestSupport
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

  /// A poll that waits uses its view for as long as it waits, however short the time is after which views are idle.
  @Test func aViewThatIsPolledIsNotIdle() throws {
    let service = try ServiceProcess("views: {idle: 3s}\n" + todo)
    let row = try service.mirror("todo").id("A")
    let cursor = try required(
      service.request("POST", "/v1/tables/todo/rows/\(row)/tap?view=mine").json["cursor"]?.text,
      "a cursor"
    )
    let reply = try service.poll("todo", after: cursor, wait: 8, query: "&view=mine").value().json
    #expect(reply["reset"] == nil && reply["stages"]?.elements.isEmpty == true, "\(reply)")
    #expect(reply["to"]?.text == cursor)
  }

  @Test func whoseTokenIsTakenAwayIsSentNothingMore() throws {
    let reader = "    - {name: reader, sha256: \"\(try sha256("reader-token"))\", allow: [read]}\n"
    let configuration =
      todo + """

        auth:
          reading: tokens
          tokens:
            - {name: editor, sha256: "\(try sha256("editor-token"))", allow: [read, edit]}

        """
    let service = try ServiceProcess(configuration + reader)
    let add: () throws -> Void = {
      let headers = ["Authorization": "Bearer editor-token"]
      let reply = try service.request("POST", "/v1/tables/todo/items", headers, body: [:])
      #expect(reply.status == 201)
    }
    let stream = try service.client()
    try stream.send("GET", "/v1/tables/todo/stream", ["Authorization": "Bearer reader-token"])
    _ = try stream.receiveHead("the stream's head")
    #expect(try stream.receiveChunk("the table").contains("snapshot"))
    try add()
    #expect(try stream.receiveChunk("an event").contains("stages"))
    try service.folder.write(configuration)
    service.signal(SIGHUP)
    try service.logged("was read again")
    try add()
    #expect(try stream.receiveChunk("the end").isEmpty)
  }
}
