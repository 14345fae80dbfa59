import Testing

@testable import HTTPServer

/// The grammar of targets, authorities, fields and dates.
@Suite struct GrammarTests {
  @Test(arguments: [
    ("/", []), ("/a/b", ["a", "b"]), ("/a/", ["a", ""]), ("//a", ["", "a"]), ("/a%2Fb/c", ["a/b", "c"]),
    ("/caf%C3%A9", ["café"]), ("http://h/a?b", ["a"]), ("http://h", []), ("http://h?x", []), ("/a;b=1,2", ["a;b=1,2"]),
  ])
  func paths(target: String, segments: [String]) throws {
    #expect(try Request(.get, target).path == segments)
  }

  @Test(arguments: [
    "a", "/a b", "/%", "/%4", "/%zz", "/%00", "/%0d%0a", "/..", "/a/../b", "/%2e%2e/a", "/.", "/%ff", "/%c0%ae", "/a#b",
    "/a\\b", "/é", "ftp://h/", "http:///a", "http://u@h/", "http://h:x/", "*", "/?a=%g0", "", "http:/a",
    "/?d=%ff", "/?%c3=a",
  ])
  func targetsThatAreNone(target: String) {
    #expect(throws: RequestError.self) { try Request(.get, target) }
  }

  @Test func queries() throws {
    let query = try Request(.get, "/?a=1&b=&c&a=x+y%2B%C3%A9&=z&&d=%20").query
    #expect(query.all("a") == ["1", "x y+é"])
    #expect(query.first("b")?.isEmpty == true && query.first("c")?.isEmpty == true)
    #expect(query.first("none") == nil)
    #expect(query.items.count == 6)
    #expect(query.first("d") == " ")
  }

  @Test(arguments: [
    ("localhost", true), ("localhost:80", true), ("127.0.0.1:8080", true), ("[::1]", true), ("[::1]:80", true),
    ("a.example.", true), ("", true), ("a:", true), ("a%20b", true), ("[::1", false), ("[1]", false), ("[::1]x", false),
    ("a b", false), ("a,b", false), ("u@h", false), ("h/x", false), ("h:x", false), ("h:80:80", false), (":80", false),
    ("h:65536", false), ("a%2", false), ("h\\", false), ("[fe80::1%25eth0]", false),
  ])
  func authorities(text: String, isValid: Bool) {
    #expect(Authority.isValid(Array(text.utf8)[...]) == isValid)
  }

  @Test func valuesCannotEndTheirLine() {
    let field = HeaderField(.location, "/a\r\nSet-Cookie: b\0")
    #expect(field.value == "/a  Set-Cookie: b")
    #expect(HeaderName("a b") == nil && HeaderName("") == nil && HeaderName("a:") == nil)
    #expect(HeaderName("content-TYPE") == .contentType)
  }

  @Test func listsOverSeveralLines() throws {
    let name = HeaderName.acceptCells
    let request = try Request(.get, "/", headers: [HeaderField(name, "a, \"b,c\" ,"), HeaderField(name, ", d;v=2")])
    var members: [String] = []
    request.forEachMember(of: name) {
      members.append(String(decoding: $0, as: UTF8.self))
      return true
    }
    #expect(members == ["a", "\"b,c\"", "d;v=2"])
    #expect(request.header("accept-CELLS") == "a, \"b,c\" ,")
  }

  @Test(arguments: [
    (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
    (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"), (4_102_444_799, "Thu, 31 Dec 2099 23:59:59 GMT"),
  ])
  func dates(second: Int, text: String) { #expect(DateField.text(second) == text) }

  @Test(arguments: [
    ("3\r\nabc\r\n0\r\n\r\n", "abc"), ("3;a=b\r\nabc\r\n00\r\n\r\n", "abc"),
    ("1;a=\"x;y\"\r\nz\r\n0;q\r\nT: v\r\n\r\n", "z"),
    ("a\r\n0123456789\r\n0\r\n\r\n", "0123456789"), ("0\r\n\r\n", ""),
  ])
  func chunksThatAreRight(text: String, body: String) throws {
    #expect(try GrammarTests.decode(text) == Array(body.utf8))
  }

  @Test(arguments: [
    "3\r\nabcd\r\n0\r\n\r\n", "3 \r\nabc\r\n", " 3\r\n", "+3\r\n", "0x3\r\n", "\r\n", "3;\r\nabc", "3;=a\r\n",
    "3;a=\r\n",
    "3;a=\"b\r\n", "3\nabc", "3\r\nabc\n", "3\r\nabc\r0", "0\r\n X: y\r\n", "0\r\nX : y\r\n", "0\r\nX\r\n", "0\r\n\r\r",
    "FFFFFFFFFFFFFFFF\r\n", "000000000000000000000000000000000000\r\n", "0\r\n:v\r\n",
  ])
  func chunksThatAreNone(text: String) {
    #expect(throws: Refusal.self) { try GrammarTests.decode(text) }
  }

  private static func decode(_ text: String) throws -> [UInt8]? {
    var decoder = ChunkedDecoder()
    var body: [UInt8] = []
    var index = 0
    try decoder.decode(Array(text.utf8).span, &index, into: &body, Configuration.Limits())
    return decoder.isDone ? body : nil
  }

  @Test func problemsAreJSON() {
    let response = Response.problem(
      .badRequest,
      detail: "a \"b\"\n\\",
      members: [
        ("field", .string("after")), ("at", .integers([0, 3])), ("limit", .integer(5)),
        ("fields", .texts([("a", ["x", "y"]), ("b.c", ["\"z\""])])),
      ]
    )
    #expect(
      String(decoding: response.body, as: UTF8.self)
        == #"{"type":"about:blank","title":"Bad Request","status":400,"detail":"a \"b\"\u000a\\","#
        + #""field":"after","at":[0,3],"limit":5,"fields":{"a":["x","y"],"b.c":["\"z\""]}}"#
    )
  }

  @Test(arguments: [
    ("application/json", "application/json", []), ("Application/JSON ; Charset=UTF-8", "application/json", ["UTF-8"]),
    (#"a/b; x="; charset=c"; charset="utf\-8""#, "a/b", ["utf-8"]), ("a/b;charset", "a/b", []),
    ("a/b; charset=c;charset=d", "a/b", ["c", "d"]), (#"a/b; charset=""#, "a/b", ["\""]), ("", "", []), (";", "", []),
    (#"a/b; charset="\"#, "a/b", [#""\"#]), (#"a/b; charset="a\\b""#, "a/b", [#"a\b"#]),
  ])
  func contentTypes(text: String, mediaType: String, charsets: [String]) {
    let contentType = ContentType(text)
    #expect(contentType.mediaType == mediaType && contentType["charset"] == charsets, "\(contentType)")
  }

  @Test func addressesAsText() {
    for text in ["127.0.0.1", "::", "::1", "2001:db8::1", "fe80::1:0:0:1", "1:2:3:4:5:6:7:8"] {
      #expect(SocketAddress(host: text, port: 1)?.host == text)
    }
    #expect(SocketAddress(host: "localhost", port: 1) == nil)
  }
}
