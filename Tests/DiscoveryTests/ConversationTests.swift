import Configuration
import Foundation
import JSON
import Testing
import Upstream

@testable import Discovery

/// Answers of APIs to each request of `init`: nine of them have the envelopes and pages of public documentation, the others were
/// written from memory; values are made up. They were written before their author had seen how guesses are made.
@Suite("Recorded conversations")
struct ConversationTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    /// Under `items`; nil: the answer itself is the list.
    var items: String?
    var id: String
    var title: String
    /// Proved by the second page; nil: there are no further pages.
    var paging: String?
    /// The beginnings of all doubts.
    var doubts: [String] = []
    var testDescription: String { name }
  }

  static let cases: [Case] = [
    Case(
      name: "zendesk-tickets",
      items: "${tickets}",
      id: "${id}",
      title: "${subject}",
      paging: "{nextUrl: \"${links.next}\"}"
    ),
    Case(
      name: "zendesk-offset",
      items: "${tickets}",
      id: "${id}",
      title: "${subject}",
      paging: "{nextUrl: \"${next_page}\"}"
    ),
    Case(
      name: "hubspot-contacts",
      items: "${results}",
      id: "${id}",
      title: "${(properties.firstname + ' ' + properties.lastname) | trim}",
      paging: "{cursor: \"${paging.next.after}\", parameter: after}"
    ),
    Case(
      name: "salesforce-query",
      items: "${records}",
      id: "${Id}",
      title: "${Name}",
      paging: "{nextUrl: \"${nextRecordsUrl}\"}"
    ),
    Case(
      name: "asana-tasks",
      items: "${data}",
      id: "${gid}",
      title: "${name}",
      paging: "{cursor: \"${next_page.offset}\", parameter: offset}"
    ),
    Case(
      name: "bitbucket-repositories",
      items: "${values}",
      id: "${uuid}",
      title: "${name}",
      paging: "{nextUrl: \"${next}\"}"
    ),
    Case(
      name: "crossref-works",
      items: "${message.items}",
      id: "${DOI}",
      title: "${title[0]}",
      paging: "{offset: {parameter: offset, size: 10}}"
    ),
    Case(
      name: "crossref-cursor",
      items: "${message.items}",
      id: "${DOI}",
      title: "${title[0]}",
      paging: "{cursor: \"${message['next-cursor']}\", parameter: cursor}"
    ),
    Case(
      name: "gbif-occurrences",
      items: "${results}",
      id: "${occurrenceID}",
      title: "${scientificName}",
      paging: "{offset: {parameter: offset, size: 10}}",
      doubts: ["the title may be another one"]
    ),
    Case(
      name: "npm-search",
      items: "${objects}",
      id: "${package.name}",
      title: "${package.name}",
      paging: "{offset: {parameter: from, size: 10}}"
    ),
    Case(
      name: "openfda-enforcement",
      items: "${results}",
      id: "${recall_number}",
      title: "${product_description}",
      paging: "{offset: {parameter: skip, size: 10}}"
    ),
    Case(
      name: "musicbrainz-artists",
      items: "${artists}",
      id: "${id}",
      title: "${name}",
      paging: "{offset: {parameter: offset, size: 25}}"
    ),
    Case(
      name: "square-payments",
      items: "${payments}",
      id: "${id}",
      title: "${receipt_number}",
      paging: "{cursor: \"${cursor}\", parameter: cursor}",
      doubts: ["the title is a guess"]
    ),
    Case(
      name: "confluence-content",
      items: "${results}",
      id: "${id}",
      title: "${title}",
      paging: "{nextUrl: \"${_links.next}\"}"
    ),
    Case(name: "trello-cards", id: "${id}", title: "${name}"),
    Case(name: "coingecko-markets", id: "${id}", title: "${name}", paging: "{page: {parameter: page, size: 10}}"),
    Case(
      name: "ckan-packages",
      items: "${result.results}",
      id: "${id}",
      title: "${title}",
      paging: "{offset: {parameter: start, size: 10}}"
    ),
    Case(
      name: "pagerduty-incidents",
      items: "${incidents}",
      id: "${id}",
      title: "${title}",
      paging: "{offset: {parameter: offset, size: 10}}"
    ),
    Case(name: "themealdb-search", items: "${meals}", id: "${idMeal}", title: "${strMeal}"),
    Case(
      name: "socrata-requests",
      id: "${unique_key}",
      title: "${descriptor}",
      paging: "{offset: {parameter: \"$offset\", size: 20}}",
      doubts: ["the title is a guess"]
    ),
  ]

  @Test(arguments: cases)
  func isUnderstood(_ expected: Case) throws {
    let file = try #require(
      Bundle.module.url(forResource: expected.name, withExtension: "json", subdirectory: "Conversations")
    )
    let record = try JSONValue(parsing: Array(Data(contentsOf: file)))
    let url = try #require(record["url"]?.text)
    let base = try #require(UpstreamURL(url))
    var discovery = Discovery(url: url)
    var requests = 0
    while let request = discovery.next {
      requests += 1
      guard case .get(let reference) = request, let asked = base.resolve(reference),
        let answer = record["answers"]?[reference == url ? url : asked.absolute], let place = answer["body"]?.count,
        let bodies = record["bodies"]?.elements
      else {
        discovery.receive(nil)
        continue
      }
      discovery.receive(
        APIAnswer(url: asked.absolute, status: answer["status"]?.count ?? 200, body: bodies[place])
      )
    }
    #expect(requests <= 9)
    let draft = try discovery.draft()
    #expect(draft.line("items") == expected.items, "\(draft.yaml)")
    #expect(draft.line("id") == DraftWriter.quoted(expected.id), "\(draft.yaml)")
    #expect(draft.line("title", after: "payload:") == DraftWriter.quoted(expected.title), "\(draft.yaml)")
    #expect(draft.line("paging") == expected.paging, "\(draft.yaml)")
    // Nobody answers for images here.
    let doubts = draft.doubts.filter { !$0.hasPrefix("the image of the first item could not be had") }
    #expect(doubts.count == expected.doubts.count, "\(doubts)")
    for (doubt, beginning) in zip(doubts, expected.doubts) { #expect(doubt.hasPrefix(beginning), "\(doubt)") }
    let (service, diagnostics) = ConfigurationReader.read(
      text: draft.yaml,
      file: "draft",
      environment: draft.environment
    )
    #expect(service != nil && diagnostics.isEmpty, "\(diagnostics.map(\.message)) in \(draft.yaml)")
  }

  /// What tells the items apart may stand in an object of theirs, and have no name that speaks for it.
  @Test func anIdentityMayStandDeep() throws {
    let items = (1...3).map { #"{"metric":{"instance":"host-\#($0):9090","job":"servers"},"value":[1.5,"1"]}"# }
    var discovery = Discovery(url: nil, name: "up")
    let body = #"{"status":"success","data":{"resultType":"vector","result":["# + items.joined(separator: ",") + "]}}"
    discovery.receive(APIAnswer(url: nil, body: try JSONValue(parsing: Array(body.utf8))))
    let draft = try discovery.draft()
    #expect(draft.line("id") == "\"${metric.instance}\"", "\(draft.yaml)")
    #expect(draft.line("title", after: "payload:") == "\"${metric.instance | string}\"", "\(draft.yaml)")
    #expect(draft.doubts.contains { $0.hasPrefix("no member looks like a title") }, "\(draft.doubts)")
  }

  /// Names and values of others are written so that they are read as what they are.
  @Test func namesThatAreNoWords() throws {
    let items = (1...8).map {
      #"{"id":"a\n\#($0)","na me\"'\\ #: ${x}":"value \#($0 % 2)","true":\#($0),"key":"k\#($0)"}"#
    }
    var discovery = Discovery(url: nil, name: "things")
    let body = #"{"da\nta: x ${y}":["# + items.joined(separator: ",") + "]}"
    discovery.receive(APIAnswer(url: nil, body: try JSONValue(parsing: Array(body.utf8))))
    let draft = try discovery.draft()
    #expect(draft.line("id") == "\"${key}\"", "what has a control character is no identity: \(draft.yaml)")
    let (service, diagnostics) = ConfigurationReader.read(text: draft.yaml, file: "draft", environment: [:])
    #expect(service != nil && diagnostics.isEmpty, "\(diagnostics.map(\.message)) in \(draft.yaml)")
  }

  /// So are names that lead to the next page.
  @Test(arguments: [#"$meta"#, #"a "b" \ c"#, "${x}"]) func pagesUnderNamesThatAreNoWords(_ name: String) throws {
    let url = "https://api.example.com/things"
    let ways: [(String, JSONValue)] = [("next", .string("\(url)?page=2")), ("next_cursor", "c2"), ("has_more", true)]
    for (member, value) in ways {
      var discovery = Discovery(url: url)
      while case .get(let asked)? = discovery.next {
        let first: Int64 = asked == url ? 1 : 6
        let things = (first..<first + 5).map { id -> JSONValue in ["id": .integer(id), "name": .string("Thing \(id)")] }
        let way = JSONValue.object([.init(name: member, value: value)])
        let body = JSONValue.object([.init(name: name, value: way), .init(name: "data", value: .array(things))])
        discovery.receive(APIAnswer(url: asked, body: body))
      }
      let draft = try discovery.draft()
      #expect(draft.isPaged, "\(draft.yaml)")
      let (service, diagnostics) = ConfigurationReader.read(text: draft.yaml, file: "draft", environment: [:])
      #expect(service != nil && diagnostics.isEmpty, "\(diagnostics.map(\.message)) in \(draft.yaml)")
    }
  }

  /// The service asks the list's own host for pages, and no other.
  @Test(
    arguments: [
      ("//other.example.com/things?page=2", false), ("http://api.example.com/things?page=2", false),
      ("https://api.example.com:444/things?page=2", false), ("https://API.example.com/things?page=2", true),
    ]
  )
  func pagesAtAnotherHostAreNotAskedFor(_ next: String, _ isAskedFor: Bool) throws {
    let url = "https://api.example.com/things"
    var discovery = Discovery(url: url)
    let things = (1...3).map { id -> JSONValue in ["id": .integer(Int64(id)), "name": .string("Thing \(id)")] }
    discovery.receive(APIAnswer(url: url, body: ["next": .string(next), "data": .array(things)]))
    #expect(discovery.next == .get(isAskedFor ? next : url))
    while discovery.next != nil { discovery.receive(nil) }
    let isSaid = try discovery.draft().doubts.contains { $0.hasSuffix("the second page is at another host") }
    #expect(isSaid == !isAskedFor)
  }

  /// An amount beside its currency is money; whole numbers may be cents, and are shown as they are.
  @Test(arguments: [
    (#"{"amount":"12.50","currency":"EUR"}"#, "price: \"${price.amount | currency(price.currency)}\""),
    (#"{"amount":12.5,"currency":"usd"}"#, "price: \"${price.amount | currency(price.currency | upper)}\""),
    (#"{"amount":1250,"currency":"EUR"}"#, "price: \"${price.amount}\""),
  ])
  func money(_ price: String, _ line: String) throws {
    let items = (1...3).map { #"{"id":\#($0),"name":"Item \#($0)","price":\#(price)}"# }.joined(separator: ",")
    var discovery = Discovery(url: nil, name: "things")
    discovery.receive(APIAnswer(url: nil, body: try JSONValue(parsing: Array("[\(items)]".utf8))))
    let draft = try discovery.draft()
    #expect(draft.yaml.contains("\n      \(line)  #"), "\(draft.yaml)")
    let (service, diagnostics) = ConfigurationReader.read(text: draft.yaml, file: "draft", environment: [:])
    #expect(service != nil && diagnostics.isEmpty, "\(diagnostics.map(\.message))")
  }

  /// An amount whose currency is missing could not be written, and its item would have no row.
  @Test func anAmountWithoutItsCurrencyIsNoMoney() throws {
    let prices = [
      #"{"amount":"9.50","currency":"EUR"}"#, #"{"amount":"1.5","currency":null}"#,
      #"{"amount":null,"currency":"USD"}"#, #"{"amount":"2.25","currency":"USD"}"#,
    ]
    let items = prices.enumerated().map { #"{"id":\#($0),"name":"Item \#($0)","price":\#($1)}"# }
    var discovery = Discovery(url: nil, name: "things")
    let body = "[\(items.joined(separator: ","))]"
    discovery.receive(APIAnswer(url: nil, body: try JSONValue(parsing: Array(body.utf8))))
    #expect(try !discovery.draft().yaml.contains("| currency("))
  }
}

extension Draft {
  /// The value of the first such key, behind a line that ends with `mark`.
  fileprivate func line(_ key: String, after mark: String? = nil) -> String? {
    let lines = yaml.split(separator: "\n")
    for line in mark.map({ mark in Array(lines.drop { !$0.hasSuffix(mark) }) }) ?? lines {
      let line = line.drop { $0 == " " }
      guard line.hasPrefix("\(key): ") else { continue }
      let value = line.dropFirst(key.count + 2)
      return String(value.firstRange(of: "  #").map { value[..<$0.lowerBound] } ?? value)
    }
    return nil
  }
}
