import Testing

@testable import TablecastClient

/// What a person may be led to.
@Suite struct LinkTests {
  private struct LinkCell: CellModel {
    struct Payload: Decodable, Hashable, Sendable {
      var url: String?
      var more: [String]?
    }
    var payload: Payload
    static var acceptedCells: String? { nil }
    static func decodes(cellIdentifier: String) -> Bool { cellIdentifier == "Link" }
    static func links(cellIdentifier: String) -> [String] { ["url", "more"] }
  }

  @Test(arguments: [
    ("https://a.example/b?c=d:e", true), ("HTTP://a.example", true), ("mailto:a@b.example", true), ("tel:+1", true),
    ("/a/b", true), ("a/b:c", true), ("?a=b:c", true), ("#a:b", true), ("", true), ("javascript:alert(1)", false),
    ("JavaScript:alert(1)", false), ("java\nscript:alert(1)", false), (" javascript:alert(1)", false),
    ("data:text/html,x", false), ("vbscript:x", false), ("file:///etc/passwd", false), ("javascript&#58;", true),
  ]) func whatMayBeOpenedIsALink(_ text: String, _ isLink: Bool) { #expect(text.isLink == isLink) }

  @Test(arguments: [
    (#"{"url":"https://a.example"}"#, true), (#"{"url":null}"#, true), (#"{"url":"javascript:x"}"#, false),
    (#"{"more":["/a","data:x"]}"#, false), (#"{"more":["/a"]}"#, true),
  ]) func anythingElseIsAMalformedCell(_ payload: String, _ isKnown: Bool) throws {
    let row = try JSONText("{\"cellIdentifier\":\"Link\",\"payload\":\(payload)}")
    let content = CellContent<LinkCell>(row)
    if isKnown {
      #expect(content.cell != nil)
    } else {
      guard case .malformed(let reason) = content else {
        Issue.record("it is \(content)")
        return
      }
      #expect(reason.contains("is no link that may be opened"))
    }
  }
}
