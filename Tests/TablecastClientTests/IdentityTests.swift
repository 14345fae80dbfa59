import Foundation
import TablecastTesting
import Testing

@testable import TablecastClient

/// Identities of any kind, as `Tests/ClientCases/identities.json` lists them for all clients.
@Suite struct IdentityTests {
  private static let all: [String] = {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("ClientCases/identities.json")
    let json = (try? Data(contentsOf: file)).flatMap { try? JSONText([UInt8]($0)) }
    let listed = json?["identities"]?.elements.compactMap(\.string) ?? []
    return listed + [String(repeating: "x", count: 10_240), String(repeating: "é", count: 10_240)]
  }()
  private static let dots = [".", ".."]

  private static func quoted(_ text: String) -> String {
    JSONOutput.write { $0.string(text) }.text
  }

  private static func row(_ id: String) -> String {
    "{\"id\":\(quoted(id)),\"cellIdentifier\":\"C\",\"payload\":{\"title\":\(quoted(id))},\"can\":{\"edit\":true,\"move\":true}}"
  }

  private static func content(_ sections: [(id: String, rows: [String])], _ version: Int = 1) throws -> TableContent {
    let list = sections.map { "{\"id\":\(quoted($0.id)),\"rows\":[\($0.rows.map(row).joined(separator: ","))]}" }
    let json = "{\"table\":\"t\",\"cursor\":\"00000000000a.\(version)\",\"sections\":[\(list.joined(separator: ","))]}"
    return try TableContent(snapshot: JSONText(Array(json.utf8)))
  }

  private static func bytes(_ sections: [TableSection]) -> [[[UInt8]]] {
    sections.map { [Array($0.id.utf8)] + $0.rows.map { Array($0.id.utf8) } }
  }

  /// Foundation's own decoding leaves a byte order mark out.
  private static func decoded(_ segment: Substring) -> [UInt8] {
    var rest = Array(segment.utf8)[...]
    var bytes: [UInt8] = []
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      bytes.append(UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) ?? 0)
      rest = rest.dropFirst(2)
    }
    return bytes
  }

  @Test func theListIsRead() {
    #expect(Self.all.count > 100)
    #expect(Set(Self.all.map(Identity.init)).count == Self.all.count)
    #expect(Set(Self.all).count < Self.all.count, "some are equal texts to Swift, and other bytes")
  }

  @Test(arguments: 1...20)
  func stagesLeadFromAnyTableToAnyOther(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    func some() -> [(id: String, rows: [String])] {
      var rows = Self.all.shuffled(using: &random)
      return Self.all.shuffled(using: &random).prefix(Int.random(in: 0...8, using: &random)).map { id in
        let count = Int.random(in: 0...20, using: &random)
        defer { rows.removeFirst(count) }
        return (id, Array(rows.prefix(count)))
      }
    }
    var mirror = try TableMirror(Self.content(some()))
    for version in 2...20 {
      let next = try Self.content(some(), version)
      let stages = [TableStage](from: mirror.content.sections, to: next.sections)
      try mirror.apply(stages, to: next.cursor)
      #expect(Self.bytes(mirror.content.sections) == Self.bytes(next.sections), "seed \(seed)")
    }
  }

  @Test func editsAreOfTheRowThatTheyName() throws {
    let content = try Self.content([("main", Self.all)])
    var snapshot = TableSnapshot(TableAddress("t"))
    snapshot.sections = content.sections
    for (number, id) in Self.all.enumerated() {
      #expect(snapshot.path(of: id) == RowPath(section: 0, row: number))
      let status = EditStatus(id: EditID(), edit: .delete(row: id), state: .sent)
      let left = EditReplay(content.sections, [status]).sections[0].rows.map { Array($0.id.utf8) }
      #expect(!left.contains(Array(id.utf8)) && left.count == Self.all.count - 1)
    }
  }

  @Test func tablesAndSearchesAreComparedByTheirBytes() {
    let (one, other) = ("\u{e9}", "e\u{301}")
    #expect(one == other, "equal to Swift")
    let addresses = [
      TableAddress("t"), TableAddress(one), TableAddress(other), TableAddress("t", parameters: ["p": one]),
      TableAddress("t", parameters: ["p": other]), TableAddress("t", parameters: [one: "v"]),
      TableAddress("t", parameters: [other: "v"]), TableAddress("t", parameters: ["a": "1", "b": "2"]),
      TableAddress("t", parameters: ["a": "2", "b": "1"]), TableAddress("t", view: "v"),
    ]
    #expect(Set(addresses).count == addresses.count)
    for address in addresses {
      var same = TableAddress(address.name, view: address.view)
      for (name, value) in address.parameters.sorted(by: { $0.key > $1.key }) { same.parameters[name] = value }
      #expect(same == address && same.hashValue == address.hashValue)
    }
    var search = TableSearch(filters: ["f": [one]])
    #expect(search != TableSearch(filters: ["f": [other]]) && search == TableSearch(filters: ["f": [one]]))
    #expect(search.isSelected(one, of: "f") && !search.isSelected(other, of: "f"))
    search.toggle(other, of: "f")
    #expect(search == TableSearch(filters: ["f": [other]]))
    search.toggle(other, of: "f")
    #expect(search.isEmpty)
  }

  @Test func requestsNameTheRowOrAreNotMade() throws {
    let address = TableAddress("t")
    for id in Self.all {
      let edits: [(TableEdit, position: Int)] = [
        (.delete(row: id), 5), (.move(row: id, .after(id)), 5), (.tap(row: id), 5),
        (.action(row: "1", id: id, body: nil), 7),
      ]
      for (edit, position) in edits {
        let target = EditRequest(edit, to: address).target
        #expect(UnnameableTransport.answers(target) == Self.dots.contains(id))
        let url = try #require(URL(string: "http://h" + target))
        let path = try #require(URLComponents(url: url, resolvingAgainstBaseURL: false)).percentEncodedPath
        let segments = path.split(separator: "/", omittingEmptySubsequences: false)
        #expect(Self.decoded(segments[position]) == Array(id.utf8))
      }
    }
  }

  @Test func rowsAndTablesOfDotsAloneAreRefusedHere() async throws {
    let transport = ScriptedTransport()
    var options = ClientOptions()
    options.transport = transport
    options.scheduler = ManualScheduler()
    let url = try #require(URL(string: "http://h/base/"))
    let client = TablecastClient(url: url, cells: AnyCell.self, options: options)
    for name in Self.dots {
      let recorder = ChangeRecorder()
      let observation = client.table(name).observe(recorder.receive)
      // A request that is answered at once is taken up behind what made it.
      for _ in 0..<3 { client.engine.settle() }
      #expect(client.table(name).snapshot?.connection == .refused)
      #expect(client.table(name).snapshot?.refusal?.status == 400)
      observation.cancel()

      guard case .refused(let problem) = await client.table("t").delete(name).outcome() else {
        Issue.record("`\(name)` was not refused")
        continue
      }
      #expect(problem.detail == "No URL can have a name of dots alone in its path.")
    }
    #expect(transport.waiting.allSatisfy { !$0.request.url.contains("/.") })
  }
}
