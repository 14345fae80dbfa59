import Foundation
import JSON
import TestSupport
import Testing

/// Added items that no cell takes.
@Suite struct UnfitInsertTests {
  private static func configuration(_ url: String) -> String {
    """
    store: memory
    cells: {Label: {nib: Label, fields: {title: string}}}
    sources: {items: {url: "\(url)/items", every: 1h, retries: 0}}
    tables:
      theirs:
        source: items
        row: {id: "${id}"}
        cell: Label
        payload: {title: "${title}"}
        edits: {insert: {url: "\(url)/items", body: "${$edit}"}}
      ours: {source: {local: {}}, cell: Label, payload: {title: "${title}"}}
    """
  }

  /// A local table refuses one before it is stored; where the upstream has it by then, whoever added it is told why it isn't seen.
  @Test func whoeverAddsOneIsTold() throws {
    let list = Monitor<[JSONValue]>([])
    let upstream = try ScriptedUpstream { request in
      guard request.method == "POST", let body = try? JSONValue(parsing: request.body) else {
        return .json(.array(list.current))
      }
      var item = body
      item["id"] = .integer(Int64(list.current.count + 1))
      list.change { $0.append(item) }
      return .reply(201, [:], item)
    }
    let service = try ServiceProcess(Self.configuration(upstream.url))
    try service.follow("theirs", until: "has answered") { $0.state == "empty" }
    let refused = try service.request("POST", "/v1/tables/ours/items", body: ["title": 5])
    #expect(refused.status == 422 && refused.text.contains("title"), "\(refused.text)")
    #expect(try service.mirror("ours").rows.isEmpty)
    let unfit = try service.request("POST", "/v1/tables/theirs/items", body: ["title": 5])
    #expect(try unfit.status == 201 && unfit.json["unfit"]?.text?.contains("title") == true, "\(unfit.text)")
    let fit = try service.request("POST", "/v1/tables/theirs/items", body: ["title": "Six"])
    #expect(try fit.status == 201 && fit.json["unfit"] == nil && fit.json["id"] == "2", "\(fit.text)")
    // A repeat is told the same.
    let key = ["Idempotency-Key": "k"]
    let first = try service.request("POST", "/v1/tables/theirs/items", key, body: ["title": 7])
    let again = try service.request("POST", "/v1/tables/theirs/items", key, body: ["title": 7])
    #expect(try first.json["unfit"] != nil && first.json["unfit"] == again.json["unfit"], "\(first.text) \(again.text)")
    #expect(list.current.count == 3)
  }
}
