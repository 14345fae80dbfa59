internal import Definitions
internal import JSON

/// Makes JSON of an answer that is written in something else. Pure.
struct AnswerText {
  /// An answer as JSON.
  struct Converted {
    var body: [UInt8]
    /// The address of a feed's next page (RFC 5005 section 3).
    var next: String?
  }

  let format: SourceFormat
  /// The address of the answer: relative references start there.
  let url: UpstreamURL
  /// By the answer's `Content-Type`.
  let charset: String?
  /// The most items: those behind are left out. Nil: all are there.
  let limit: Int?
  /// The most bytes of the JSON: names, which are repeated in each item, may make it much longer than the answer.
  let maxBytes: Int

  /// - Throws: a text for a person, about the answer.
  func converted(_ body: [UInt8]) throws(TextError) -> Converted {
    switch format {
    case .json: return Converted(body: try decoded(body, isStrict: false))
    case .ndjson: return Converted(body: try LineText.json(of: try decoded(body), atMost: limit))
    case .csv:
      return Converted(body: try TableText(maxBytes: maxBytes, limit: limit).json(of: try decoded(body)))
    case .feed:
      let text = try decoded(body, of: Self.declared(in: body))
      let feed = try FeedReader.read(text, at: url, atMost: limit, maxBytes: maxBytes)
      return Converted(body: feed.json, next: feed.next)
    }
  }

  /// The error in a text, in words that show nothing of it but what the sender may read.
  struct TextError: Error {
    var detail: String

    init(_ detail: String) { self.detail = detail }

    static func tooLong(_ bytes: Int) -> TextError {
      TextError("as JSON it would have more than \(bytes) bytes, four times `maxBytes`: ask for less")
    }
  }

  // MARK: Encodings

  /// As UTF-8, without a byte order mark: by that mark, else as the header says, else as the text itself does. What says
  /// nothing is UTF-8, and a text of another kind that is none is taken for windows-1252.
  ///
  /// - Parameter isStrict: false for JSON, which is UTF-8 (RFC 8259 section 8.1) and read by what says what is wrong.
  private func decoded(
    _ body: [UInt8],
    of declared: String? = nil,
    isStrict: Bool = true
  ) throws(TextError) -> [UInt8] {
    let mark = TextEncoding.byteOrderMark
    if body.starts(with: mark) { return isStrict ? Array(body.dropFirst(mark.count)) : body }
    if body.starts(with: [0xFF, 0xFE]), isStrict || Self.isJSONStart(body.dropFirst(2)) {
      return try convert(Array(body.dropFirst(2)), from: "utf-16le")
    }
    if body.starts(with: [0xFE, 0xFF]), isStrict || Self.isJSONStart(body.dropFirst(3)) {
      return try convert(Array(body.dropFirst(2)), from: "utf-16be")
    }
    if body.starts(with: [0x3C, 0x00]) { return try convert(body, from: "utf-16le") }
    if body.starts(with: [0x00, 0x3C]) { return try convert(body, from: "utf-16be") }
    let name = (charset ?? declared ?? "utf-8").lowercased()
    if ["utf-8", "utf8", "us-ascii", "ascii"].contains(name) {
      guard isStrict, charset == nil, declared == nil, !Self.isUTF8(body) else { return body }
      return try convert(body, from: "windows-1252")
    }
    // Many say so of what is UTF-8.
    if !isStrict, Self.isUTF8(body) { return body }
    return try convert(body, from: ["iso-8859-1", "latin1"].contains(name) ? "windows-1252" : name)
  }

  private static func isJSONStart(_ body: ArraySlice<UInt8>) -> Bool {
    body.first == UInt8(ascii: "[") || body.first == UInt8(ascii: "{")
  }

  private static func isUTF8(_ body: [UInt8]) -> Bool { String(validating: body, as: UTF8.self) != nil }

  private func convert(_ body: [UInt8], from encoding: String) throws(TextError) -> [UInt8] {
    guard encoding.utf8.count <= 40, encoding.utf8.allSatisfy(\.isOfEncodingName) else {
      throw TextError("its charset has a name that none has")
    }
    // Known to every system, be it without iconv's tables.
    if encoding == "windows-1252" { return WesternText.utf8(of: body) }
    guard let text = TextEncoding(encoding) else { throw TextError("its charset “\(encoding)” is not known here") }
    guard let utf8 = text.utf8(of: body) else { throw TextError("it can't be read as “\(encoding)”") }
    return utf8
  }

  /// Returns the encoding that an XML declaration names.
  private static func declared(in body: [UInt8]) -> String? {
    let head = String(decoding: body.prefix(200), as: UTF8.self)
    guard head.hasPrefix("<?xml"), let end = head.firstRange(of: "?>"),
      let name = head[..<end.lowerBound].firstRange(of: "encoding")
    else { return nil }
    let value = head[name.upperBound..<end.lowerBound].drop { $0 == "=" || $0 == " " }
    guard let quote = value.first, quote == "\"" || quote == "'" else { return nil }
    return String(value.dropFirst().prefix { $0 != quote })
  }
}

extension UInt8 {
  /// True for a name that iconv may look for: no part of a path, and no option.
  fileprivate var isOfEncodingName: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
    default: "-_:".utf8.contains(self)
    }
  }
}

/// NDJSON: a JSON value a line.
enum LineText {
  /// The list of the lines' values. Blank lines are none.
  static func json(of text: [UInt8], atMost limit: Int?) throws(AnswerText.TextError) -> [UInt8] {
    var json = [UInt8(ascii: "[")]
    json.reserveCapacity(text.count + 2)
    var (number, count) = (0, 0)
    // Line by line: a list of all lines would take many times the memory of the text, if most are blank.
    var start = 0
    while start < text.count {
      let end = text[start...].firstIndex(of: UInt8(ascii: "\n")) ?? text.count
      let line = text[start..<end]
      number += 1
      start = end + 1
      guard line.contains(where: { !$0.isSpace }) else { continue }
      do {
        // Else one line could be two items, or a part of one.
        _ = try Document(Array(line)).withRoot { $0.kind }
      } catch {
        throw AnswerText.TextError("line \(number) is no JSON: \(error)")
      }
      if count > 0 { json.append(UInt8(ascii: ",")) }
      json += line
      count += 1
      if let limit, count > limit { break }
    }
    json.append(UInt8(ascii: "]"))
    return json
  }
}
