import Foundation
import JSON
import TestSupport
import Testing

/// Items that the service owns, edited by callers who each see their own.
@Suite struct CallersItemsTests {
  /// - Parameter projects: the source of `led`'s lookup.
  private static func configuration(
    _ issuer: Issuer,
    _ store: String = "memory",
    projects: String = "{local: {items: [{id: P1, boss: ada}, {id: P2, boss: bob}]}}"
  ) -> String {
    """
    store: \(store)
    auth:
      tokens: [{name: admin, sha256: "\(sha256Text("root"))", allow: [admin]}]
      jwt: \(issuer.configuration(", allow: {edit: true}"))
    cells: {Label: {fields: {title: string}}}
    sources:
      notes:
        local:
          items: [{title: Old, owner: bob}]
          default: {owner: "${$caller.claims.sub}", done: false}
          fields: {title: string, done: boolean}
      open: {local: {default: {owner: "${$caller.claims.sub}"}}}
      projects: \(projects)
    tables:
      mine:
        source: notes
        cell: Label
        payload: {title: "${title}"}
        sections: [{id: mine, where: owner == $caller.claims.sub && !done}]
        can: {edit: true, move: true}
        actions: {give: {title: Give, patch: {owner: bob}}}
      all: {source: notes, cell: Label, payload: {title: "${title} of ${owner}"}}
      team:
        source: open
        cell: Label
        payload: {title: "${title}"}
        parameters: {team: {pattern: "[a-z]+", default: "${$caller.claims.team}"}}
        sections: [{id: rows, where: owner == $caller.claims.sub && team == $params.team}]
        can: {edit: true, move: true}
      led:
        source: open
        cell: Label
        payload: {title: "${title}"}
        lookups: {project: {source: projects, key: id, on: project}}
        sections: [{id: rows, where: $project.boss == $caller.claims.sub}]
        can: {edit: true}
      due: {source: open, cell: Label, payload: {title: "${title}"}, sections: [{id: due, where: "(due | timestamp) > 0 && owner == $caller.claims.sub"}]}
      signed: {source: open, cell: Label, payload: {title: "${title} for ${$caller.claims.sub}"}, sections: [{id: open, where: "!has(done)"}], can: {edit: true}}
    """
  }

  private static func sha256Text(_ text: String) -> String { (try? sha256(text)) ?? "" }

  private struct User {
    let service: ServiceProcess
    let headers: [String: String]

    func send(_ method: String, _ path: String, _ body: JSONValue? = nil, _ more: [String: String] = [:]) throws
      -> (status: Int, json: JSONValue)
    {
      let reply = try service.request(method, "/v1/tables/\(path)", headers.merging(more) { $1 }, body: body)
      return (reply.status, (try? reply.json) ?? .null)
    }

    func rows(_ table: String = "mine") throws -> [String] {
      let json = try send("GET", table).json
      return json["sections"]?.elements.flatMap { $0["rows"]?.elements ?? [] }.compactMap { $0["id"]?.text } ?? []
    }
  }

  /// A source that only callers' own tables show is found under its new name, whatever the table is before and after.
  @Test(arguments: [(true, true), (true, false), (false, true)])
  func itemsStayUnderAnotherName(areOwn: (before: Bool, after: Bool)) throws {
    let (issuer, folder) = (try Issuer(), try TemporaryFolder())
    func configuration(_ source: String, isOwn: Bool) -> String {
      """
      store: {path: "{folder}/store.sqlite"}
      auth: {jwt: \(issuer.configuration(", allow: {edit: true}"))}
      cells: {Label: {fields: {title: string}}}
      sources: {\(source): {local: {items: [{title: Old, owner: ada}], default: {owner: "${$caller.claims.sub}"}}}}
      tables:
        mine:
          source: \(source)
          cell: Label
          payload: {title: "${title}"}
          sections: [{id: mine\(isOwn ? ", where: owner == $caller.claims.sub" : "")}]
      """
    }
    let service = try ServiceProcess(configuration("notes", isOwn: areOwn.before), in: folder)
    let ada = User(service: service, headers: issuer.token("ada"))
    let id = try required(ada.send("POST", "mine/items", ["title": "New"]).json["id"]?.text, "the id")
    for (number, (source, isOwn)) in [("works", areOwn.after), ("notes", areOwn.before)].enumerated() {
      try service.folder.write(configuration(source, isOwn: isOwn))
      service.signal(SIGHUP)
      try service.log.wait(for: "the configuration") { lines in
        lines.count { $0.contains("was read again") } == number + 1 ? true : nil
      }
      #expect(try ada.rows() == ["1", id], "\(source)")
    }
    #expect(try ada.send("DELETE", "mine/items/\(id)").status == 200)
  }

  @Test func eachEditsTheirOwnRows() throws {
    let issuer = try Issuer()
    let service = try ServiceProcess(Self.configuration(issuer))
    let (ada, bob) = (
      User(service: service, headers: issuer.token("ada")), User(service: service, headers: issuer.token("bob"))
    )
    #expect(try ada.rows() == [] && bob.rows() == ["1"])
    let added = try ada.send("POST", "mine/items", ["title": "Ada's"])
    #expect(added.status == 201, "\(added)")
    let id = try required(added.json["id"]?.text, "the id")
    #expect(Int(id) == nil, "a number would tell how many others there are")
    #expect(try ada.rows() == [id] && bob.rows() == ["1"])
    #expect(try ada.send("GET", "mine").json["cursor"] == added.json["cursor"])
    // Another's is not there, whatever is asked.
    for (method, path, body) in [
      ("PATCH", "mine/items/\(id)", ["title": "X"]), ("DELETE", "mine/items/\(id)", nil),
      ("POST", "mine/items/\(id)/move", ["section": "mine", "at": 0]), ("PUT", "mine/items/\(id)", ["title": "X"]),
      ("POST", "mine/rows/\(id)/actions/give", nil), ("GET", "mine/items/\(id)", nil), ("GET", "mine/rows/\(id)", nil),
      (
        "POST", "mine/edits", ["edits": [["op": "add", "item": ["title": "Y"]], ["op": "delete", "id": .string(id)]]]
      ),
    ] as [(String, String, JSONValue?)] {
      let there = try bob.send(method, path, body)
      let nowhere = try bob.send(method, path.replacing(id, with: "none"), body)
      let isPut = method == "PUT"
      #expect(there.status == 404 && (isPut || nowhere.status == 404), "\(method) \(path): \(there)")
      #expect(
        isPut
          || there.json["detail"]?.text?.replacing(id, with: "none")
            == nowhere.json["detail"]?.text?.replacing(id, with: "none"),
        "\(there) \(nowhere)"
      )
      if isPut { #expect(try bob.send("DELETE", "mine/items/none").status == 200) }
    }
    #expect(try bob.send("PUT", "mine/items/\(id)", ["title": "X"], ["If-None-Match": "*"]).status == 404)
    for place in ["before=\(id)", "after=\(id)"] {
      let there = try bob.send("POST", "mine/items?\(place)", ["title": "Z"])
      #expect(there.status == 422 && there.json["detail"]?.text?.contains("There is no row") == true)
    }
    #expect(try ada.rows() == [id] && bob.rows() == ["1"])
    let skipped = try bob.send("GET", "mine/skipped").json
    #expect(skipped["unplacedItems"] == 0 && skipped["unplaced"] == [], "\(skipped)")
    // Nobody gives a row to another, nor takes one.
    #expect(try bob.send("POST", "mine/items", ["title": "Z", "owner": "ada"]).status == 422)
    #expect(try ada.send("POST", "mine/rows/\(id)/actions/give").status == 422)
    // What is out of sight for another reason may be.
    #expect(try ada.send("PATCH", "mine/items/\(id)", ["done": true]).status == 200)
    #expect(try ada.rows() == [])
    let admin = User(service: service, headers: ["Authorization": "Bearer root"])
    #expect(try admin.rows("all") == ["1", id])
  }

  /// Without `fields` what tells whose an item is can be sent, and is refused all the same.
  @Test func whatIsSentMakesNobodysRowAnothers() throws {
    let issuer = try Issuer()
    let service = try ServiceProcess(Self.configuration(issuer))
    let ada = User(service: service, headers: issuer.token("ada", ["team": "red"]))
    #expect(try ada.send("POST", "team/items", ["title": "A", "owner": "bob", "team": "red"]).status == 422)
    let added = try ada.send("POST", "team/items", ["title": "A", "team": "red"])
    #expect(added.status == 201, "\(added)")
    // The default of a parameter is the caller's.
    #expect(try ada.rows("team").count == 1 && ada.rows("team;team=blue").isEmpty)
    let id = try required(added.json["id"]?.text, "the id")
    #expect(try ada.send("PATCH", "team/items/\(id)", ["owner": "bob"]).status == 422)
    let batch: JSONValue = [
      "edits": [["op": "patch", "id": .string(id), "patch": ["title": "B"]], ["op": "add", "item": ["owner": "bob"]]]
    ]
    #expect(try ada.send("POST", "team/edits", batch).json["at"] == 1)
    let reply = try service.request("GET", "/v1/tables/team", issuer.token("ada"))
    #expect(reply.status == 400, "without the claim there is no default: \(reply.text)")
    let vary = try service.request("GET", "/v1/tables/team", ada.headers)
    #expect(vary["Cache-Control"].contains("private") && vary["Vary"].contains("Authorization"))
  }

  /// A looked-up item may tell whose an item is; what does not read the caller doesn't.
  @Test func whoseAnItemIsStandsElsewhere() throws {
    let issuer = try Issuer()
    let service = try ServiceProcess(Self.configuration(issuer))
    let ada = User(service: service, headers: issuer.token("ada"))
    let bob = User(service: service, headers: issuer.token("bob"))
    let added = try ada.send("POST", "led/items", ["title": "A", "project": "P1"])
    #expect(added.status == 201, "\(added)")
    let id = try required(added.json["id"]?.text, "the id")
    #expect(try ada.send("PATCH", "led/items/\(id)", ["title": "B"]).status == 200)
    #expect(try ada.send("PATCH", "led/items/\(id)", ["project": "P2"]).status == 422)
    #expect(try ada.send("POST", "led/items", ["title": "C", "project": "P2"]).status == 422)
    #expect(try ada.rows("led") == [id] && bob.rows("led").isEmpty)
    // What the caller counts for is the title alone.
    #expect(try bob.send("PATCH", "signed/items/\(id)", ["done": true]).status == 200)
    #expect(try bob.rows("signed").isEmpty)
  }

  /// Before the looked-up source has answered it is not known whose an item is, and nothing is refused for good.
  @Test func whoseAnItemIsMayNotBeKnownYet() throws {
    let (issuer, upstream) = (try Issuer(), try ScriptedUpstream { _ in .status(500, "{}") })
    let projects = #"{url: "\#(upstream.url)/projects", every: 1m, retries: 0}"#
    let service = try ServiceProcess(Self.configuration(issuer, projects: projects))
    let ada = User(service: service, headers: issuer.token("ada"))
    let added = try ada.send("POST", "signed/items", ["title": "A", "project": "P1"])
    let id = try required(added.json["id"]?.text, "the id")
    #expect(try ada.rows("led").isEmpty)
    let key = ["Idempotency-Key": "k1"]
    for _ in 0..<2 { #expect(try ada.send("POST", "led/items", ["title": "B", "project": "P1"], key).status == 503) }
    #expect(try ada.send("PATCH", "led/items/\(id)", ["title": "B"]).status == 503)
  }

  /// An item of another caller that a condition can't be evaluated for is not there.
  @Test func nothingIsToldOfOthersItems() throws {
    let issuer = try Issuer()
    let service = try ServiceProcess(Self.configuration(issuer))
    let ada = User(service: service, headers: issuer.token("ada"))
    let bob = User(service: service, headers: issuer.token("bob"))
    let before = try ada.send("GET", "due").json
    #expect(try bob.send("POST", "signed/items", ["title": "x", "due": "meet Cy in room 5"]).status == 201)
    let after = try ada.send("GET", "due").json
    #expect(after["cursor"]?.text == before["cursor"]?.text && after["counts"]?["skippedItems"] == 0, "\(after)")
    #expect(try ada.send("GET", "due/skipped").json["skippedItems"] == 0)
    #expect(try bob.send("GET", "due/skipped").json["skippedItems"] == 1)
  }

  /// One key of two callers is two keys; another's cursor is no condition; what one adds wakes nobody else.
  @Test func keysAndCursorsAreTheCallersOwn() throws {
    let issuer = try Issuer()
    let folder = try TemporaryFolder()
    var service = try ServiceProcess(Self.configuration(issuer, #"{path: "{folder}/store.sqlite"}"#), in: folder)
    var (ada, bob) = (
      User(service: service, headers: issuer.token("ada")), User(service: service, headers: issuer.token("bob"))
    )
    let key = ["Idempotency-Key": "one"]
    let first = try ada.send("POST", "mine/items", ["title": "A"], key)
    let second = try bob.send("POST", "mine/items", ["title": "A"], key)
    #expect(first.status == 201 && second.status == 201, "\(first) \(second)")
    #expect(first.json["id"] != second.json["id"])
    #expect(try ada.send("POST", "mine/items", ["title": "A"], key).json == first.json)
    let bobs = try required(bob.send("GET", "mine").json["cursor"]?.text, "a cursor")
    let refused = try ada.send("POST", "mine/items", ["title": "B"], ["If-Match": "\"\(bobs)\""])
    #expect(refused.status == 412)
    // What bob adds is no change of ada's table.
    let before = try ada.send("GET", "mine").json["cursor"]
    #expect(try bob.send("POST", "mine/items", ["title": "C"]).status == 201)
    #expect(try ada.send("GET", "mine").json["cursor"] == before)
    let matched = try ada.send("POST", "mine/items", ["title": "B"], ["If-Match": "\"\(before?.text ?? "")\""])
    #expect(matched.status == 201, "\(matched)")
    let rows = try (ada.rows(), bob.rows())
    // It is stored, and so are the answers.
    try service.end(SIGKILL)
    service = try ServiceProcess(Self.configuration(issuer, #"{path: "{folder}/store.sqlite"}"#), in: folder)
    (ada, bob) = (
      User(service: service, headers: issuer.token("ada")), User(service: service, headers: issuer.token("bob"))
    )
    #expect(try ada.rows() == rows.0 && bob.rows() == rows.1)
    #expect(try ada.send("POST", "mine/items", ["title": "A"], key).json["id"] == first.json["id"])
    #expect(try ada.rows() == rows.0)
  }
}
