internal import CExpat
import Glibc

/// Reads XML by events, with expat: no entity that the text declares, nothing from outside, bounded depth. The text is UTF-8,
/// whatever its declaration says.
///
/// expat bounds by itself what predefined entities can grow to; declared ones are refused before they are used.
final class XMLEvents {
  /// An element's name: in the namespace that its prefix stands for.
  struct Name: Hashable {
    var namespace: String
    var local: String

    init(_ namespace: String, _ local: String) { (self.namespace, self.local) = (namespace, local) }

    /// As expat gives it: both with a space between them.
    fileprivate init(_ text: UnsafePointer<XML_Char>) {
      let parts = String(cString: text).split(at: " ")
      if let local = parts.1 { self.init(parts.0, local) } else { self.init("", parts.0) }
    }
  }

  var onStart: (Name, [(name: Name, value: String)]) -> Void = { _, _ in }
  var onEnd: (Name) -> Void = { _ in }
  var onText: (UnsafeBufferPointer<UInt8>) -> Void = { _ in }

  private var depth = 0
  private var refusal: String?
  /// Nobody wants to hear more.
  private var isEnough = false
  private var parser: XML_Parser?

  static let deepest = 100
  /// A name's bytes, with its namespace, which is said again with each: an element of some bytes would cost as much as that.
  static let longestName = 1_024

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
    guard let parser = XML_ParserCreateNS("UTF-8", XML_Char(UInt8(ascii: " "))) else {
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
        events.depth += 1
        guard events.depth <= XMLEvents.deepest else {
          return events.refuse("elements stand in each other more than \(XMLEvents.deepest) times")
        }
        guard XMLEvents.isShort(name) else { return events.refuseName() }
        var pairs: [(name: Name, value: String)] = []
        var next = attributes
        while let name = next?[0], let value = next?[1] {
          guard XMLEvents.isShort(name) else { return events.refuseName() }
          pairs.append((Name(name), String(cString: value)))
          next = next?.advanced(by: 2)
        }
        events.onStart(Name(name), pairs)
      },
      { context, name in
        guard let events = XMLEvents.from(context), let name, events.refusal == nil else { return }
        events.depth -= 1
        events.onEnd(Name(name))
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
  }

  private func refuseName() { refuse("a name has more than \(Self.longestName) bytes with its namespace") }

  private static func isShort(_ name: UnsafePointer<XML_Char>) -> Bool { strnlen(name, longestName + 1) <= longestName }

  private static func from(_ context: UnsafeMutableRawPointer?) -> XMLEvents? {
    context.map { Unmanaged<XMLEvents>.fromOpaque($0).takeUnretainedValue() }
  }
}
