import Configuration
import JSON
import Testing
import Upstream

@testable import Discovery

/// Guesses at answers that are easily taken for something else.
@Suite("Guesses")
struct GuessTests {
  /// A configuration made of the first answer alone.
  private static func draft(_ body: String, url: String? = nil, headers: [TransferField] = []) throws -> Draft {
    var discovery = Discovery(url: url, name: "things")
    discovery.receive(APIAnswer(url: url, headers: headers, body: try JSONValue(parsing: Array(body.utf8))))
    while discovery.next != nil { discovery.receive(nil) }
    let draft = try discovery.draft()
    let (service, diagnostics) = ConfigurationReader.read(text: draft.yaml, file: "draft", environment: [:])
    #expect(service != nil && diagnostics.isEmpty, "\(diagnostics.map(\.message)) in \(draft.yaml)")
    return draft
  }

  /// A configuration for an API that answers each request.
  private static func conversation(_ url: String, _ answer: (String) -> APIAnswer) throws -> Draft {
    var discovery = Discovery(url: url, name: "things")
    while case .get(let asked)? = discovery.next { discovery.receive(answer(asked)) }
    let draft = try discovery.draft()
    let (service, diagnostics) = ConfigurationReader.read(text: draft.yaml, file: "draft", environment: [:])
    #expect(service != nil && diagnostics.isEmpty, "\(diagnostics.map(\.message)) in \(draft.yaml)")
    return draft
  }

  private static func things(_ numbers: Range<Int64>) -> JSONValue {
    .array(numbers.map { number -> JSONValue in ["id": .integer(number), "name": .string("Thing \(number)")] })
  }

  /// Twenty items, of which all but the last have the same value of a member.
  private static func items(_ member: String, _ value: String, last: String) -> String {
    let items = (1...20).map { id in
      #"{"id":\#(id),"name":"Item \#(id)","\#(member)":\#(id < 20 ? value : last)}"#
    }
    return "[\(items.joined(separator: ","))]"
  }

  /// One text that a field's type refuses would cost its item the row: such a field is a string.
  @Test(arguments: [
    ("due", #""2024-05-01T22:30:00Z""#, #""2024-05-02 22:30:00 +0200""#, "date: optional date"),
    ("due", #""2024-05-01T22:30:00Z""#, #""TBD""#, "date: optional string"),
    ("due", #""2024-05-01T22:30:00Z""#, #""2024-05-01""#, "date: optional string"),
    ("due", #""2024-05-01T22:30:00+02:00[Europe/Berlin]""#, #""2024-05-01T22:30Z""#, "date: optional string"),
    ("image", #""https://x.example/a.jpg""#, #""https://x.example/b.jpg""#, "imageName: optional url"),
    ("image", #""https://x.example/a.jpg""#, #""https://x.example/a b.jpg""#, "imageName: optional string"),
    ("price", #""9.50""#, #""-1e2""#, "price: optional number"),
    ("price", #""9.50""#, #""N/A""#, "price: optional string"),
    ("price", #""9.50""#, #""nan""#, "price: optional string"),
    ("price", #""9.50""#, #""0x1A""#, "price: optional string"),
  ])
  func aFieldTakesAllTexts(_ member: String, _ value: String, _ last: String, _ line: String) throws {
    let draft = try Self.draft(Self.items(member, value, last: last))
    #expect(draft.yaml.contains("\n      \(line)\n"), "\(draft.yaml)")
  }

  /// Seconds and milliseconds are dates, microseconds are not.
  @Test(arguments: [("1502787600", true), ("1502787600000", true), ("1502787600000000", false)])
  func unixTimes(_ time: String, _ isDate: Bool) throws {
    let draft = try Self.draft(Self.items("timestamp", time, last: time))
    #expect(draft.yaml.contains("${timestamp | date}") == isDate, "\(draft.yaml)")
  }

  /// A map's members are items: what they count and point at is no page of the list.
  @Test(arguments: ["\"count\":120", "\"next\":\"/pears\"", "\"marker\":\"m7\"", "\"page\":3"])
  func aMapOfItemsHasNoEnvelope(_ member: String) throws {
    let items = ["apples", "pears", "plums"].map { "\"\($0)\":{\"name\":\"\($0)\",\(member)}" }
    for body in ["{\(items.joined(separator: ","))}", "{\"data\":{\(items.joined(separator: ","))}}"] {
      let draft = try Self.draft(body, url: "https://api.example.com/things")
      #expect(draft.yaml.contains("| entries}"), "\(draft.yaml)")
      #expect(draft.total == nil && !draft.yaml.contains("paging:"), "\(draft.yaml)")
      #expect(!draft.doubts.contains { $0.contains("page") }, "\(draft.doubts)")
    }
  }

  /// A name stands once, in whatever case it was given.
  @Test func headersOfOneNameAreOne() throws {
    let fields = [("X-Filter", "a"), ("x-filter", "b"), ("Cookie", "c=1"), ("Cookie", "d=2")]
      .compactMap { TransferField($0.0, $0.1) }
    var discovery = Discovery(url: "https://api.example.com/things", headers: fields)
    discovery.receive(APIAnswer(url: nil, body: Self.things(1..<4)))
    while discovery.next != nil { discovery.receive(nil) }
    let draft = try discovery.draft()
    #expect(draft.yaml.contains("X-Filter: a, b\n") && !draft.yaml.contains("x-filter"), "\(draft.yaml)")
    #expect(draft.environment == ["THINGS_COOKIE": "c=1; d=2"])
  }

  /// A refresh asks for all items of a list of identities, and for all pages.
  @Test func aRefreshIsAsRareAsItsRequestsAreMany() throws {
    var identities = Discovery(url: "https://api.example.com/ids.json")
    let limit = [TransferField("X-RateLimit-Limit", "5000")].compactMap(\.self)
    let ids = JSONValue.array((1...500).map { .integer(Int64($0)) })
    identities.receive(APIAnswer(url: nil, headers: limit, body: ids))
    while case .get(let asked)? = identities.next {
      identities.receive(APIAnswer(url: asked, body: ["id": .string(asked), "title": .string("Of \(asked)")]))
    }
    // 501 requests, twice, at 5,000 an hour.
    let list = try identities.draft()
    #expect(list.yaml.contains("every: 721s"), "\(list.yaml)")

    let pages = try Self.conversation("https://api.example.com/things?limit=10") { asked in
      let start = Query.pairs(asked).first { $0.name == "offset" }.flatMap { Int64($0.value) } ?? 0
      let body: JSONValue = ["total": 300, "offset": .integer(start), "items": Self.things(start..<start + 10)]
      return APIAnswer(url: asked, headers: [TransferField("X-RateLimit-Limit", "60")].compactMap(\.self), body: body)
    }
    #expect(pages.isPaged && pages.yaml.contains("every: 60m"), "\(pages.yaml)")
  }

  /// The parameter that names the second page: what a list in any other page is the first one.
  @Test(arguments: [
    (#"{"nextPageToken":"c2"}"#, "nextPageToken", #"cursor: "${meta.nextPageToken}", parameter: nextPageToken"#),
    (#"{"next_cursor":"c2"}"#, "start_cursor", #"cursor: "${meta.next_cursor}", parameter: start_cursor"#),
    (#"{"next_token":"c2"}"#, "pagination_token", #"cursor: "${meta.next_token}", parameter: pagination_token"#),
    (
      #"{"next_cursor":"c2","has_more":true}"#, "cursor",
      #"cursor: "${meta.has_more ? meta.next_cursor : null}", parameter: cursor"#
    ),
    (
      #"{"page":{"endCursor":"c2"},"hasNextPage":true}"#, "after",
      #"cursor: "${meta.hasNextPage ? meta.page.endCursor : null}", parameter: after"#
    ),
    (#"{"next-marker":"c2"}"#, "next-marker", #"cursor: "${meta['next-marker']}", parameter: "next-marker""#),
    (
      #"{"pagination":{"page":1,"pageSize":10,"pageCount":2}}"#, "pagination[page]",
      #"page: {parameter: "pagination[page]", size: 10}"#
    ),
    (#"{"pagination":{"page":1}}"#, "page[number]", #"page: {parameter: "page[number]"}"#),
  ])
  func aParameterIsFound(_ meta: String, _ parameter: String, _ paging: String) throws {
    let meta = try JSONValue(parsing: Array(meta.utf8))
    let draft = try Self.conversation("https://api.example.com/things") { asked in
      let isSecond = Query.pairs(asked).contains { $0.name == parameter }
      return APIAnswer(url: asked, body: ["meta": meta, "data": Self.things(isSecond ? 11..<21 : 1..<11)])
    }
    #expect(draft.yaml.contains("\n    paging: {\(paging)}  #"), "\(draft.yaml)")
  }

  /// A cursor stands in the last page, too, where another member says that there is no more.
  @Test func aCursorOfTheLastPageIsNotFollowed() throws {
    let body = #"{"meta":{"next_cursor":"c2","has_more":false},"data":[{"id":1,"name":"A"},{"id":2,"name":"B"}]}"#
    let draft = try Self.draft(body, url: "https://api.example.com/things")
    #expect(!draft.yaml.contains("cursor:"), "\(draft.yaml)")
    #expect(!draft.doubts.contains { $0.contains("page") }, "\(draft.doubts)")
  }

  /// A member that is called a link has a URL, relative to the list's own.
  @Test func aRelativeLinkIsFollowed() throws {
    let draft = try Self.draft(
      #"{"@odata.nextLink":"things?$skiptoken=10","value":[{"id":1,"name":"A"},{"id":2,"name":"B"}]}"#,
      url: "https://api.example.com/v1/things"
    )
    #expect(draft.yaml.contains(#"# paging: {nextUrl: "${$item['@odata.nextLink']}"}"#), "\(draft.yaml)")
  }

  /// The parameter of the URL is taken, in whatever brackets.
  @Test(arguments: ["pagination[page]", "page[number]", "list[page]", "p"])
  func theParameterOfTheURLIsTaken(_ parameter: String) throws {
    let draft = try Self.conversation("https://api.example.com/things?\(parameter)=1") { asked in
      let isSecond = Query.pairs(asked).contains { $0.name == parameter && $0.value == "2" }
      return APIAnswer(url: asked, body: ["pages": 2, "data": Self.things(isSecond ? 11..<21 : 1..<11)])
    }
    #expect(draft.yaml.contains("paging: {page: {parameter: \(Query.quoted(parameter))}}  #"), "\(draft.yaml)")
  }

  /// A URL may begin behind the first page: the page behind its own proves the parameter.
  @Test(arguments: [
    ("page=2&per_page=10", "page: {parameter: page, size: 10}"),
    ("limit=10&offset=10", "offset: {parameter: offset, size: 10}"),
    ("$top=10&$skip=10", "offset: {parameter: \"$skip\", size: 10}"),
  ])
  func aURLMayBeginBehindTheFirstPage(_ query: String, _ paging: String) throws {
    let draft = try Self.conversation("https://api.example.com/things?\(query)") { asked in
      let query = Query.pairs(asked)
      let page = Query.number("page", in: query).map { $0 * 10 - 10 }
      let start = Int64(page ?? Query.number("offset", in: query) ?? Query.number("$skip", in: query) ?? 0)
      return APIAnswer(url: asked, body: Self.things(start..<start + 10))
    }
    #expect(draft.yaml.contains("\n    paging: {\(paging)}  #"), "\(draft.yaml)")
  }

  /// Other items in each answer prove no page.
  @Test func aRandomListHasNoPages() throws {
    var start: Int64 = 0
    let draft = try Self.conversation("https://api.example.com/things?limit=10") { asked in
      start += 10
      return APIAnswer(url: asked, body: Self.things(start..<start + 10))
    }
    #expect(!draft.isPaged && !draft.yaml.contains("\n    paging:"), "\(draft.yaml)")
    #expect(draft.doubts.contains { $0.hasSuffix("as the list is another one in each answer") }, "\(draft.doubts)")
  }

  /// Members called like words of the expression language, or of other languages.
  @Test(arguments: [
    "true", "in", "has", "env", "not", "True", "TRUE", "False", "FALSE", "None", "Null", "NULL", "nil", "undefined",
  ])
  func aWordOfTheLanguageIsAMember(_ name: String) throws {
    let draft = try Self.draft(Self.items(name, "2", last: "5"))
    #expect(draft.yaml.contains("\"${$item.\(name)}\""), "\(draft.yaml)")
  }

  @Test func numbersInTextsAreSortedAsNumbers() throws {
    let draft = try Self.draft(Self.items("price", #""100.00""#, last: #""9.50""#))
    #expect(draft.yaml.contains(#"by: "price | float", order: descending"#), "\(draft.yaml)")
    let plain = try Self.draft(Self.items("price", "100", last: "9.5"))
    #expect(plain.yaml.contains(#"by: "price", order: descending"#), "\(plain.yaml)")
  }

  /// A cell without a number is null, and costs the others nothing.
  @Test func anEmptyTextIsNoNumber() throws {
    let draft = try Self.draft(Self.items("price", #""100.00""#, last: "\"\""))
    #expect(draft.yaml.contains(#"price: "${price | default(null) | float}""#), "\(draft.yaml)")
    #expect(draft.yaml.contains(#"by: "price | default(null) | float", order: descending"#), "\(draft.yaml)")
    let money = try Self.draft(Self.items("cost", #""9.50","currency":"EUR""#, last: "\"\",\"currency\":\"EUR\""))
    #expect(money.yaml.contains(#"cost: "${cost | default(null) | currency(currency)}""#), "\(money.yaml)")
  }

  /// A person's title is no name, and both parts of a name may be missing. Each item has its number for `#`.
  @Test(arguments: [
    (
      #""title":"Dr #","first_name":"Ada #","last_name":"Lovelace""#, #""first_name":"Ada","last_name":"Hopper""#,
      "(first_name + ' ' + last_name) | trim"
    ),
    (
      #""name":{"title":"Ms #","first":"Ada #","last":"Hopper"},"email":"a#@x.example""#,
      #""name":{"title":"Ms","first":"Ada","last":"Lovelace"},"email":"a@x.example""#,
      "(name.first + ' ' + name.last) | trim"
    ),
    (
      #""first_name":"Ada #","last_name":"Lovelace""#, #""first_name":"","last_name":"""#,
      "(first_name + ' ' + last_name) | trim | default('untitled')"
    ),
    (#""title":"Fair #","first":"2024-05-0#","last":"2024-05-1#""#, #""title":"Fair""#, "title"),
  ])
  func aPersonIsCalledByBothNames(_ members: String, _ last: String, _ expression: String) throws {
    let items = (1...9).map { "{\"id\":\($0),\(members.replacing("#", with: String($0)))}" }
    let draft = try Self.draft("[\(items.joined(separator: ",")),{\"id\":10,\(last)}]")
    #expect(draft.yaml.contains("\n      title: \"${\(expression)}\""), "\(draft.yaml)")
  }

  /// In a short list one item without the title is more than a tenth; nothing else takes its place.
  @Test(arguments: [5, 6])
  func aTitleMayBeMissing(_ count: Int) throws {
    let titled = (1..<count).map { "{\"id\":\($0),\"slug\":\"thing-\($0)\",\"title\":\"Thing \($0)\"}" }
    let last = "{\"id\":\(count),\"slug\":\"thing-\(count)\",\"title\":null}"
    let draft = try Self.draft("[\((titled + [last]).joined(separator: ","))]")
    #expect(draft.yaml.contains("\n      title: \"${title | default('untitled')}\""), "\(draft.yaml)")
    // Another name that all items have is the title.
    let named = try Self.draft("[\((titled + [last]).joined(separator: ",").replacing("slug", with: "name"))]")
    #expect(named.yaml.contains("\n      title: \"${name}\""), "\(named.yaml)")
  }

  /// An answer of status 200 may be a refusal; a list of errors that is asked for is a list.
  @Test func errorsAreNoItems() throws {
    let body = try JSONValue(parsing: Array(#"{"errors":[{"message":"Must provide query string."}]}"#.utf8))
    let url = "https://api.example.com/graphql"
    var refused = Discovery(url: url)
    refused.receive(APIAnswer(url: url, body: body))
    #expect(refused.next == nil)
    let failure = #expect(throws: Discovery.Failure.self) { try refused.draft() }
    #expect(failure?.description.contains(": Must provide query string.") == true)
    var named = Discovery(url: nil, name: "errors")
    named.receive(APIAnswer(url: nil, body: body))
    #expect(try named.draft().yaml.contains("items: ${errors}"))
  }

  /// Firebase fills the places of missing numbers with nulls, which are no items.
  @Test func nullsAreNoItems() throws {
    for count in [2, 11] {
      let items = (1...count).map { "{\"id\":\($0),\"name\":\"Thing \($0)\"}" }
      let draft = try Self.draft("[null,\(items.joined(separator: ","))]")
      #expect(draft.yaml.contains("id: \"${id}\"  # \(count) of \(count) unique"), "\(draft.yaml)")
    }
  }

  /// Moments are sorted as texts only where that is their order.
  @Test(arguments: [
    ("2024-05-01T22:30:00Z", "2024-05-02T22:30:00Z", "due"),
    ("2024-05-01T22:30:00Z", "2024-05-01T20:00:00-05:00", "due | timestamp"),
    ("2024-05-01T23:00:00+02:00", "2024-05-01T22:30:00+01:00", "due | timestamp"),
    ("2024-05-01T22:30:00Z", "2024-05-01T22:30:00.5Z", "due | timestamp"),
    ("2024-05-01T22:30:00+02:00", "", "due | default(null) | timestamp"),
  ])
  func momentsAreSortedByTime(_ moment: String, _ last: String, _ expression: String) throws {
    let draft = try Self.draft(Self.items("due", "\"\(moment)\"", last: "\"\(last)\""))
    #expect(draft.yaml.contains("by: \"\(expression)\", order: descending"), "\(draft.yaml)")
  }
}
