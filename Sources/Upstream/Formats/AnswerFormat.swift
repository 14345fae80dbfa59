internal import Definitions
internal import JSON

/// The format of an answer: as the source says, else by its `Content-Type`, else by a look at it. Pure.
enum AnswerFormat {
  enum Finding: Equatable {
    case format(SourceFormat)
    /// None that can be read, by the name that people have for it.
    case other(String)
  }

  /// - Parameters:
  ///   - path: of the URL, as some servers call every file a text.
  ///   - stated: by the configuration.
  static func find(_ body: [UInt8], type: String?, path: String, stated: SourceFormat?) -> Finding {
    let mediaType = (type ?? "").split(at: ";").0.trimmingWhitespace.lowercased()
    // Most of all: nothing else begins so.
    if stated == nil || stated == .json, isJSON(mediaType), body.first == bracket || body.first == brace {
      return .format(.json)
    }
    if let other = name(of: body) {
      guard let markup = other.markup else { return .other(other.name) }
      return markup == .feed && (stated ?? .feed) == .feed ? .format(.feed) : .other(other.name)
    }
    if let stated { return .format(stated) }
    if let format = format(of: mediaType) { return .format(format) }
    // Some servers send JSON as a page.
    let isPage = mediaType == "text/html" && [bracket, brace].contains(start(of: body))
    guard isJSON(mediaType) || isVague(mediaType) || isPage else {
      return .other(mediaType.isEmpty ? "of no type" : mediaType)
    }
    return .format(look(body, mayBeTable: isVague(mediaType), path: path))
  }

  private static let byteOrderMark = TextEncoding.byteOrderMark
  private static let bracket = UInt8(ascii: "["), brace = UInt8(ascii: "{")

  private static func isJSON(_ type: String) -> Bool {
    type.contains("json") && format(of: type) == nil || type.hasSuffix("/javascript")
  }

  /// Types that servers give to what they don't know.
  private static func isVague(_ type: String) -> Bool {
    ["", "text/plain", "application/octet-stream", "binary/octet-stream"].contains(type)
  }

  private static func format(of type: String) -> SourceFormat? {
    switch type {
    case "application/x-ndjson", "application/ndjson", "application/jsonl", "application/jsonlines",
      "application/x-jsonlines", "application/x-json-stream", "text/x-ndjson":
      .ndjson
    case "text/csv", "application/csv", "text/x-csv", "application/x-csv", "text/comma-separated-values",
      "text/tab-separated-values":
      .csv
    case "application/rss+xml", "application/atom+xml", "application/rdf+xml": .feed
    default: nil
    }
  }

  private static func look(_ body: [UInt8], mayBeTable: Bool, path: String) -> SourceFormat {
    let start = start(of: body)
    if start == brace, isLines(body) { return .ndjson }
    // The `)` is the beginning of `)]}',`, which some APIs put before their JSON.
    guard mayBeTable, let start, ![brace, bracket, UInt8(ascii: ")")].contains(start),
      start != UInt8(ascii: "\"") || path.isOfTable
    else { return .json }
    return path.isOfTable || isTable(body) ? .csv : .json
  }

  /// The first byte behind a byte order mark and white space.
  private static func start(of body: [UInt8]) -> UInt8? {
    body.first { !$0.isSpace && !byteOrderMark.contains($0) }
  }

  /// Returns whether a body begins as no JSON does. An empty one begins as none.
  static func isForeign(_ body: [UInt8]) -> Bool {
    guard let place = body.firstIndex(where: { !$0.isSpace && !byteOrderMark.contains($0) }) else { return false }
    let rest = body[place...]
    switch body[place] {
    case bracket, brace, UInt8(ascii: "\""), UInt8(ascii: "0")...UInt8(ascii: "9"): return false
    case UInt8(ascii: "-"): return !(rest.dropFirst().first.map { (0x30...0x39).contains($0) } ?? false)
    default: return !["true", "false", "null"].contains { rest.starts(with: $0.utf8) }
    }
  }

  /// The first line is a value, and another one begins behind it.
  private static func isLines(_ body: [UInt8]) -> Bool {
    let line = body.prefix { $0 != newline }
    guard line.count < body.count, line.count <= 1 << 20,
      let next = body[line.endIndex...].first(where: { !$0.isSpace }), next == brace,
      let document = try? Document(Array(line))
    else { return false }
    return (try? document.withRoot { $0.kind == .object }) ?? false
  }

  /// Two lines with as many separators, some at least, and no blank behind one in the first: a text of words hardly has them so.
  private static func isTable(_ body: [UInt8]) -> Bool {
    let head = Array(body.prefix(64 << 10))
    let separator = TableText.separator(of: head)
    let lines = head.split(separator: newline, maxSplits: 2)
    guard lines.count > 1 else { return false }
    let counts = lines.prefix(2).map { line in line.count { $0 == separator } }
    let names = lines[0].split(separator: separator, omittingEmptySubsequences: false)
    return counts[0] > 0 && counts[0] == counts[1] && names.allSatisfy { $0.first.map { !$0.isSpace } ?? false }
  }

  private static let newline = UInt8(ascii: "\n")

  /// Returns the format of a body that is no JSON by its first bytes.
  ///
  /// - Returns: its name; with `markup` where it may be a feed.
  private static func name(of body: [UInt8]) -> (name: String, markup: SourceFormat?)? {
    let marks: [(bytes: [UInt8], name: String)] = [
      (Array("%PDF-".utf8), "a PDF"), ([0x50, 0x4B, 0x03, 0x04], "a ZIP archive"), ([0x1F, 0x8B], "a gzip archive"),
      ([0x89, 0x50, 0x4E, 0x47], "a PNG image"), ([0xFF, 0xD8, 0xFF], "a JPEG image"),
      (Array("GIF8".utf8), "a GIF image"),
    ]
    if let mark = marks.first(where: { body.starts(with: $0.bytes) }) { return (mark.name, nil) }
    if isWideMarkup(body) { return ("a feed", .feed) }
    guard ReasonText.startsLikeMarkup(body) else { return nil }
    switch rootElement(of: body) {
    case "rss"?, "feed"?, "rdf:rdf"?: return ("a feed", .feed)
    case "html"?, nil: return ("HTML" + titled(body), .json)
    case let root?: return isHTML(root) ? ("HTML" + titled(body), .json) : ("XML, with the root `\(root)`", .json)
    }
  }

  private static func titled(_ body: [UInt8]) -> String {
    ReasonText.htmlTitle(in: body).map { ", a page titled “\($0)”" } ?? ""
  }

  private static func isHTML(_ root: String) -> Bool {
    ["head", "body", "title", "div", "p", "h1", "center", "meta", "script", "table", "pre", "br"].contains(root)
  }

  /// UTF-16: expat finds out the rest.
  private static func isWideMarkup(_ body: [UInt8]) -> Bool {
    [[0xFF, 0xFE, 0x3C, 0x00], [0xFE, 0xFF, 0x00, 0x3C], [0x3C, 0x00], [0x00, 0x3C]].contains { body.starts(with: $0) }
  }

  /// In lower case, behind declarations and comments, of the first 64 KB. Nil where there is none.
  private static func rootElement(of body: [UInt8]) -> String? {
    var rest = body.prefix(64 << 10)[...]
    while let open = rest.firstIndex(of: UInt8(ascii: "<")) {
      rest = rest[(open + 1)...]
      if rest.starts(with: Array("!--".utf8)) {
        guard let end = rest.firstRange(of: Array("-->".utf8)) else { return nil }
        rest = rest[end.upperBound...]
      } else if rest.first == UInt8(ascii: "?") || rest.first == UInt8(ascii: "!") {
        if String(decoding: rest.prefix(14), as: UTF8.self).lowercased() == "!doctype html>" { return "html" }
        guard let end = rest.firstIndex(of: UInt8(ascii: ">")) else { return nil }
        rest = rest[(end + 1)...]
      } else {
        let name = rest.prefix { !$0.isSpace && $0 != UInt8(ascii: ">") && $0 != UInt8(ascii: "/") }
        let text = String(decoding: name.prefix(40), as: UTF8.self).lowercased()
        return text.isEmpty ? nil : text
      }
    }
    return nil
  }
}

extension UInt8 {
  /// As JSON and XML have it.
  var isSpace: Bool { self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D }
}

extension String {
  fileprivate var isOfTable: Bool { lowercased().hasSuffix(".csv") || lowercased().hasSuffix(".tsv") }
}
