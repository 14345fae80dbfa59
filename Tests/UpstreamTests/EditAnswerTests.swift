import Definitions
import Expressions
import JSON
import TestSupport
import Testing

@testable import Upstream

@Suite struct EditAnswerTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var body: String
    var status = 200
    var items: String?
    var item: String?
    var refused: String?
    var id: String?
    var fields: String?
    var expected: String
    var testDescription: String { "\(status) \(body) \(items ?? "") \(item ?? "") \(refused ?? "")" }
  }

  static let cases = [
    Case(body: #"{"id":7}"#, expected: #"accepted {"id":7}"#),
    Case(body: "[7]", expected: "accepted nothing"), Case(body: "", status: 204, expected: "accepted nothing"),
    Case(body: "{}", expected: "accepted nothing"), Case(body: "<html>", expected: "accepted nothing"),
    Case(body: #"{"ok":true,"rows":[{"id":750}]}"#, item: "rows[0]", expected: #"accepted {"id":750}"#),
    Case(body: #"{"ok":true}"#, item: "rows[0]", expected: "accepted nothing"),
    Case(body: #"{"data":{"id":1}}"#, items: "data", item: "data", expected: #"accepted {"id":1}"#),
    // GraphQL says no with 200.
    Case(
      body: #"{"data":null,"errors":[{"message":"not yours"}]}"#,
      items: "data.members.nodes",
      expected: "refused 422 not yours"
    ),
    Case(body: #"{"data":{"x":1},"errors":[]}"#, items: "data.a", expected: #"accepted {"data":{"x":1},"errors":[]}"#),
    Case(body: #"{"errors":[{"message":"no"}]}"#, expected: #"accepted {"errors":[{"message":"no"}]}"#),
    Case(body: #"{"errors":["no"]}"#, items: "data", refused: "false", expected: #"accepted {"errors":["no"]}"#),
    Case(body: #"{"error":"too long"}"#, refused: "error", expected: "refused 422 too long"),
    Case(body: #"{"error":""}"#, refused: "error", expected: #"accepted {"error":""}"#),
    Case(body: #"{"ok":false}"#, refused: "ok == false", expected: "refused 422 it refuses, without a reason"),
    Case(body: #"{"ok":true}"#, refused: "ok == false", expected: #"accepted {"ok":true}"#),
    Case(body: #"{"code":3}"#, refused: "code", expected: "refused 422 3"),
    Case(body: #"{"e":{"reason":"full"}}"#, refused: "e", expected: "refused 422 full"),
    Case(body: #"{"e":{}}"#, refused: "e", expected: #"accepted {"e":{}}"#),
    Case(body: "{}", status: 202, refused: "$status == 202 ? 'later' : null", expected: "refused 422 later"),
    Case(body: #"{"errors":["no"]}"#, items: "data.a | where(id > 0)", expected: "refused 422 no"),
    Case(body: #"{"errors":["no"]}"#, items: "data.a ?? []", expected: "refused 422 no"),
    Case(body: #"{"errors":["no"]}"#, items: "data.a ?? rows", expected: #"accepted {"errors":["no"]}"#),
    // What is no success is refused or failed anyway; the expression has its words, but for who asks, and when.
    Case(body: #"{"why":"taken"}"#, status: 409, refused: "why", expected: "refused 422 taken"),
    Case(body: #"{"why":"taken"}"#, status: 409, refused: "$status == 409 ? why : null", expected: "refused 422 taken"),
    Case(body: #"{"why":"meanwhile"}"#, status: 412, refused: "why", expected: "refused 412 meanwhile"),
    Case(body: #"{"why":"not you"}"#, status: 403, refused: "why", expected: "refused 403 not you"),
    Case(body: #"{"message":"m"}"#, status: 409, expected: "refused 409 m"),
    Case(body: #"{"why":"bad"}"#, status: 500, refused: "why", expected: "refused 422 bad"),
    Case(body: #"{"why":null}"#, status: 500, refused: "why", expected: "failed 500"),
    Case(body: #"{"errors":["x"]}"#, status: 500, items: "data", expected: "failed 500"),
    Case(body: #"{"why":"x"}"#, refused: "why - 1", expected: "unknown 200"),
    // What is said against single members.
    Case(body: #"{"state":["bad"]}"#, status: 400, expected: "refused 400 bad state=bad"),
    Case(body: #"{"state":["at http://a.test/x"]}"#, status: 400, expected: "refused 400 at …/x state=at …/x"),
    Case(
      body: #"{"meta":{"e":{"a":["x","y"],"b":"z"}}}"#,
      status: 422,
      fields: "meta.e",
      expected: "refused 422 z a=x|y b=z"
    ),
    Case(
      body: #"{"detail":"see http://10.1.2.3:8080/why or https://docs.example.com/e1"}"#,
      status: 409,
      expected: "refused 409 see … or https://docs.example.com/e1"
    ),
    Case(
      body: #"{"data":{"up":{"userErrors":[{"field":["input","title"],"message":"too long"}]}}}"#,
      refused: "data.up.userErrors",
      expected: "refused 422 too long title=too long"
    ),
    Case(body: "<html><title>Oops</title>", status: 422, expected: "refused 422 an HTML page titled “Oops”"),
    Case(body: "{}", status: 409, expected: "refused 409 The upstream answered 409, and not why"),
    Case(body: #"{"silenceID":"s7"}"#, id: "silenceID", expected: "accepted as s7"),
    Case(body: #"{"id":12}"#, id: "id", expected: "accepted as 12"),
    Case(body: "{}", id: "id", expected: "accepted as nobody"),
    // Expressions of the answer read what the request was made of.
    Case(body: #"{"code":"ok"}"#, refused: "code != env.OK", expected: #"accepted {"code":"ok"}"#),
    Case(body: #"{"code":"full"}"#, refused: "code != env.OK ? code : null", expected: "refused 422 full"),
    Case(body: #"{"owner":"Ann"}"#, refused: "owner != $caller.name", expected: #"accepted {"owner":"Ann"}"#),
    Case(
      body: #"{"rows":[{"ref":6},{"ref":7}]}"#,
      item: "rows | where(ref == $edit.ref) | first",
      expected: #"accepted {"ref":7}"#
    ),
    Case(body: #"{"open":{"n":1},"done":{"n":2}}"#, item: "$item[$params.state]", expected: #"accepted {"n":2}"#),
    Case(body: #"{"today":{"n":3}}"#, item: "$item[$edit.section]", expected: #"accepted {"n":3}"#),
    Case(body: #"{"ids":{"r1":12}}"#, id: "ids[$id]", expected: "accepted as 12"),
    Case(body: #"{"meta":{"de":{"b":"z"}}}"#, status: 422, fields: "meta[$locale]", expected: "refused 422 z b=z"),
  ]

  private static let context = FetchContext(
    parameters: ["state": "done"],
    environment: ["OK": "ok"],
    caller: ["name": "Ann"]
  )

  private static let edit = ForwardedEdit(
    edit: ["ref": 7],
    place: .init(section: "today"),
    id: "r1",
    locale: "de",
    idempotencyKey: "k"
  )

  @Test(arguments: cases) func outcome(_ test: Case) throws {
    let url = try #require(UpstreamURL("http://a.test/edit"))
    let sent = TransferRequest(method: "POST", url: url)
    var source = UpstreamDefinition(url: try Template(text: "http://a.test/"))
    source.items = try test.items.map { try Expression($0) }
    let request = EditRequestDefinition(
      method: "POST",
      url: try Template(text: "http://a.test/edit"),
      item: try test.item.map { try Expression($0) },
      refused: try test.refused.map { try Expression($0) },
      id: try test.id.map { try Expression($0) },
      fields: try test.fields.map { try Expression($0) }
    )
    let check = ResponseCheck(redaction: Redaction(Self.context, request: sent), context: Self.context)
    let response = TransferResponse(
      status: test.status,
      headers: [],
      body: Array(test.body.utf8),
      url: url,
      redirects: 0,
      elapsed: .zero,
      reusedConnection: false,
      httpVersion: .http1
    )
    let answer = EditAnswer(to: Self.edit, as: request, source: source, check: check)
    let outcome = answer.outcome(response, of: sent)
    let last = outcome.error?.detail.split(separator: ": ").last.map(String.init) ?? ""
    let word =
      switch outcome {
      case .accepted(let accepted) where test.id != nil: "accepted as \(accepted.id ?? "nobody")"
      case .accepted(let accepted): "accepted \(accepted.item.map { String(decoding: $0, as: UTF8.self) } ?? "nothing")"
      case .refused(let error): "refused \(error.status ?? 0) \(last)"
      case .failed(let error): "failed \(error.status ?? 0)"
      case .unknown(let error): "unknown \(error.status ?? 0)"
      }
    let fields = (outcome.error?.fields ?? []).map { " \($0.name)=\($0.reasons.joined(separator: "|"))" }.joined()
    #expect(word + fields == test.expected)
    #expect(outcome.error?.detail.contains("a.test") != true, "it says nothing of where the upstream is")
  }
}

@Suite struct EditRequestTests {
  static func request(_ change: (inout UpstreamDefinition, inout EditRequestDefinition) throws -> Void) throws
    -> TransferRequest
  {
    var source = UpstreamDefinition(url: try Template(text: "https://a.test/items"))
    source.headers = [
      ("Authorization", try Template(text: "Bearer s")), ("X-Team", try Template(text: "blue")),
      ("Content-Type", try Template(text: "application/vnd.a")),
    ]
    var request = EditRequestDefinition(method: "POST", url: try Template(text: "https://a.test/items"))
    try change(&source, &request)
    let forwarder = EditForwarder(source, context: FetchContext(), client: try TransferClient())
    let edit = ForwardedEdit(
      edit: ["title": "new", "section": "body's"],
      place: .init(section: "today", after: "r1"),
      idempotencyKey: "k"
    )
    return try forwarder.request(edit, request)
  }

  @Test func theSourcesHeadersGoAlong() throws {
    let request = try Self.request { _, request in
      request.headers = [("x-team", try Template(text: "red"))]
      request.body = try Template(.object([.init(name: "a", value: 1)]))
    }
    #expect(request.headers.first(named: "Authorization") == "Bearer s")
    #expect(request.headers.list(named: "X-Team") == "red", "the edit's own takes the place of the source's")
    #expect(request.headers.first(named: "Content-Type") == "application/vnd.a")
  }

  @Test func butToNoOtherHost() throws {
    let request = try Self.request { _, request in request.url = try Template(text: "https://b.test/items") }
    #expect(request.headers.first(named: "Authorization") == nil)
  }

  @Test func theBodyAndItsPlace() throws {
    let request = try Self.request { _, request in
      request.body = try Template(
        .object([
          .init(name: "row", value: "${$edit}"), .init(name: "section", value: "${$edit.section}"),
          .init(name: "after", value: "${$edit.after}"), .init(name: "at", value: "${$edit.at}"),
          .init(name: "title", value: "${$edit.title}"),
        ])
      )
    }
    let body = try JSONValue(parsing: request.body ?? [])
    #expect(body["row"] == ["title": "new", "section": "body's"])
    #expect(body["section"] == "today" && body["after"] == "r1" && body["at"] == .null && body["title"] == "new")
  }

  /// A form in place of a body, as many older APIs want it.
  @Test func aForm() throws {
    let request = try Self.request { _, request in
      request.form = Template(members: [
        ("title", try Template(text: "${$edit.title + ' & more'}")), ("tags", try Template(.array(["a", "b c"]))),
        ("nothing", try Template(text: "${$edit.missing}")), ("done", try Template(text: "${true}")),
      ])
    }
    #expect(
      request.body.map { String(decoding: $0, as: UTF8.self) } == "title=new%20%26%20more&tags=a&tags=b%20c&done=true"
    )
    #expect(request.headers.list(named: "Content-Type") == "application/x-www-form-urlencoded")
  }
}
