internal import CExpat

/// Reads XML by events, with expat: no entity or attribute that the text declares, nothing from outside, bounded depth.
/// The text is UTF-8, whatever its declaration says.
///
/// expat bounds by itself what predefined entities can grow to; declared ones are refused before they are used.
/// Namespaces are resolved here: expat would copy one for each name that is in it.
final class XMLEvents {
  /// An element's name: in the namespace that its prefix stands for.
  struct Name: Hashable {
    var namespace: String
    var local: String

    init(_ namespace: String, _ local: String) { (self.namespace, self.local) = (namespace, local) }
  }

  var onStart: (Name, [(name: Name, value: String)]) -> Void = { _, _ in }
  var onEnd: (Name) -> Void = { _ in }
  var onText: (UnsafeBufferPointer<UInt8>) -> Void = { _ in }

  /// Namespaces by prefix, that of the innermost element last; the default one has the empty prefix.
  private var namespaces = ["xml": ["http://www.w3.org/XML/1998/namespace"]]
  /// The prefixes that each open element binds.
  private var bindings: [[String]] = []
  private var refusal: String?
  /// Nobody wants to hear more.
  private var isEnough = false
  private var parser: XML_Parser?

  static let deepest = 100
  /// A namespace's bytes: it is compared for each name that is in it.
  static let longestNamespace = 1_024

  /// Hears nothing more; what follows is not read, right or wrong.
  func stop() {
    isEnough = true
    _ = parser.map { XML_StopParser($0, XML_Bool(XML_FALSE)) }
  }

  private func refuse(_ why: String) {
    if refusal == nil { refusal = why }
    _ = parser.map { XML_StopParser($0, XML_Bool(XML_FALSE)) }
  }

  func read(_ text: [UInt8]) throws(AnswerText.TextError) {
    guard let parser = XML_ParserCreate("UTF-8") else {
      throw AnswerText.TextError("there is no memory left to read it")
    }
    self.parser = parser
    defer {
      self.parser = nil
      XML_ParserFree(parser)
    }
    XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
    setHandlers(of: parser)
    // In parts, as expat counts in 32 bits.
    let part = 1 << 20
    var start = 0
    repeat {
      let end = min(text.count, start + part)
      let status = text.withUnsafeBytes { bytes in
        XML_Parse(
          parser,
          bytes.baseAddress.map { $0.assumingMemoryBound(to: CChar.self) + start },
          Int32(end - start),
          end == text.count ? 1 : 0
        )
      }
      if isEnough { return }
      guard status != XML_STATUS_ERROR else { throw failure(of: parser) }
      start = end
    } while start < text.count
  }

  private func failure(of parser: XML_Parser) -> AnswerText.TextError {
    let line = XML_GetCurrentLineNumber(parser)
    if let refusal { return AnswerText.TextError("line \(line): \(refusal)") }
    let reason = XML_ErrorString(XML_GetErrorCode(parser)).map { String(cString: $0) } ?? "it can't be read"
    return AnswerText.TextError("line \(line) is no XML: \(reason)")
  }

  private func setHandlers(of parser: XML_Parser) {
    XML_SetElementHandler(
      parser,
      { context, name, attributes in
        guard let events = XMLEvents.from(context), let name else { return }
        var pairs: [(name: String, value: String)] = []
        var next = attributes
        while let name = next?[0], let value = next?[1] {
          pairs.append((String(cString: name), String(cString: value)))
          next = next?.advanced(by: 2)
        }
        events.begin(String(cString: name), pairs)
      },
      { context, name in
        guard let events = XMLEvents.from(context), let name, events.refusal == nil else { return }
        events.end(String(cString: name))
      }
    )
    XML_SetCharacterDataHandler(parser) { context, text, count in
      guard let events = XMLEvents.from(context), let text, count > 0 else { return }
      text.withMemoryRebound(to: UInt8.self, capacity: Int(count)) { bytes in
        events.onText(UnsafeBufferPointer(start: bytes, count: Int(count)))
      }
    }
    // "Billion laughs", and files of ours: a feed needs neither.
    XML_SetEntityDeclHandler(parser) { context, _, _, _, _, _, _, _, _ in
      XMLEvents.from(context)?.refuse("it declares entities, which are not read")
    }
    // A value that is declared once would stand in each element.
    XML_SetAttlistDeclHandler(parser) { context, _, _, _, _, _ in
      XMLEvents.from(context)?.refuse("it declares attributes, which are not read")
    }
  }

  // MARK: Elements

  private func begin(_ name: String, _ attributes: [(name: String, value: String)]) {
    guard bindings.count < Self.deepest else {
      return refuse("elements stand in each other more than \(Self.deepest) times")
    }
    var prefixes: [String] = []
    for attribute in attributes {
      guard let prefix = Self.boundPrefix(attribute.name) else { continue }
      guard attribute.value.utf8.count <= Self.longestNamespace else {
        return refuse("a namespace has more than \(Self.longestNamespace) bytes")
      }
      namespaces[prefix, default: []].append(attribute.value)
      prefixes.append(prefix)
    }
    bindings.append(prefixes)
    guard let element = self.name(name, default: namespaces[""]?.last ?? "") else { return refusePrefix() }
    var pairs: [(name: Name, value: String)] = []
    for attribute in attributes where Self.boundPrefix(attribute.name) == nil {
      // Without a prefix it is in no namespace.
      guard let name = self.name(attribute.name, default: "") else { return refusePrefix() }
      pairs.append((name, attribute.value))
    }
    onStart(element, pairs)
  }

  private func end(_ name: String) {
    let element = self.name(name, default: namespaces[""]?.last ?? "")
    for prefix in bindings.popLast() ?? [] { _ = namespaces[prefix]?.popLast() }
    if let element { onEnd(element) }
  }

  /// Returns the prefix that an attribute binds to a namespace, empty for the default one; nil: it binds none.
  private static func boundPrefix(_ attribute: String) -> String? {
    if attribute == "xmlns" { return "" }
    return attribute.hasPrefix("xmlns:") ? String(attribute.dropFirst("xmlns:".count)) : nil
  }

  /// Returns nil for a prefix that is not bound.
  private func name(_ text: String, default namespace: String) -> Name? {
    let (first, local) = text.split(at: ":")
    guard let local else { return Name(namespace, first) }
    return namespaces[first]?.last.map { Name($0, local) }
  }

  private func refusePrefix() { refuse("a name has a prefix that is bound to no namespace") }

  private static func from(_ context: UnsafeMutableRawPointer?) -> XMLEvents? {
    context.map { Unmanaged<XMLEvents>.fromOpaque($0).takeUnretainedValue() }
  }
}
