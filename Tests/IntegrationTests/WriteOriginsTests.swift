import Foundation
import JSON
import TestSupport
import Testing

/// What a page of another origin may do: read what CORS lets it, and change nothing.
@Suite struct WriteOriginsTests {
  @Test func pagesOfOtherOriginsChangeNothing() throws {
    let service = try ServiceProcess(
      "cors: {origins: [\"https://reader.example\"], writes: [\"https://app.example\"]}\n" + todo
    )
    let own = "http://127.0.0.1:\(service.port)"
    let cases: [([String: String], Bool)] = [
      ([:], true),
      (["Origin": own], true),
      (["Origin": "https://app.example"], true),
      (["Origin": "https://app.example", "Sec-Fetch-Site": "cross-site"], true),
      (["Origin": "https://behind.example", "Sec-Fetch-Site": "same-origin"], true),
      (["Sec-Fetch-Site": "none"], true),
      (["Origin": "https://reader.example"], false),
      (["Origin": "https://evil.example"], false),
      (["Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"], false),
      (["Origin": "http://127.0.0.1:1", "Sec-Fetch-Site": "same-site"], false),
      (["Origin": "null"], false),
      (["Sec-Fetch-Site": "cross-site"], false),
    ]
    for (fields, isAllowed) in cases {
      let before = try service.request("GET", "/v1/tables/todo", fields)
      #expect(before.status == 200, "\(fields)")
      // None of these has a body: no browser would ask before it sends them.
      for target in ["items", "refresh", "rows/1/tap?view=v"] {
        let reply = try service.request("POST", "/v1/tables/todo/\(target)", fields)
        #expect((reply.status < 300) == isAllowed, "\(fields) \(target): \(reply.text)")
        if !isAllowed {
          #expect(reply.status == 403)
          #expect(try reply.json["field"] == "Origin")
        }
      }
      let after = try service.request("GET", "/v1/tables/todo")
      #expect((after.body == before.body) != isAllowed, "\(fields)")
    }
  }

  @Test(arguments: [("origins: [\"*\"]", 403), ("origins: [\"*\"], writes: [\"*\"]", 201), ("writes: [\"*\"]", 201)])
  func whereEveryOriginMayReadNotEveryOneMayWrite(cors: String, status: Int) throws {
    let service = try ServiceProcess("cors: {\(cors)}\n" + todo)
    let fields = ["Origin": "https://any.example", "Sec-Fetch-Site": "cross-site"]
    #expect(try service.request("GET", "/v1/tables/todo", fields)["Access-Control-Allow-Origin"] == "*")
    #expect(try service.request("POST", "/v1/tables/todo/items", fields).status == status)
  }
}
