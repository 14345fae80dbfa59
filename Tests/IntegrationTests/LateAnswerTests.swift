import JSON
import TestSupport
import Testing

/// Answers to edits that an upstream gives late: what it has accepted meanwhile, and answered first, stays.
@Suite struct LateAnswerTests {
  /// An upstream of one item, which holds back what it says of a deletion, and of one title.
  private final class Upstream {
    let server: ScriptedUpstream
    let items: Monitor<[JSONValue]>
    let service: ServiceProcess

    init() throws {
      let items = Monitor<[JSONValue]>([["id": "one", "title": "One"]])
      self.items = items
      server = try ScriptedUpstream { request in
        guard request.method != "GET" else { return .json(.array(items.current)) }
        guard let title = (try? JSONValue(parsing: request.body))?["title"] else {
          items.change { $0 = [] }
          return .silence
        }
        let item: JSONValue = ["id": "one", "title": title]
        items.change { $0 = [item] }
        return title == "Late" ? .silence : .reply(200, [:], item)
      }
      service = try ServiceProcess(
        """
        store: memory
        cells: {Label: {fields: {title: string}}}
        sources:
          up: {url: "\(server.url)/items", every: 0s, retries: 0}
        tables:
          up:
            source: up
            row: {id: "${id}"}
            cell: Label
            payload: {title: "${title}"}
            edits:
              insert: {method: PUT, url: "\(server.url)/items/${$id}", body: "${$edit}"}
              patch: {url: "\(server.url)/items/${$id}", body: "${$edit}"}
              replace: {url: "\(server.url)/items/${$id}", body: "${$edit}"}
              delete: {url: "\(server.url)/items/${$id}"}
        """
      )
      try service.follow("up", until: "is ready") { $0.state == "ready" }
    }

    func edit(_ method: String, _ title: String? = nil) throws -> Reply {
      try service.request(method, "/v1/tables/up/items/one", body: title.map { ["title": .string($0)] })
    }

    /// Has the late answer come, and the list fail from now on.
    func release() {
      server.script { request in
        switch request.method {
        case "GET": .status(500, "down")
        case "DELETE": .reply(200, [:], [:])
        default: .reply(200, [:], ["id": "one", "title": "Late"])
        }
      }
    }
  }

  /// Changed twice, the item is as it was when the edit was sent.
  @Test func anItemThatLooksAsBefore() throws {
    let upstream = try Upstream()
    let late = Background("the late edit") { [upstream = Unchecked(upstream)] in
      try upstream.value.edit("PATCH", "Late")
    }
    try upstream.server.requests.wait(for: "the edit") { $0.contains { $0.method == "PATCH" } ? true : nil }
    for title in ["Two", "One"] { #expect(try upstream.edit("PATCH", title).status == 200) }
    upstream.release()
    #expect(try late.value().status == 504, "nobody knows what has become of it before the list answers")
    #expect(try upstream.service.mirror("up").titles == [["One"]])
  }

  /// - Parameter isGone: the list has said meanwhile that it is deleted, so that it is added, and not replaced.
  @Test(arguments: [false, true]) func anItemThatWasMadeAnew(isGone: Bool) throws {
    let upstream = try Upstream()
    let late = Background("the late deletion") { [upstream = Unchecked(upstream)] in
      try upstream.value.edit("DELETE")
    }
    try upstream.items.wait(for: "the deletion") { $0.isEmpty ? true : nil }
    if isGone {
      #expect(try upstream.service.request("POST", "/v1/tables/up/refresh").status == 200)
      #expect(try upstream.service.mirror("up").titles.joined().isEmpty)
    }
    let again = try upstream.edit("PUT", "Again")
    #expect(again.status == (isGone ? 201 : 200), "\(again.text)")
    upstream.release()
    #expect(try late.value().status == 504)
    #expect(try upstream.service.mirror("up").titles == [["Again"]])
  }
}
