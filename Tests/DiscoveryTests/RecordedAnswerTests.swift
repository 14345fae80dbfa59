import Configuration
import Foundation
import JSON
import Testing
import Upstream

@testable import Discovery

/// Answers in the shapes that public documentation of as many APIs shows, with values that are made up.
@Suite("Recorded answers")
struct RecordedAnswerTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    /// Under `items`; nil: the answer itself is the list.
    var items: String?
    var id: String
    var title: String
    /// What is tried first for further pages; nil: nothing is.
    var paging: String?
    var groupBy: String?
    var testDescription: String { name }
  }

  private static let pageInfo = "data.viewer.repositories.pageInfo"

  static let cases: [Case] = [
    Case(
      name: "notion-query",
      items: "${results}",
      id: "${id}",
      title: "${properties.Name.title[0].plain_text}"
    ),
    Case(
      name: "itunes-search",
      items: "${results}",
      id: "${trackId}",
      title: "${trackName}"
    ),
    Case(
      name: "sparql",
      items: "${results.bindings}",
      id: "${item.value}",
      title: "${itemLabel.value}"
    ),
    Case(
      name: "contentful-entries",
      items: "${items}",
      id: "${sys.id}",
      title: "${fields.title}",
      paging: "{offset: {parameter: skip, size: 14}}"
    ),
    Case(
      name: "wikipedia-search",
      items: "${query.search}",
      id: "${pageid}",
      title: "${title}",
      paging: "{cursor: \"${continue.continue}\", parameter: continue}"
    ),
    Case(
      name: "github-graphql-edges",
      items: "${data.search.edges | map(node)}",
      id: "${id}",
      title: "${nameWithOwner}"
    ),
    Case(
      name: "reddit",
      items: "${data.children}",
      id: "${data.id}",
      title: "${data.title}",
      paging: "{cursor: \"${data.after}\", parameter: after}"
    ),
    Case(
      name: "arcgis",
      items: "${features}",
      id: "${attributes.OBJECTID}",
      title: "${attributes.NAME}"
    ),
    Case(
      name: "departures-db",
      items: "${departures}",
      id: "${tripId}",
      title: "${line.name}"
    ),
    Case(
      name: "firebase-map",
      items: "${$item | entries}",
      id: "${key}",
      title: "${value.text}"
    ),
    Case(
      name: "twitch-streams",
      items: "${data}",
      id: "${id}",
      title: "${title}",
      paging: "{cursor: \"${pagination.cursor}\", parameter: cursor}"
    ),
    Case(
      name: "discourse-latest",
      items: "${topic_list.topics}",
      id: "${id}",
      title: "${title}"
    ),
    Case(name: "github-issues", id: "${id}", title: "${title}", paging: "{link: true}", groupBy: "state"),
    Case(name: "gitlab-projects", id: "${id}", title: "${name}", paging: "{link: true}"),
    Case(
      name: "stripe-charges",
      items: "${data}",
      id: "${id}",
      title: "${description}",
      paging: "{cursor: \"${has_more ? (data | last).id : null}\", parameter: starting_after}",
      groupBy: "status"
    ),
    Case(
      name: "jira-search",
      items: "${issues}",
      id: "${id}",
      title: "${fields.summary}",
      paging: "{offset: {parameter: startAt, size: 50}}",
      groupBy: "fields.status.name"
    ),
    Case(
      name: "shopify-products",
      items: "${products}",
      id: "${id}",
      title: "${title}",
      paging: "{link: true}",
      groupBy: "status"
    ),
    Case(
      name: "airtable-records",
      items: "${records}",
      id: "${id}",
      title: "${fields.Name}",
      paging: "{cursor: \"${offset}\", parameter: offset}",
      groupBy: "fields.Status"
    ),
    Case(name: "wordpress-posts", id: "${id}", title: "${title.rendered | stripHtml}", paging: "{link: true}"),
    Case(name: "mastodon-timeline", id: "${id}", title: "${content | stripHtml}", paging: "{link: true}"),
    Case(
      name: "openalex-works",
      items: "${results}",
      id: "${id}",
      title: "${title}",
      paging: "{page: {parameter: page, size: 25}}",
      groupBy: "type"
    ),
    Case(name: "nasa-apod", id: "${url}", title: "${title}", paging: "{page: {parameter: page}}"),
    Case(
      name: "hn-algolia",
      items: "${hits}",
      id: "${objectID}",
      title: "${title}",
      paging: "{page: {parameter: page, start: 0, size: 20}}"
    ),
    Case(
      name: "elasticsearch-hits",
      items: "${hits.hits}",
      id: "${_id}",
      title: "${_source.name}",
      paging: "{page: {parameter: page}}"
    ),
    Case(
      name: "geojson-quakes",
      items: "${features}",
      id: "${id}",
      title: "${properties.title}",
      paging: "{page: {parameter: page}}",
      groupBy: "properties.status"
    ),
    Case(
      name: "jsonapi-articles",
      items: "${data}",
      id: "${id}",
      title: "${attributes.title}",
      paging: "{nextUrl: \"${links.next}\"}"
    ),
    Case(
      name: "odata-products",
      items: "${value}",
      id: "${ProductID}",
      title: "${ProductName}",
      paging: "{nextUrl: \"${$item['@odata.nextLink']}\"}"
    ),
    Case(
      name: "hal-orders",
      items: "${_embedded.orders}",
      id: "${orderNumber}",
      title: "${customerName}",
      paging: "{nextUrl: \"${_links.next.href}\"}",
      groupBy: "status"
    ),
    Case(
      name: "graphql-repos",
      items: "${data.viewer.repositories.edges | map(node)}",
      id: "${id}",
      title: "${name}",
      paging: "{cursor: \"${\(pageInfo).hasNextPage ? \(pageInfo).endCursor : null}\", parameter: after}"
    ),
    Case(
      name: "youtube-search",
      items: "${items}",
      id: "${id.videoId}",
      title: "${snippet.title}",
      paging: "{cursor: \"${nextPageToken}\", parameter: pageToken}"
    ),
    Case(
      name: "google-books",
      items: "${items}",
      id: "${id}",
      title: "${volumeInfo.title}",
      paging: "{page: {parameter: page}}"
    ),
    Case(
      name: "spotify-tracks",
      items: "${items}",
      id: "${track.id}",
      title: "${track.name}",
      paging: "{nextUrl: \"${next}\"}"
    ),
    Case(
      name: "slack-channels",
      items: "${channels}",
      id: "${id}",
      title: "${name}",
      paging: "{cursor: \"${response_metadata.next_cursor}\", parameter: cursor}"
    ),
    Case(
      name: "django-rest",
      items: "${results}",
      id: "${id}",
      title: "${title}",
      paging: "{nextUrl: \"${next}\"}",
      groupBy: "priority"
    ),
    Case(
      name: "laravel-users",
      items: "${data}",
      id: "${id}",
      title: "${name}",
      paging: "{nextUrl: \"${next_page_url}\"}"
    ),
    Case(
      name: "spring-page",
      items: "${content}",
      id: "${id}",
      title: "${name}",
      paging: "{page: {parameter: page, start: 0, size: 20}}",
      groupBy: "category"
    ),
    Case(name: "coins-map", items: "${$item | entries}", id: "${key}", title: "${key}"),
    Case(name: "rest-countries", id: "${cca2}", title: "${name.common}", paging: "{page: {parameter: page}}"),
    Case(
      name: "kubernetes-pods",
      items: "${items}",
      id: "${metadata.uid}",
      title: "${metadata.name}",
      paging: "{cursor: \"${metadata.continue}\", parameter: continue}"
    ),
    Case(name: "alertmanager", id: "${fingerprint}", title: "${annotations.summary}"),
    Case(
      name: "dummy-products",
      items: "${products}",
      id: "${id}",
      title: "${title}",
      paging: "{offset: {parameter: skip, size: 30}}",
      groupBy: "category"
    ),
    Case(name: "pokeapi", items: "${results}", id: "${name}", title: "${name}", paging: "{nextUrl: \"${next}\"}"),
    Case(name: "tmdb-movies", items: "${results}", id: "${id}", title: "${title}", paging: "{page: {parameter: page}}"),
  ]

  @Test(arguments: cases)
  func isSeenForWhatItIs(_ expected: Case) throws {
    let answer = try recorded(expected.name)
    var discovery = Discovery(url: answer.url)
    discovery.receive(answer)
    let page = discovery.next
    #expect(
      (page != .get(answer.url ?? "")) == (expected.paging != nil),
      "\(expected.name) asks for \(String(describing: page))"
    )
    // Nothing else answers: what was not proved must not stand as if it were.
    while discovery.next != nil { discovery.receive(nil) }
    let draft = try discovery.draft()
    let written = Written(draft.yaml)
    #expect(written["items"] == expected.items.map(DraftWriter.scalar))
    #expect(written["id"] == DraftWriter.quoted(expected.id))
    #expect(written["title", after: "payload"] == DraftWriter.quoted(expected.title))
    #expect(written["paging"] == nil)
    #expect(written["groupBy"] == expected.groupBy)
    if let paging = expected.paging, !paging.hasPrefix("{page: {parameter: page}}") || expected.name == "tmdb-movies" {
      #expect(draft.yaml.contains("# paging: \(paging)  #"), "\(draft.yaml)")
      #expect(!draft.doubts.isEmpty)
    }
    let (service, diagnostics) = ConfigurationReader.read(
      text: draft.yaml,
      file: "draft",
      environment: draft.environment
    )
    #expect(service != nil, "\(diagnostics.map(\.message)) in \(draft.yaml)")
    #expect(diagnostics.isEmpty, "\(diagnostics.map(\.message)) in \(draft.yaml)")
  }

  @Test func whatIsFewIsAFilterAndWhatIsOrderedASort() throws {
    let draft = try drafted("github-issues")
    #expect(draft.yaml.contains(#"search: ["title""#), "\(draft.yaml)")
    #expect(draft.yaml.contains(#"state: {title: "State", by: "state"}"#), "\(draft.yaml)")
    let title = #"title: {title: "Title", by: "title", natural: true, locale: en}"#
    #expect(draft.yaml.contains(title), "\(draft.yaml)")
    #expect(draft.yaml.contains(#"{title: "Updated at", by: "updated_at", order: descending}"#), "\(draft.yaml)")
  }

  @Test func aTitleThatManyItemsShareIsSaid() throws {
    #expect(try drafted("departures-db").doubts.contains { $0.hasPrefix("the title may be another one") })
    #expect(try !drafted("github-issues").doubts.contains { $0.contains("title") })
  }

  private func drafted(_ name: String) throws -> Draft {
    let answer = try recorded(name)
    var discovery = Discovery(url: answer.url)
    discovery.receive(answer)
    while discovery.next != nil { discovery.receive(nil) }
    return try discovery.draft()
  }

  @Test func theItemsOfAListOfIdentitiesAreFetched() throws {
    let answer = try recorded("hn-ids")
    var discovery = Discovery(url: answer.url)
    discovery.receive(answer)
    #expect(discovery.next == .get("https://hn.example.com/v0/item/9000.json"))
    var asked = 0
    while let request = discovery.next {
      guard case .get(let url) = request else { break }
      asked += 1
      discovery.receive(
        APIAnswer(url: url, body: ["id": .integer(Int64(asked)), "title": .string("Story \(asked)"), "score": 3])
      )
    }
    let draft = try discovery.draft()
    #expect(draft.yaml.contains("each: {url: \"https://hn.example.com/v0/item/${$item}.json\"}"))
    #expect(Written(draft.yaml)["id"] == "\"${id}\"")
    #expect(draft.elements.count == 12)
  }
}

/// The first values of keys in a text of YAML that is written line by line.
private struct Written {
  let lines: [Substring]

  init(_ yaml: String) { lines = yaml.split(separator: "\n") }

  subscript(key: String, after place: String? = nil) -> String? {
    let rest = place.map { mark in Array(lines.drop { !$0.hasSuffix("\(mark):") }) } ?? lines
    for line in rest {
      let line = line.drop { $0 == " " }
      guard line.hasPrefix("\(key): ") else { continue }
      let value = line.dropFirst(key.count + 2)
      return String(value.ranges(of: "  #").first.map { value[..<$0.lowerBound] } ?? value)
    }
    return nil
  }
}

func recorded(_ name: String) throws -> APIAnswer {
  let file = try #require(Bundle.module.url(forResource: name, withExtension: "json", subdirectory: "Answers"))
  let record = try JSONValue(parsing: Array(Data(contentsOf: file)))
  let headers = (record["headers"]?.members ?? []).compactMap { TransferField($0.name, $0.value.text ?? "") }
  return APIAnswer(url: record["url"]?.text, headers: headers, body: record["body"] ?? .null)
}
