import Definitions
import Expressions
import JSON
import TestSupport
import Testing

@testable import Upstream

@Suite struct ListCutTests {
  @Test(
    arguments: [
      ("[1,2,3]", "", 2, "[1,2]"), ("[1,2,3]", "", 3, nil), ("[]", "", 1, nil), (" [ 1 , 2 ] ", "", 1, " [ 1 ] "),
      (#"{"a":[{},{},{}],"b":1}"#, "a", 1, #"{"a":[{}],"b":1}"#),
      (#"{"x":"[,]\"}","a":{"b":["a,b]","c"]}}"#, "a.b", 1, #"{"x":"[,]\"}","a":{"b":["a,b]"]}}"#),
      (#"[[1,[2,3]],[4,5,6]]"#, "$response[1]", 2, #"[[1,[2,3]],[4,5]]"#), (#"{"a":[1,2"#, "a", 1, nil),
      (#"{"a":{"b":1}}"#, "a", 1, nil), (#"{"b":[1,2]}"#, "a", 1, nil), ("[1,2,", "", 1, nil), ("", "", 1, nil),
      (#"{"a":"unclosed"#, "a", 1, nil), ("[1,\"unclosed", "", 1, nil), ("[tru", "", 1, nil),
    ] as [(String, String, Int, String?)]
  )
  func cut(_ text: String, _ path: String, _ limit: Int, _ expected: String?) throws {
    let path = try path.isEmpty ? [] : #require(Expression(path).documentPath)
    let cut = ListCut.cut(Array(text.utf8), at: path, to: limit)
    #expect(cut.map { String(decoding: $0, as: UTF8.self) } == expected)
  }

  /// What is cut is what the list has first, whatever is in it.
  @Test(arguments: 0..<20) func isAPrefix(_ seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let list = (0..<Int.random(in: 2...30, using: &random)).map { _ in value(&random, depth: 0) }
    let limit = Int.random(in: 1..<list.count, using: &random)
    let text = JSONValue.object([
      .init(name: "other", value: value(&random, depth: 0)), .init(name: "data", value: .array(list)),
      .init(name: "more", value: value(&random, depth: 0)),
    ]).bytes
    let cut = try #require(ListCut.cut(text, at: [.name("data")], to: limit), "seed \(seed)")
    #expect(try JSONValue(parsing: cut)["data"] == .array(Array(list.prefix(limit))), "seed \(seed)")
  }

  private func value(_ random: inout SeededGenerator, depth: Int) -> JSONValue {
    switch Int.random(in: 0..<(depth < 3 ? 6 : 4), using: &random) {
    case 0: .integer(Int64.random(in: -5...5, using: &random))
    case 1: .string(String("],[{}\"\\é,".shuffled(using: &random)))
    case 2: .bool(true)
    case 3: .null
    case 4: .array((0..<Int.random(in: 0..<4, using: &random)).map { _ in value(&random, depth: depth + 1) })
    default:
      .object(
        (0..<Int.random(in: 0..<4, using: &random)).map { number in
          .init(name: "k\(number)\"", value: value(&random, depth: depth + 1))
        }
      )
    }
  }

  /// 30 MB of `{},`: only what may be taken is ever parsed.
  @Test func aHostileListIsCutBeforeItIsParsed() throws {
    var body = Array("[".utf8)
    for _ in 0..<2_000_000 { body += [0x7B, 0x7D, 0x2C] }
    body += Array("{}]".utf8)
    let url = try #require(UpstreamURL("http://a.test/"))
    let definition = UpstreamDefinition(url: try Template(text: "http://a.test/"))
    let check = ResponseCheck(redaction: Redaction(FetchContext(), request: TransferRequest(url: url)))
    let (page, cut) = try check.read(body, of: url, definition, limit: 1000)
    #expect(page.itemCount == 1000 && page.isCut)
    #expect(cut.body.count == 3001 && cut.list?.elements.count == 1000)
    // Nor is it noted where the others stand.
    let listed = try ListedText(body, keeping: 1000)
    #expect(listed.elements.count == 1000 && listed.count == 2_000_001)
  }
}
