import JSON
import TestSupport

/// An upstream that keeps a list, as small REST servers do, and can be told how to answer edits.
final class ListUpstream: Sendable {
  let server: ScriptedUpstream
  let items = Monitor<[JSONValue]>([issue(1, "open", "One"), issue(2, "open", "Two"), issue(3, "open", "Three")])
  /// Instead of carrying an edit out.
  let refusal = Monitor<ScriptedUpstream.Answer?>(nil)

  init() throws {
    server = try ScriptedUpstream([])
    server.answer { [items, refusal] request in
      guard request.method != "GET" else { return .json(.array(items.current)) }
      if let refusal = refusal.current { return refusal }
      let body = (try? JSONValue(parsing: request.body)) ?? .null
      return items.change { Self.edit(&$0, request, body) }
    }
  }

  private static func edit(_ items: inout [JSONValue], _ request: ScriptedUpstream.Request, _ body: JSONValue)
    -> ScriptedUpstream.Answer
  {
    let path = request.target.split(separator: "/").map(String.init)
    if request.method == "POST", path.count == 1 {
      var item = body
      item["number"] = .integer(Int64((items.compactMap { $0["number"]?.number }.max() ?? 0) + 1))
      items.append(item)
      return .reply(201, [:], item)
    }
    guard let index = items.firstIndex(where: { $0["number"]?.number == Int(path[1]) }) else {
      return .status(404, "{\"message\":\"no item \(path[1])\"}")
    }
    switch request.method {
    case "PATCH":
      for (name, value) in ["title", "state", "note"].map({ ($0, body[$0]) }) where value != nil {
        items[index][name] = value ?? .null
      }
      // As upstreams do that make more of a title than they were sent.
      if let title = items[index]["title"]?.text { items[index]["title"] = .string(title + "!") }
      return .json(items[index])
    case "DELETE":
      items.remove(at: index)
      return .reply(200, [:], [:])
    default:
      let item = items.remove(at: index)
      items.insert(item, at: body["at"]?.number ?? 0)
      return .reply(200, [:], [:])
    }
  }

  /// The requests that were no fetches.
  var edits: [ScriptedUpstream.Request] { server.requests.current.filter { $0.method != "GET" } }

  var configuration: String {
    """
    store: memory
    sources:
      items: {url: "\(server.url)/items", every: 1h, forward: [Authorization], timeout: 6s, retries: 0}
    cells:
      Label: {nib: Label, fields: {title: string}}
    tables:
      t:
        source: items
        row: {id: "${number}"}
        cell: Label
        payload: {title: "${title}"}
        edits:
          insert: {url: "\(server.url)/items", body: "${$edit}", headers: {X-Kind: "insert"}}
          patch: {url: "\(server.url)/items/${$id}", body: {title: "${$edit.title}", was: "${title}"}}
          delete: {url: "\(server.url)/items/${$id}"}
          move: {method: PUT, url: "\(server.url)/items/${$id}/position", body: "${$edit}"}
    """
  }
}
