internal import JSON

/// Finds what a failing upstream says for itself.
enum ReasonText {
  static func startsLikeMarkup(_ body: [UInt8]) -> Bool {
    body.first { ![0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF].contains($0) } == UInt8(ascii: "<")
  }

  /// Returns the title among the first 8 KB. O(bytes), whatever they are.
  static func htmlTitle(in body: [UInt8]) -> String? {
    let head = body.prefix(8192)
    guard let tag = head.firstIndexIgnoringCase(of: Array("<title".utf8)),
      let open = head[tag...].firstIndex(of: UInt8(ascii: ">"))
    else { return nil }
    let title = String(decoding: head[(open + 1)...].prefix { $0 != UInt8(ascii: "<") }, as: UTF8.self)
    return title.allSatisfy(\.isWhitespace) ? nil : title
  }

  /// A problem's detail (RFC 9457), or what others call it; the title of a page; a short plain text.
  static func reason(in body: [UInt8], type: String?) -> String? {
    guard body.count <= 1 << 20 else { return nil }
    if startsLikeMarkup(body) { return htmlTitle(in: body).map { "an HTML page titled “\($0)”" } }
    guard let document = try? Document(body), let found = try? document.withRoot({ reason(in: $0) }) else {
      guard let type, type.lowercased().hasPrefix("text/plain"), body.count <= 500 else { return nil }
      return String(decoding: body, as: UTF8.self)
    }
    return found
  }

  static func reason(in view: JSONView, depth: Int = 0) -> String? {
    if let text = view.string { return text.isEmpty ? nil : String(text) }
    guard depth < 4 else { return nil }
    if view.kind == .array { return view[0].flatMap { reason(in: $0, depth: depth + 1) } }
    guard view.kind == .object else { return nil }
    for name in [
      "detail", "message", "msg", "error_description", "error", "errors", "errorMessages", "non_field_errors", "title",
      "reason",
    ] {
      if let member = view[name], let text = reason(in: member, depth: depth + 1) { return text }
    }
    return nil
  }
}

extension ArraySlice<UInt8> {
  /// Returns the place of a short text in lower case.
  fileprivate func firstIndexIgnoringCase(of word: [UInt8]) -> Int? {
    guard count >= word.count else { return nil }
    return (startIndex...(endIndex - word.count)).first { start in
      word.indices.allSatisfy { self[start + $0].lowercasedASCII == word[$0] }
    }
  }
}
