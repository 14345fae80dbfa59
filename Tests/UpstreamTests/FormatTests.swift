import Definitions
import Foundation
import JSON
import TestSupport
import Testing

@testable import Upstream

@Suite struct FormatTests {
  private static func response(_ body: [UInt8], _ type: String?, path: String) throws -> TransferResponse {
    TransferResponse(
      status: 200,
      headers: [type.flatMap { TransferField("Content-Type", $0) }].compactMap(\.self),
      body: body,
      url: try #require(UpstreamURL("https://x.example" + path)),
      redirects: 0,
      elapsed: .zero,
      reusedConnection: false,
      httpVersion: .http1
    )
  }

  /// The page as JSON, or what is wrong with it.
  private static func read(
    _ body: [UInt8],
    _ type: String? = nil,
    path: String = "/items",
    format: SourceFormat? = nil,
    limit: Int = 1000,
    maxBytes: Int = 1 << 20
  ) throws -> String {
    var definition = try UpstreamDefinition(quick: "https://x.example" + path)
    (definition.format, definition.maxBytes) = (format, maxBytes)
    let check = ResponseCheck(redaction: Redaction(hiding: []))
    let response = try response(body, type, path: path)
    do throws(UpstreamError) {
      let found = try check.format(of: response, definition)
      let converted = try check.converted(response, found, definition, limit: limit)
      let list = try check.read(converted.body, of: response.url, definition, limit: limit, type: type)
      return String(decoding: list.text.body, as: UTF8.self) + (converted.next.map { " next \($0)" } ?? "")
    } catch {
      return "\(error.kind.rawValue): \(error.detail)"
    }
  }

  private static func read(_ text: String, _ type: String? = nil, path: String = "/items", format: SourceFormat? = nil)
    throws -> String
  {
    try read(Array(text.utf8), type, path: path, format: format)
  }

  @Test(
    arguments: [
      ("[{\"a\":1}]", "application/json", "[{\"a\":1}]"),
      ("[{\"a\":1}]", "text/plain", "[{\"a\":1}]"), ("[]", nil, "[]"), (" [1]", "text/html; charset=utf-8", " [1]"),
      ("{\"a\":1}\n{\"a\":2}\n", nil, "[{\"a\":1},{\"a\":2}]"),
      ("{\"a\":1}\n\r\n  {\"a\":2}\r\n", "application/x-ndjson", "[{\"a\":1},  {\"a\":2}\r]"),
      ("", "application/x-ndjson", "[]"), ("\n\n \n{\"a\":1}", "application/x-ndjson", "[{\"a\":1}]"),
      ("\n\n\n{\"a\":", "application/x-ndjson", "line 4 is no JSON"),
      ("{\"a\":1}\n{\"a\":2},{\"a\":3}\n", "application/x-ndjson", "line 2 is no JSON"),
      ("{\"a\":1}\n{\"a\":", "application/jsonl", "line 2 is no JSON"),
      ("a,b\n1,2\n", "text/csv", #"[{"a":"1","b":"2"}]"#),
      ("a,b\n1,2\n", "text/plain", #"[{"a":"1","b":"2"}]"#),
      ("a;b\r\n1,5;2\r\n", "text/plain; charset=utf-8", #"[{"a":"1,5","b":"2"}]"#),
      ("a\tb\n1, or 2\t3\n", "application/octet-stream", #"[{"a":"1, or 2","b":"3"}]"#),
      ("Dear all;\nthis is a text.\n", "text/plain", "this is no JSON"),
      ("Error: could not connect, try again\nSecond line, with comma\n", "text/plain", "this is no JSON"),
      ("Gone; not found\nsee; log\n", "text/plain", "this is no JSON"),
      (")]}',\n[{\"a\":1,\"b\":2}]", "text/plain", "this is no JSON"),
      (
        "not logged in\n", "text/plain; charset=utf-8",
        "https://x.example/items, 14 bytes of `text/plain; charset=utf-8`: this is no JSON; it says: not logged in"
      ),
      ("OK", "application/json", "invalidJSON: https://x.example/items, 2 bytes of `application/json`: this is no"),
      ("callback([{\"a\":1}]);", "text/javascript", "20 bytes of `text/javascript`: this is no JSON"),
      ("id\ttitle\n1\tOne\n", "application/json", "of `application/json`: this is no JSON"),
      ("say \"hello", nil, "https://x.example/items, 10 bytes: this is no JSON"),
      ("[{\"a\":1}", "application/json", "8 bytes of `application/json`: the text ends inside of"),
      ("null", "application/json", "unexpectedShape"), ("true", "application/json", "unexpectedShape"),
      ("<!doctype html><title>Sign in</title>", "text/html", "this is HTML, a page titled “Sign in”; JSON"),
      ("<!doctype html><title>Sign in</title>", "application/json", "this is HTML, a page titled “Sign in”"),
      ("<p>hello", "text/csv", "this is HTML"),
      ("<?xml version='1.0'?><!-- a --><soap:Envelope/>", "text/xml", "XML, with the root `soap:envelope`"),
      ("%PDF-1.4", "application/octet-stream", "this is a PDF"),
      ("x", "image/png", "this is image/png; JSON, NDJSON, CSV and feeds can be read"),
    ] as [(String, String?, String)]
  )
  func byTypeElseByLooking(_ text: String, _ type: String?, _ expected: String) throws {
    let read = try Self.read(text, type)
    #expect(read == expected || read.contains(expected), "\(read)")
  }

  @Test func aFormatThatIsStatedIsTaken() throws {
    #expect(try Self.read("a\n1\n", "text/html", format: .csv) == #"[{"a":"1"}]"#)
    #expect(try Self.read("[1]", "text/html", format: .json) == "[1]")
    #expect(try Self.read("{\"a\":1}", "application/json", format: .ndjson) == "[{\"a\":1}]")
    #expect(try Self.read("a;b\n1;2", "application/octet-stream", path: "/x.csv") == #"[{"a":"1","b":"2"}]"#)
    #expect(try Self.read("<html>", "text/csv", format: .csv).contains("this is HTML; `format: csv` is configured"))
    #expect(try Self.read("<rss/>", "application/json", format: .json).contains("this is a feed"))
  }

  /// RFC 4180, and what Excel makes of it.
  @Test(arguments: [
    ("a,b\r\n\"x,\"\"y\"\"\r\nz\",2\r\n", #"[{"a":"x,\"y\"\r\nz","b":"2"}]"#),
    ("\u{FEFF}a,b\n1,2", #"[{"a":"1","b":"2"}]"#), ("a,b\n\n1\n,2\n", #"[{"a":"1"},{"a":"","b":"2"}]"#),
    (" a , a,\n1,2,3,,\n", #"[{"a":"1","a_2":"2","column3":"3"}]"#), ("a;b\n1,5;2\n", #"[{"a":"1,5","b":"2"}]"#),
    ("a\tb\n1\t2", #"[{"a":"1","b":"2"}]"#), ("a\r1\r2\r", #"[{"a":"1"},{"a":"2"}]"#), ("a,b", "[]"),
    ("a\n007\n", #"[{"a":"007"}]"#), ("a\n\"x\"y\n", #"[{"a":"xy"}]"#),
    ("a,b\n1,2,3\n", "line 2 has 3 fields, and the first line 2 names"),
    ("a\n\n\"x\n\n", "a field in line 3 begins with a quote"),
    ("", "it is empty"), ("\n \n", #"[]"#),
  ])
  func tables(_ text: String, _ expected: String) throws {
    let read = try Self.read(text, "text/csv")
    #expect(read == expected || read.contains(expected), "\(read)")
  }

  @Test func encodings() throws {
    let text = "name\nGrüße €\n"
    let cases: [(String.Encoding, String, [UInt8])] = [
      (.utf8, "text/csv", []), (.windowsCP1252, "text/csv; charset=windows-1252", []),
      (.windowsCP1252, "text/csv; charset=\"ISO-8859-1\"", []), (.windowsCP1252, "text/csv", []),
      (.utf16LittleEndian, "text/csv", [0xFF, 0xFE]), (.utf16BigEndian, "text/csv", [0xFE, 0xFF]),
    ]
    for (encoding, type, mark) in cases {
      let body = mark + (try #require(text.data(using: encoding)))
      #expect(try Self.read(body, type) == #"[{"name":"Grüße €"}]"#, "\(encoding) \(type)")
    }
    #expect(try Self.read("a\n1", "text/csv; charset=../../etc/passwd").contains("a name that none has"))
    #expect(try Self.read("a\n1", "text/csv; charset=klingon").contains("charset “klingon” is not known here"))
    let feed =
      "<?xml version=\"1.0\" encoding=\"windows-1252\"?><rss><channel><item><title>Grüße</title></item></channel></rss>"
    let bytes = Array(try #require(feed.data(using: .windowsCP1252)))
    #expect(try Self.read(bytes, "application/rss+xml") == #"[{"title":"Grüße","categories":[]}]"#)
    let wide = [0xFF, 0xFE] + Array(try #require(feed.data(using: .utf16LittleEndian)))
    #expect(try Self.read(wide, "text/xml") == #"[{"title":"Grüße","categories":[]}]"#)
    let latin = Array(try #require("[\"ü\"]".data(using: .windowsCP1252)))
    #expect(try Self.read(latin, "application/json; charset=iso-8859-1") == "[\"ü\"]")
    #expect(try Self.read("[\"ü\"]", "application/json; charset=iso-8859-1") == "[\"ü\"]", "many say so of UTF-8")
  }

  @Test func moreThanMayBeTakenIsCutOff() throws {
    let lines = (0..<10).map { "\($0)\n" }.joined()
    #expect(try Self.read(Array(("a\n" + lines).utf8), "text/csv", limit: 2) == #"[{"a":"0"},{"a":"1"}]"#)
    #expect(try Self.read(Array(("{\"a\":1}\n" + lines).utf8), "application/x-ndjson", limit: 2) == #"[{"a":1},0]"#)
    let items = (0..<10).map { "<item><guid>\($0)</guid></item>" }.joined()
    let feed = Array("<rss><channel>\(items)</channel></rss>".utf8)
    #expect(try Self.read(feed, "application/rss+xml", limit: 1).count < 80)
    // A long name in each of many lines.
    let wide = Array((String(repeating: "n", count: 5000) + "\n" + String(repeating: "1\n", count: 5000)).utf8)
    #expect(try Self.read(wide, "text/csv", limit: 10_000).contains("four times `maxBytes`"))
  }

  /// What a few bytes ask for again and again: none of it takes memory, or time, beyond what the answer has.
  @Test func answersThatGrowAreRefused() throws {
    let entries = String(repeating: "<entry><id>i</id></entry>", count: 5_000)
    let name = String(repeating: "A", count: 1 << 20)
    let feed = "<feed xmlns=\"http://www.w3.org/2005/Atom\"><author><name>\(name)</name></author>\(entries)</feed>"
    #expect(try Self.read(feed, "application/atom+xml").contains("four times `maxBytes`"))
    let space = String(repeating: "n", count: 2_000)
    let named = "<rss><channel xmlns:a=\"\(space)\"><a:b/></channel></rss>"
    #expect(try Self.read(named, "application/rss+xml").contains("a namespace has more than 1024 bytes"))
    // Markup that is written at greater length than it has.
    let grown =
      "<feed xmlns=\"http://www.w3.org/2005/Atom\"><entry><content type=\"xhtml\"><![CDATA["
      + String(repeating: "&", count: 2_000) + "]]>"
    let read = try Self.read(Array(grown.utf8), "application/atom+xml", maxBytes: 1_000)
    #expect(read.contains("four times `maxBytes`"), "before the item ends: \(read)")
    // A base that is as long as this is none.
    let based =
      "<feed xmlns=\"http://www.w3.org/2005/Atom\" xml:base=\"https://a.example/\(name)/\">"
      + "<entry><link href=\"x\"/></entry></feed>"
    #expect(try !Self.read(based, "application/atom+xml").contains("AAA"))
    let alike = String(repeating: "a,", count: 9_999) + "a\n" + String(repeating: "1,", count: 9_999) + "1\n"
    #expect(try Self.read(alike, "text/csv").hasSuffix(#""a_9999":"1","a_10000":"1"}]"#))
    #expect(try Self.read("a\n" + String(repeating: ",", count: 20_000), "text/csv").contains("more than 10000 fields"))
  }

  /// A namespace is not copied for each name that is in it.
  @Test func longNamespacesCostNothing() throws {
    let url = try #require(UpstreamURL("https://x.example/feed"))
    let attributes = (0..<10_000).map { " p:a\($0)=\"\"" }.joined()
    func time(ofNamespace length: Int) throws -> Duration {
      let feed = Array("<rss xmlns:p=\"\(String(repeating: "n", count: length))\"><a\(attributes)/></rss>".utf8)
      return try processorTime { _ = try FeedReader.read(feed, at: url, atMost: nil, maxBytes: 1 << 20) }
    }
    let (usual, most) = try (time(ofNamespace: 1), time(ofNamespace: 1_000))
    #expect(most < usual * 4, "\(most) beside \(usual)")
  }

  @Test func rss() throws {
    let feed = """
      <?xml version="1.0"?>
      <rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:dc="http://purl.org/dc/elements/1.1/"
        xmlns:media="http://search.yahoo.com/mrss/" xmlns:atom="http://www.w3.org/2005/Atom">
      <channel><title>Not an item's</title><link>https://blog.example</link>
      <atom:link rel="self" href="https://blog.example/feed"/><atom:link rel="next" href="/feed?page=2"/>
      <image><title>Nor this</title><link>https://blog.example/i</link></image>
      <item><title>One &amp; &lt;two&gt;</title><media:title>other</media:title><link>/1</link>
        <guid isPermaLink="false">g1</guid><description><![CDATA[<b>Short</b>]]></description>
        <content:encoded>Long</content:encoded><pubDate>Tue, 24 Nov 2026 02:03:04 +0100</pubDate>
        <dc:creator>Ada</dc:creator><dc:creator>Bob</dc:creator><category>x</category><category>y</category></item>
      <item><guid>https://blog.example/2</guid><pubDate>soon</pubDate><author>a@example.com (Ada)</author></item>
      </channel></rss>
      """
    let expected = #"""
      [{"id":"g1","title":"One & <two>","link":"https://x.example/1","summary":"<b>Short</b>","content":"Long","published":"2026-11-24T01:03:04Z","author":"Ada, Bob","categories":["x","y"]},{"id":"https://blog.example/2","link":"https://blog.example/2","published":"soon","author":"a@example.com (Ada)","categories":[]}] next https://x.example/feed?page=2
      """#
    for type in ["application/rss+xml", "text/xml; charset=utf-8", "text/html", "application/json"] {
      #expect(try Self.read(feed, type) == expected, "\(type)")
    }
  }

  @Test func linksDoNotTellHowTheFeedIsFetched() throws {
    let feed = "<rss><channel><item><link>/1</link></item><item><link>http://x.example/2</link></item></channel></rss>"
    let url = try #require(UpstreamURL("http://me:secret@x.example/feed"))
    let read = try FeedReader.read(Array(feed.utf8), at: url, atMost: nil, maxBytes: 1 << 20)
    let text = String(decoding: read.json, as: UTF8.self)
    #expect(text.contains("\"http://x.example/1\"") && text.contains("\"http://x.example/2\""), "\(text)")
  }

  @Test func atom() throws {
    let feed = """
      <feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://blog.example/sub/"><title>F</title><id>f</id>
      <author><name>Feed's</name></author>
      <entry xml:base="e/"><id>1</id><title type="html">A &lt;b&gt;</title><link rel="edit" href="no"/><link href="1.html"/>
      <summary>S</summary><content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">a <b class="x&quot;y">c &amp; d</b></div></content>
      <published>2026-11-24T00:00:00Z</published><updated>2026-11-25T00:00:00Z</updated><category term="t" label="T"/><category term="u"/></entry>
      <entry><id>2</id><author><name>Own</name></author><author><name>Two</name></author><content src="c.pdf" type="application/pdf"/>
      <source><title>Another's</title><id>x</id></source></entry>
      </feed>
      """
    #expect(
      try Self.read(feed, "application/atom+xml") == #"""
        [{"id":"1","title":"A <b>","link":"https://blog.example/sub/e/1.html","summary":"S","content":"<div>a <b class=\"x&quot;y\">c &amp; d</b></div>","published":"2026-11-24T00:00:00Z","updated":"2026-11-25T00:00:00Z","author":"Feed's","categories":["T","u"]},{"id":"2","content":"https://blog.example/sub/c.pdf","author":"Own, Two","categories":[]}]
        """#
    )
  }

  /// RFC 4287 section 4.2.1.
  @Test func authorsOfAnotherFeed() throws {
    let source = "<source><author><name>Another's</name></author></source>"
    let feed = """
      <feed xmlns="http://www.w3.org/2005/Atom"><author><name>Feed's</name></author>
      <entry><id>1</id><author><name>Own</name></author>\(source)</entry><entry><id>2</id>\(source)</entry>
      <entry><id>3</id></entry></feed>
      """
    #expect(
      try Self.read(feed, "application/atom+xml") == #"""
        [{"id":"1","author":"Own","categories":[]},{"id":"2","author":"Another's","categories":[]},{"id":"3","author":"Feed's","categories":[]}]
        """#
    )
  }

  @Test func linksOfAnotherFeed() throws {
    let source = "<source><id>x</id><link href=\"https://other.example/\"/></source>"
    let feed = """
      <feed xmlns="http://www.w3.org/2005/Atom">
      <list xmlns="http://other.example/"><a:link xmlns:a="http://www.w3.org/2005/Atom" rel="next" href="/no"/></list>
      <link rel="next" href="/2"/><entry>\(source)<id>1</id><link href="/1"/></entry>
      <entry><id>2</id>\(source)</entry></feed>
      """
    #expect(
      try Self.read(feed, "application/atom+xml") == #"""
        [{"id":"1","link":"https://x.example/1","categories":[]},{"id":"2","categories":[]}] next https://x.example/2
        """#
    )
  }

  /// Names are told apart by their namespaces, whatever the prefixes, and by those of the innermost element.
  @Test func namespaces() throws {
    let feed = """
      <a:feed xmlns:a="http://www.w3.org/2005/Atom" xmlns="http://other.example/"><title>F</title>
      <a:entry><a:id>1</a:id><title>Other</title><title xmlns="http://www.w3.org/2005/Atom">One</title>
      <b:summary xmlns:b="http://www.w3.org/2005/Atom" xmlns:a="http://other.example/"><a:id>2</a:id>S</b:summary></a:entry>
      <a:entry><a:id>3</a:id></a:entry></a:feed>
      """
    let url = try #require(UpstreamURL("https://x.example/feed"))
    let read = try FeedReader.read(Array(feed.utf8), at: url, atMost: nil, maxBytes: 1 << 20)
    #expect(
      String(decoding: read.json, as: UTF8.self)
        == #"[{"id":"1","title":"One","summary":"2S","categories":[]},{"id":"3","categories":[]}]"#
    )
  }

  @Test func rdf() throws {
    let feed = """
      <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"
        xmlns:dc="http://purl.org/dc/elements/1.1/"><channel rdf:about="c"><title>C</title></channel>
      <item rdf:about="https://x.example/about"><title>One</title><link>https://x.example/1</link>
        <dc:date>2026-11-24T00:00:00Z</dc:date><dc:subject>s</dc:subject></item></rdf:RDF>
      """
    #expect(
      try Self.read(feed, "application/rdf+xml")
        == #"[{"id":"https://x.example/about","title":"One","link":"https://x.example/1","published":"2026-11-24T00:00:00Z","categories":["s"]}]"#
    )
  }

  /// Neither files nor memory are to be had by XML.
  @Test(arguments: [
    (
      "<!DOCTYPE rss [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;&a;&a;\">]><rss><channel><item><title>&b;</title></item></channel></rss>",
      "declares entities"
    ),
    (
      "<!DOCTYPE rss [<!ENTITY a SYSTEM \"file:///etc/passwd\">]><rss><channel><item><title>&a;</title></item></channel></rss>",
      "declares entities"
    ),
    ("<!DOCTYPE rss [<!ENTITY % a SYSTEM \"http://x.example/e\"> %a;]><rss/>", "declares entities"),
    (
      "<rss>" + String(repeating: "<a>", count: 200) + String(repeating: "</a>", count: 200) + "</rss>",
      "more than 100 times"
    ),
    ("<rss><channel><item>", "line 1 is no XML: no element found"),
    ("<rss><channel></rss>", "line 1 is no XML: mismatched tag"),
    ("<rss>&nbsp;</rss>", "line 1 is no XML: undefined entity"),
    ("<!DOCTYPE rss [<!ATTLIST b x CDATA \"aaaa\">]><rss><b/></rss>", "declares attributes"),
    ("<rss><media:b/></rss>", "a prefix that is bound to no namespace"),
    ("<rss><channel xmlns:m=\"m\"/><b m:c=\"\"/></rss>", "a prefix that is bound to no namespace"),
    ("<feed/>", "this is XML, but no feed: its root is `feed`"),
  ])
  func hostileFeeds(_ feed: String, _ expected: String) throws {
    let read = try Self.read(feed, "application/rss+xml")
    #expect(read.contains(expected), "\(read)")
  }

  /// Whatever bytes come, what is delivered is JSON.
  @Test(arguments: 0..<200 as Range<UInt64>)
  func anyBytes(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let pieces = [
      "a,b\n", "\"", ",", "\n", "\r\n", "{}", "<rss>", "<item>", "</item>", "&#0;", "<![CDATA[", "]]>", "\u{FEFF}", "é",
      "<title>", "</title>",
    ]
    var body = Array("<rss><channel>".utf8)
    if Bool.random(using: &random) { body = [] }
    for _ in 0..<Int.random(in: 0...40, using: &random) {
      if Int.random(in: 0..<8, using: &random) == 0 { body.append(.random(in: 0...255, using: &random)) }
      body += Array(pieces.randomElement(using: &random)!.utf8)
    }
    for format in SourceFormat.allCases {
      let read = try Self.read(body, "text/csv", format: format, limit: 5)
      #expect(read.contains(": ") || (try? JSONValue(parsing: Array(read.utf8))) != nil, "seed \(seed): \(read)")
    }
  }
}
