import Foundation
import JSON
import TestSupport
import Testing

/// A newer configuration gives a local source another name while replicas with the older one go on.
@Suite struct RenamedSourceTests {
  private static func configuration(_ address: String, generation: Int, _ source: String) -> String {
    """
    store: {postgres: "\(address)"}
    generation: \(generation)
    cells: {Label: {nib: Label, fields: {title: string}}}
    sources: {\(source): {local: {items: [{title: A}]}}}
    tables:
      todo: {source: \(source), cell: Label, payload: {title: "${title}"}}
      board: {source: \(source), cell: Label, payload: {title: "${title}!"}}
    """
  }

  /// An older replica shows at once what is edited under the new name. Nothing of that is lost when the configuration is taken back.
  @Test func whatIsEditedUnderANameIsThereUnderTheFormerOne() throws {
    let address = try PostgresServer.shared.get().newDatabase()
    let older = try ServiceProcess(Self.configuration(address, generation: 0, "tasks"))
    try older.follow("todo", until: "has its row") { $0.titles == [["A"]] }
    let newer = try ServiceProcess(Self.configuration(address, generation: 1, "works"))
    for number in 1...20 {
      let edit = try newer.request("PATCH", "/v1/tables/todo/items/1", body: ["title": .string("\(number)")])
      #expect(edit.status == 200, "\(edit.text)")
      for reader in [older, newer] {
        #expect(try reader.mirror("board").titles == [["\(number)!"]])
        #expect(try reader.mirror("todo").titles == [["\(number)"]])
      }
    }
    #expect(try older.request("PATCH", "/v1/tables/todo/items/1", body: ["title": "old"]).status == 503)
    let last = try ServiceProcess(Self.configuration(address, generation: 2, "tasks"))
    for reader in [last, older, newer] {
      #expect(try reader.mirror("board").titles == [["20!"]])
      #expect(try reader.mirror("todo").titles == [["20"]])
    }
    let edit = try last.request("POST", "/v1/tables/board/items", body: ["title": "B"])
    #expect(edit.status == 201, "\(edit.text)")
    for reader in [older, newer, last] { #expect(try reader.mirror("todo").titles == [["20", "B"]]) }
  }

  /// Both read the new configuration at once: one gives the name, and the other finds it.
  @Test func replicasThatRenameAtOnce() throws {
    let address = try PostgresServer.shared.get().newDatabase()
    let replicas = try (0..<2).map { _ in try ServiceProcess(Self.configuration(address, generation: 0, "tasks")) }
    for replica in replicas { try replica.follow("todo", until: "has its row") { $0.titles == [["A"]] } }
    for generation in 1...6 {
      let source = generation % 2 == 1 ? "works" : "tasks"
      for replica in replicas {
        try replica.folder.write(Self.configuration(address, generation: generation, source))
        replica.signal(SIGHUP)
      }
      for replica in replicas {
        try replica.log.wait(for: "the configuration \(generation)") { lines in
          lines.count { $0.contains("was read again") } == generation ? true : nil
        }
      }
      for (index, replica) in replicas.enumerated() {
        let title = "\(generation) at \(index)"
        let body: JSONValue = ["title": .string(title)]
        let edit = try ReplicaSet.settled(replica, "PATCH", "/v1/tables/todo/items/1", key: title, body: body)
        #expect(edit.status == 200, "\(edit.text)")
        for reader in replicas { #expect(try reader.mirror("board").titles == [["\(title)!"]]) }
      }
    }
  }
}
