import Configuration
import JSON
import Testing
import Upstream

@testable import Discovery

/// Lists that are taken for such where an answer has no array of objects.
@Suite struct UnusualListTests {
  /// A configuration made of the first answer: no other request is answered.
  private static func draft(_ body: String, url: String? = nil) throws -> Draft {
    var discovery = Discovery(url: url, name: "things")
    discovery.receive(APIAnswer(url: url, body: try JSONValue(parsing: Array(body.utf8))))
    while discovery.next != nil { discovery.receive(nil) }
    let draft = try discovery.draft()
    let (service, diagnostics) = ConfigurationReader.read(text: draft.yaml, file: "draft", environment: [:])
    #expect(service != nil && diagnostics.isEmpty, "\(diagnostics.map(\.message)) in \(draft.yaml)")
    return draft
  }

  /// Two objects of the same members, or several with one member each.
  @Test(arguments: [
    (#"{"red":{"id":7,"name":"Red"},"blue":{"id":8,"name":"Blue"}}"#, "$item", "value.id", "value.name"),
    (
      #"{"teams":{"red":{"id":7,"name":"Red"},"blue":{"name":"Blue","id":8}},"updated":"2025-01-01"}"#, "teams",
      "value.id", "value.name"
    ),
    (
      #"{"teams":{"red":{"id":7,"name":"Red","tags":["a","b"]},"blue":{"id":8,"name":"Blue","tags":["c","d"]}}}"#,
      "teams", "value.id", "value.name"
    ),
    (#"{"1":{"title":"One"},"2":{"title":"Two"},"10":{"title":"Ten"}}"#, "$item", "key", "value.title"),
    (#"{"bitcoin":{"usd":64000.5},"ether":{"usd":3000}}"#, "$item", "key", "key"),
  ])
  func objectsUnderTheirNamesAreItems(_ body: String, _ place: String, _ id: String, _ title: String) throws {
    let draft = try Self.draft(body)
    #expect(draft.yaml.contains("items: ${\(place) | entries}"), "\(draft.yaml)")
    #expect(draft.yaml.contains("\n      id: \"${\(id)}\""), "\(draft.yaml)")
    #expect(draft.yaml.contains("\n      title: \"${\(title)}\""), "\(draft.yaml)")
    #expect(draft.doubts.contains { $0.hasPrefix("the list is a guess") }, "\(draft.doubts)")
  }

  /// An array of objects is better, wherever it stands.
  @Test func anArrayIsBetterThanObjectsUnderTheirNames() throws {
    let teams = #"{"red":{"name":"Red"},"blue":{"name":"Blue"}}"#
    let draft = try Self.draft(#"{"teams":\#(teams),"games":[{"id":1,"name":"First"},{"id":2,"name":"Second"}]}"#)
    #expect(draft.yaml.contains("items: ${games}") && !draft.yaml.contains("| entries"), "\(draft.yaml)")
  }

  /// Texts and numbers without more of them, from a file or an API that has no URL for one.
  @Test(
    arguments: [
      (#"["apple","pear","plum"]"#, nil, "$item"), (#"["New York","Los Angeles"]"#, nil, "$item"),
      ("[5,3,8]", nil, "$item | string"), (#"{"count":2,"fruits":["apple","pear"]}"#, "fruits", "$item"),
      (#"["https://a.example/1","https://a.example/2"]"#, nil, "$item | string"),
    ] as [(String, String?, String)]
  )
  func plainValuesAreItems(_ body: String, _ place: String?, _ title: String) throws {
    for url in [nil, "https://api.example.com/things"] {
      let draft = try Self.draft(body, url: url)
      #expect(draft.yaml.contains("\n      id: \"${$item}\""), "\(draft.yaml)")
      #expect(draft.yaml.contains("\n      title: \"${\(title)}\""), "\(draft.yaml)")
      #expect(draft.yaml.contains("\n    items: ") == (place != nil), "\(draft.yaml)")
      if let place { #expect(draft.yaml.contains("\n    items: ${\(place)}"), "\(draft.yaml)") }
      #expect(!draft.doubts.contains { $0.contains("title") }, "\(draft.doubts)")
    }
  }

  /// A URL that has an item is better.
  @Test func itemsBehindIdentitiesAreBetterThanThese() throws {
    let url = "https://api.example.com/fruits"
    var discovery = Discovery(url: url)
    discovery.receive(APIAnswer(url: url, body: ["apple", "pear"]))
    while case .get(let asked)? = discovery.next {
      let name = JSONValue.string(asked.split(separator: "/").last.map { String($0) } ?? "")
      discovery.receive(APIAnswer(url: asked, body: ["id": name, "title": "A fruit"]))
    }
    #expect(try discovery.draft().yaml.contains("\n    each: {url: "))
  }

  @Test(arguments: [
    #"{"id":1,"name":"Ann","tags":["a","b"]}"#, #"{"id":1,"name":"Ann","colors":["light blue","red"]}"#,
    #"{"hourly":{"time":["00:00","01:00"],"temperature":[1.5,2.5]}}"#, #"["pear","pear"]"#, "[true,false]", "[[1],[2]]",
  ])
  func valuesThatAreNoItems(_ body: String) throws {
    #expect(throws: Discovery.Failure.self) { try Self.draft(body) }
  }

  @Test(arguments: [
    #"{"id":1,"name":"Ann","address":{"city":"Ulm","zip":"89073"},"job":{"title":"Cook","since":"2020-01-01"}}"#,
    #"{"user":{"id":1,"name":"Ann","email":"a@x.example"},"company":{"id":2,"name":"Acme"}}"#,
    #"{"id":1,"title":"A photo","sizes":{"small":{"width":1,"height":1},"large":{"width":2,"height":2}}}"#,
    #"{"id":1,"_links":{"self":{"href":"/things/1"},"next":{"href":"https://api.example.com/things/2"}}}"#,
  ])
  func anObjectIsNoList(_ body: String) throws {
    #expect(throws: Discovery.Failure.self) { try Self.draft(body) }
  }
}
