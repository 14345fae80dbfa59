import TestSupport
import Testing

@testable import HTTPServer

/// Content codings, entity tags and conditions.
@Suite struct NegotiationTests {
  private let table = Representation(
    body: TestService.text(4000),
    contentType: "application/json",
    entityTag: "abc.1",
    cacheControl: "private, no-cache",
    vary: ["Accept-Cells"]
  )

  private func get(_ headers: [HeaderField] = []) throws -> Response {
    table.response(to: try Request(.get, "/", headers: headers))
  }

  private func value(_ name: HeaderName, _ response: Response) -> String? {
    (response.headers.fields + response.additional).first { $0.name == name }?.value
  }

  @Test(
    arguments: [
      ("", [.identity]),
      ("gzip", [.gzip, .identity]),
      ("GZIP", [.gzip, .identity]),
      ("x-gzip", [.gzip, .identity]),
      ("deflate, gzip", [.gzip, .deflate, .identity]),
      ("deflate, gzip;q=0.5", [.deflate, .gzip, .identity]),
      ("gzip;q=0.4, identity", [.identity, .gzip]),
      ("br", [.identity]),
      ("zstd", [.zstd, .identity]),
      ("gzip, deflate, br, zstd", [.zstd, .gzip, .deflate, .identity]),
      ("zstd;q=0.5, gzip", [.gzip, .zstd, .identity]),
      ("ZSTD;q=0, *", [.gzip, .deflate, .identity]),
      // Whoever takes anything gets what everybody knows.
      ("*", [.gzip, .deflate, .zstd, .identity]),
      ("*;q=0.5, identity;q=0", [.gzip, .deflate, .zstd]),
      ("*;q=0", []),
      ("*;q=0, gzip", [.gzip]),
      ("identity;q=0", []),
      ("identity;q=0, deflate", [.deflate]),
      ("gzip;q=0, *", [.deflate, .zstd, .identity]),
      ("gzip;q=0.000", [.identity]),
      ("gzip ; q=1.000", [.gzip, .identity]),
      ("gzip;q=1.5", [.identity]),
      ("gzip;q=", [.identity]),
      ("gzip;q=0.1234", [.identity]),
      (",, gzip ,", [.gzip, .identity]),
    ] as [(String, [ContentCoding])]
  )
  func acceptEncoding(value: String, expected: [ContentCoding]) {
    // Where nothing but the qualities of the listed ones differs, identity comes last.
    #expect(AcceptedCodings(Array(value.utf8)[...]).ordered == expected)
  }

  @Test func codingsHaveTagsOfTheirOwn() throws {
    let plain = try get()
    #expect(value(.etag, plain) == "\"abc.1\"")
    #expect(value(.vary, plain) == "Accept-Encoding, Accept-Cells")
    #expect(value(.contentEncoding, plain) == nil)
    for coding in [ContentCoding.gzip, .deflate, .zstd] {
      let response = try get([HeaderField(.acceptEncoding, coding.name)])
      #expect(value(.etag, response) == "\"abc.1-\(coding.name)\"")
      #expect(value(.contentEncoding, response) == coding.name)
      #expect(response.body.count < plain.body.count)
    }
  }

  @Test(arguments: [
    ("\"abc.1\"", "", 304),
    ("W/\"abc.1\"", "", 304),
    ("\"x\", \"abc.1\"", "", 304),
    ("\"x,y\",W/\"abc.1\"", "", 304),
    ("*", "", 304),
    ("\"abc.1-gzip\"", "", 200),
    ("\"abc.1-gzip\"", "gzip", 304),
    ("\"abc.1-zstd\"", "zstd", 304),
    ("\"abc.1-gzip\"", "zstd", 200),
    ("\"abc.1\"", "gzip", 200),
    ("\"abc.2\"", "", 200),
    ("abc.1", "", 200),
    ("\"abc.1", "", 200),
    ("w/\"abc.1\"", "", 200),
  ])
  func ifNoneMatch(tags: String, coding: String, status: Int) throws {
    let headers = [HeaderField(.ifNoneMatch, tags)] + (coding.isEmpty ? [] : [HeaderField(.acceptEncoding, coding)])
    let response = try get(headers)
    #expect(response.status.code == status)
    guard status == 304 else { return }
    #expect(response.body.isEmpty)
    #expect(value(.etag, response) != nil && value(.vary, response) != nil)
    #expect(value(.cacheControl, response) == "private, no-cache")
  }

  /// RFC 9110 section 13.1.1: any of the representation's forms, strongly; before `If-None-Match` (section 13.2.2).
  @Test(arguments: [
    ("\"abc.1\"", "", "", 200),
    ("\"abc.1\"", "gzip", "", 200),
    ("\"abc.1-gzip\"", "", "", 200),
    ("\"abc.1-zstd\"", "gzip", "", 200),
    ("\"x\", \"abc.1\"", "", "", 200),
    ("*", "", "", 200),
    ("\"abc.2\"", "", "", 412),
    ("W/\"abc.1\"", "", "", 412),
    ("abc.1", "", "", 412),
    ("\"abc.1-br\"", "", "", 412),
    ("\"abc.1\"", "", "\"abc.1\"", 304),
    ("\"abc.2\"", "", "\"abc.1\"", 412),
  ])
  func ifMatch(tags: String, coding: String, none: String, status: Int) throws {
    let response = try get(
      [HeaderField(.ifMatch, tags)] + (coding.isEmpty ? [] : [HeaderField(.acceptEncoding, coding)])
        + (none.isEmpty ? [] : [HeaderField(.ifNoneMatch, none)])
    )
    #expect(response.status.code == status)
    guard status == 412 else { return }
    #expect(value(.contentType, response) == "application/problem+json")
    #expect(value(.etag, response) == "\"abc.1\"")
  }

  @Test(
    arguments: [
      (.ifNoneMatch, "W/\"abc\"", 304), (.ifNoneMatch, "\"abc\"", 304), (.ifNoneMatch, "W/\"abd\"", 200),
      (.ifNoneMatch, "\"x\", W/\"abc\"", 304), (.ifMatch, "W/\"abc\"", 412), (.ifMatch, "\"abc\"", 412),
      (.ifMatch, "*", 200),
    ] as [(HeaderName, String, Int)]
  )
  func weakTags(name: HeaderName, tags: String, status: Int) throws {
    let weak = Representation(body: [0x7b, 0x7d], contentType: "application/json", entityTag: "abc", hasWeakTag: true)
    let response = weak.response(to: try Request(.get, "/", headers: [HeaderField(name, tags)]))
    #expect(response.status.code == status)
    #expect(value(.etag, response) == "W/\"abc\"")
  }

  @Test func nothingAcceptable() throws {
    #expect(try get([HeaderField(.acceptEncoding, "identity;q=0")]).status == .notAcceptable)
  }

  @Test func smallBodiesStayAsTheyAre() throws {
    let small = Representation(body: Array("{}".utf8), contentType: "application/json")
    let response = small.response(to: try Request(.get, "/", headers: [HeaderField(.acceptEncoding, "gzip")]))
    #expect(value(.contentEncoding, response) == nil)
  }

  @Test func preparingIsSeen() throws {
    let request = try Request(.get, "/", headers: [HeaderField(.acceptEncoding, "gzip")])
    #expect(!table.isPrepared(for: request))
    table.prepare([.gzip])
    #expect(table.isPrepared(for: request))
  }

  @Test(arguments: [Status.ok, .noContent, .notModified, .notFound], [HTTPVersion.http10, .http11])
  func aSerialisedHeadSaysTheSame(status: Status, version: HTTPVersion) {
    let response = Response(
      status: status,
      headers: .json,
      additional: [HeaderField(.link, "</next>; rel=\"next\""), HeaderField(.contentLength, "1")],
      body: status.forbidsBody ? [] : Array("{}".utf8)
    )
    let encoder = ResponseEncoder(crossOrigin: nil)
    let lines = [response, response.serialized(), response.serialized().serialized()].map { response in
      var bytes: [UInt8] = []
      let traits = RequestTraits(version: version)
      encoder.encode(response, traits, .length(response.body.count), keepsAlive: true, into: &bytes)
      return String(decoding: bytes, as: UTF8.self).split(separator: "\r\n").map(String.init)
    }
    #expect(lines[0][0] == lines[1][0])
    #expect(lines[0].count(where: { $0.hasPrefix("Content-Length: 2") }) == (status.forbidsBody ? 0 : 1))
    #expect(lines[0].sorted() == lines[1].sorted())
    #expect(lines[1] == lines[2])
    #expect(response.serialized().body == response.body)
  }

  @Test func ifMatchComparesStrongly() throws {
    let tag = try #require(EntityTag("abc.1"))
    let request = { (value: String) in try Request(.get, "/", headers: [HeaderField(.ifMatch, value)]).ifMatch }
    #expect(try request("\"abc.1\"")?.matchesStrongly(tag) == true)
    #expect(try request("W/\"abc.1\"")?.matchesStrongly(tag) == false)
    #expect(try request("*")?.matchesStrongly(tag) == true)
    #expect(try request("\"other\"")?.matchesStrongly(tag) == false)
  }
}
